/** Every transition of every run, as it happens: what lists watch to know that they are out of date. What tells nobody is asked for now and then. */
import { useEffect } from 'preact/hooks'
import type { JournalEvent } from './answers.ts'
import { atMostEvery, pause } from './clock.ts'
import { follow } from './event-stream.ts'

const LIST_MS = 700
// D457
/** What is no transition tells nobody: a run that is taken out of its queue, a definition that is written, a schedule that has passed. */
const QUIET_MS = 10_000

/**
 * Calls `act` when something about a run has changed that a list may show; also when a lost connection is back.
 * @param actNowAndThen called only when it may be that something else has changed, which nobody tells of
 */
export function useFeed(act: () => void, actNowAndThen?: () => void): void {
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
    const quiet = new AbortController()
    const again = async () => {
      while (!quiet.signal.aborted) {
        await pause(QUIET_MS, quiet.signal)
        if (quiet.signal.aborted || document.visibilityState !== 'visible') continue
        often.ask()
        actNowAndThen?.()
      }
    }
    void again()
    return () => {
      end()
      quiet.abort()
      often.end()
    }
  }, [act, actNowAndThen])
}
