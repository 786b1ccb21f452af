/** Spreads work over rounds of the event loop: after a restart there may be thousands of pieces at once. */
import type { Clock } from '../../clock.ts'

/** @returns resolves when the caller may proceed: `most` callers in each round of the event loop, in the order of the calls */
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
