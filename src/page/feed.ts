/** Every transition of every run, as it happens: what lists watch to know that they are out of date. */
import { useEffect } from 'preact/hooks'
import type { JournalEvent } from './answers.ts'
import { atMostEvery } from './clock.ts'
import { follow } from './event-stream.ts'

const LIST_MS = 700

/** Calls `act` when something about a run has changed that a list may show; also when a lost connection is back. */
export function useFeed(act: () => void): void {
  useEffect(() => {
    const often = atMostEvery(LIST_MS, act)
    let wasLost = false
    const end = follow<JournalEvent>('/events', {
      after: 'now',
      // A step that goes on changes no list.
      onEvents: (events) =>
        events.some(({ step, actor }) => step === undefined && !actor.endsWith('/attempt')) && often.ask(),
      onGap: often.ask,
      onConnection(connection) {
        if (connection === 'live' && wasLost) often.ask()
        wasLost = connection === 'lost'
      }
    })
    return () => {
      end()
      often.end()
    }
  }, [act])
}
