/** Rings once at an instant that a restart does not move, and once more each time it is set again. */
import { fromCallback } from 'xstate'
import type { AlarmInput, AlarmSet } from '../../../machines/slots.ts'
import type { Services } from '../root/services.ts'

export const alarm = ({ clock, transactions }: Pick<Services, 'clock' | 'transactions'>) =>
  fromCallback<AlarmSet, AlarmInput>(({ input: { dueAt, name }, sendBack, receive }) => {
    const ring = () =>
      transactions.take(() =>
        sendBack({ type: 'alarm.rang', at: clock.now(), ...(name === undefined ? {} : { name }) })
      )
    let cancel = clock.at(dueAt, ring)
    receive(({ dueAt }) => {
      cancel()
      cancel = clock.at(dueAt, ring)
    })
    return () => cancel()
  })

/** Detects a clock that was set back. Longer than any wait for a minute; a smaller step back repeats no minute. */
export const AT_MOST_MS = 61_000

/** An alarm for the next minute: if the clock is set back in the meantime, it rings by the new time. Source: execution-semantics 11.5. */
export const minuteAlarm = ({ clock, transactions }: Pick<Services, 'clock' | 'transactions'>) =>
  fromCallback<AlarmSet, AlarmInput>(({ input: { dueAt }, sendBack }) => {
    const cancel = () => {
      for (const call of calls) call()
    }
    const ring = () => {
      cancel()
      transactions.take(() => sendBack({ type: 'alarm.rang', at: clock.now() }))
    }
    const calls = [clock.at(dueAt, ring), clock.after(AT_MOST_MS, ring)]
    return cancel
  })
