/** Keeps lists up to date: by every transition of every run, by changes in other tabs, and by polling for those without an event. */
import { useEffect, useState } from 'preact/hooks'
import type { JournalEvent } from './answers.ts'
import { whenChanged } from './api.ts'
import { atMostEvery, pause } from './clock.ts'
import { type Connection, follow } from './event-stream.ts'

const LIST_MS = 700
// D457: visible lists are refreshed every 10 s
/** Some changes have no event: a run removed from its queue, a definition that is written, a schedule that has passed. */
const QUIET_MS = 10_000

const HEARD = 'troupe-connection'
let heard: Connection | undefined
function tell(connection: Connection | undefined): void {
  heard = connection
  dispatchEvent(new Event(HEARD))
}

/** Whether the list that is shown is kept up to date; undefined: no list is. */
export function useConnection(): Connection | undefined {
  const [connection, setConnection] = useState(heard)
  useEffect(() => {
    const changed = () => setConnection(heard)
    addEventListener(HEARD, changed)
    return () => removeEventListener(HEARD, changed)
  }, [])
  return connection
}

const WAITS = 'troupe-waits'
/** States of a step that waits for something outside. */
const OUTSIDE = new Set(['awaiting', 'sleeping'])
const isWait = ({ from, to }: JournalEvent) => from !== to && (OUTSIDE.has(from) || OUTSIDE.has(to))
/** Calls `act` when a step begins or ends to wait, as long as a list is shown. Returns a function that ends it. */
export function whenWaitsChange(act: () => void): () => void {
  addEventListener(WAITS, act)
  return () => removeEventListener(WAITS, act)
}

/**
 * Calls `act` when a change of a run may change a list, when a lost connection is back, and every few seconds.
 * @param actNowAndThen called every few seconds only
 * @param ms `act` is not called more often than that
 */
export function useFeed(act: () => void, actNowAndThen?: () => void, ms = LIST_MS): void {
  useEffect(() => {
    const often = atMostEvery(ms, act)
    let wasLost = false
    const end = follow<JournalEvent>('/events', {
      after: 'now',
      onEvents(events) {
        const waits = events.some(isWait)
        if (waits) dispatchEvent(new Event(WAITS))
        // Other events of steps change no list.
        if (waits || events.some(({ step, actor }) => step === undefined && !actor.endsWith('/attempt'))) often.ask()
      },
      onGap: often.ask,
      onConnection(connection) {
        tell(connection)
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
    const callOff = whenChanged(() => {
      often.ask()
      actNowAndThen?.()
    })
    return () => {
      tell(undefined)
      callOff()
      end()
      quiet.abort()
      often.end()
    }
  }, [act, actNowAndThen, ms])
}
