/** Guards and actions of a chart about one topic: its one setup spreads them. The compiler checks them here as it does in `setup`. */
import type {
  ActionFunction,
  EventObject,
  GuardPredicate,
  MachineContext,
  ParameterizedObject,
  UnknownActorLogic
} from 'xstate'

type Actors = Record<string, UnknownActorLogic>
type Params = Record<string, ParameterizedObject['params'] | undefined>
/** The actors of a setup, as its actions may spawn them. */
type Spawned<A extends Actors> = {
  [Name in keyof A & string]: { src: Name; logic: A[Name]; id: string | undefined }
}[keyof A & string]
type Action<
  C extends MachineContext,
  E extends EventObject,
  A extends Actors,
  P extends Params[string]
> = ActionFunction<C, E, E, P, Spawned<A>, never, never, never, EventObject>

// D1740: no topic rests on another one, as setups do that extend each other
/** @returns what makes a topic of a chart with this context, these events and actors; the types of parameters are inferred */
export const topicOf =
  <C extends MachineContext, E extends EventObject, A extends Actors>() =>
  <GuardParams extends Params, ActionParams extends Params>(topic: {
    guards: { [Name in keyof GuardParams]: GuardPredicate<C, E, GuardParams[Name], never> }
    actions: { [Name in keyof ActionParams]: Action<C, E, A, ActionParams[Name]> }
  }) =>
    topic
