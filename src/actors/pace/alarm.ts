/** Rings once at an instant that a restart does not move. */
import { fromCallback } from 'xstate'
import type { AlarmInput } from '../../../machines/slots.ts'
import type { Services } from '../root/services.ts'

export const alarm = ({ clock, transactions }: Pick<Services, 'clock' | 'transactions'>) =>
  fromCallback<{ type: 'alarm.cancel' }, AlarmInput>(({ input: { dueAt, name }, sendBack }) =>
    clock.at(dueAt, () =>
      transactions.take(() =>
        sendBack({ type: 'alarm.rang', at: clock.now(), ...(name === undefined ? {} : { name }) })
      )
    )
  )

/** Detects a clock that was set back. Longer than any wait for a minute; a smaller step back repeats no minute. */
export const AT_MOST_MS = 61_000

/** The same for the next minute: if the clock is set back in the meantime, it rings by the new time. Source: execution-semantics 11.5. */
export const minuteAlarm = ({ clock, transactions }: Pick<Services, 'clock' | 'transactions'>) =>
  fromCallback<{ type: 'alarm.cancel' }, AlarmInput>(({ input: { dueAt }, sendBack }) => {
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
