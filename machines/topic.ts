/**
 * The guards and actions of a chart that are about one topic. The setup of the chart is one: it spreads those of each topic. The compiler
 * checks them here as it does in `setup`.
 */
import type {
  ActionFunction,
  EventObject,
  GuardPredicate,
  MachineContext,
  ParameterizedObject,
  UnknownActorLogic
} from 'xstate'

type Params = Record<string, ParameterizedObject['params'] | undefined>
/** The actors of a setup, as its actions may spawn them. */
type Spawned<Actors extends Record<string, UnknownActorLogic>> = {
  [Name in keyof Actors & string]: { src: Name; logic: Actors[Name]; id: string | undefined }
}[keyof Actors & string]

// D1740: no topic rests on another one, as setups do that extend each other
/** For a chart: what makes a topic of it. Its types are given, those of the parameters are inferred. */
export const topicOf =
  <Context extends MachineContext, Event extends EventObject, Actors extends Record<string, UnknownActorLogic>>() =>
  <Guards extends Params, Actions extends Params>(topic: {
    guards: { [Name in keyof Guards]: GuardPredicate<Context, Event, Guards[Name], never> }
    actions: {
      [Name in keyof Actions]: ActionFunction<
        Context,
        Event,
        Event,
        Actions[Name],
        Spawned<Actors>,
        never,
        never,
        never,
        EventObject
      >
    }
  }) =>
    topic
