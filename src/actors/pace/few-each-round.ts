/** Work of which there may be thousands at once, after a restart: others have their turn in between. */
import type { Clock } from '../../clock.ts'

/** @returns resolves when it is the asker's turn: `most` in each round of the event loop, in the order asked for */
export function fewEachRound({ soon }: Pick<Clock, 'soon'>, most: number): () => Promise<void> {
  let waiting: (() => void)[] = []
  let isOn = false
  const round = () => {
    const begin = waiting.slice(0, most)
    waiting = waiting.slice(most)
    for (const go of begin) go()
    isOn = waiting.length > 0
    if (isOn) soon(round)
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (isOn) return
      isOn = true
      soon(round)
    })
}
