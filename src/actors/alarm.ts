/** Rings once at an instant that a restart does not move. */
import { fromCallback } from 'xstate'
import type { AlarmInput } from '../../machines/slots.ts'
import type { Hands } from './hands.ts'

export const alarm = ({ clock, turns }: Pick<Hands, 'clock' | 'turns'>) =>
  fromCallback<{ type: 'alarm.cancel' }, AlarmInput>(({ input: { dueAt, name }, sendBack }) =>
    clock.at(dueAt, () =>
      turns.take(() => sendBack({ type: 'alarm.rang', at: clock.now(), ...(name === undefined ? {} : { name }) }))
    )
  )
