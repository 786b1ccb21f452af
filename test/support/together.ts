/** Tests that wait for the same limits of time wait for them together. */

/**
 * For a `describe` whose tests mostly wait: all of them begin after its `before` hooks so far, and each reports its own end.
 * They must not share what they change. @returns what is called as `it` is
 */
export function together(): (title: string, play: () => Promise<void>) => void {
  const plays: (() => Promise<void>)[] = []
  let played: Promise<PromiseSettledResult<void>>[] = []
  before(() => {
    played = plays.map((play) => Promise.allSettled([play()]).then(([result]) => result))
  })
  return (title, play) => {
    const at = plays.push(play) - 1
    it(title, async () => {
      const result = await played[at]
      if (result?.status === 'rejected') throw result.reason
    })
  }
}
