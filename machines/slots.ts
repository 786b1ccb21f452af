/** Typed placeholders for the actors that `src/actors` provides: name, input and the events they accept. */
import { type CallbackActorLogic, type EventObject, fromCallback, type NonReducibleUnknown } from 'xstate'

/** An invoked actor that reports by events. Without an implementation it fails with its name. */
export const invokedActor = <E extends EventObject, I extends NonReducibleUnknown>(
  name: string
): CallbackActorLogic<E, I> =>
  fromCallback<E, I>(() => {
    throw new Error(`the slot "${name}" of a machine is not filled`)
  })

/** Rings once, at an instant that a restart does not move, and once more each time it is set again. Epoch ms. */
export const alarm = invokedActor<AlarmSet, AlarmInput>('alarm')
export interface AlarmSet {
  type: 'alarm.set'
  dueAt: number
}
export interface AlarmInput {
  dueAt: number
  /** The name of an alarm, for an actor that has several. */
  name?: string
}
export interface AlarmRang {
  type: 'alarm.rang'
  at: number
  name?: string
}
