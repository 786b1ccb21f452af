/** What a step waits for, and what it has got, as JSON. Source: embedding 2.5. */
import type { Awaits } from '../../../machines/vocabulary.ts'
import type { HandlerView, WaitingStep } from '../../engine/engine.ts'
import type { Shape } from '../../schema/schema.ts'
import type { Node, RunSummary, WaitingFor } from '../contract/run-shapes.ts'
import type { TimeText } from './time-text.ts'

type Asked = Pick<WaitingStep, 'ask' | 'since' | 'payloadSchema'> & Awaits

const waitingForShape = (
  { for: kind, ask, since, until, payloadSchema }: Asked,
  time: TimeText
): Shape<typeof WaitingFor> => ({
  for: kind,
  ask,
  since: time(since),
  until: time(until),
  ...(payloadSchema ? { payloadSchema: payloadSchema as Record<string, never> } : {}) // an object, as the contract says
})

/** Nothing for a run that waits for nothing. */
export const awaitedShape = (
  awaited: Awaits | undefined,
  time: TimeText
): Pick<Shape<typeof RunSummary>, 'waitingFor'> =>
  awaited ? { waitingFor: { for: awaited.for, until: time(awaited.until) } } : {}

export function waitShape(
  { wait, node }: HandlerView,
  time: TimeText
): Pick<Shape<typeof Node>, 'waitingFor' | 'next' | 'given'> {
  const { given, output = '' } = node
  return {
    ...(given ? { given: { by: given.by ?? '', at: time(given.at), payload: output } } : {}),
    ...(wait?.for === 'signal' || wait?.for === 'approval' ? { waitingFor: waitingForShape(wait, time) } : {}),
    ...(wait?.for === 'retry' || wait?.for === 'repeat' ? { next: { what: wait.for, atMs: wait.until } } : {}),
    ...(wait?.for === 'sleep'
      ? {
          waitingFor: waitingForShape(
            { for: 'sleep', ask: '', since: node.startedAt ?? wait.until, until: wait.until },
            time
          )
        }
      : {})
  }
}

/** A step that waits, in a list. */
export const waitingShape = ({ run, root = run, step, ...wait }: WaitingStep, time: TimeText) => ({
  name: run.name,
  dagRunId: run.dagRunId,
  rootDAGRunName: root.name,
  rootDAGRunId: root.dagRunId,
  step,
  waitingFor: waitingForShape(wait, time)
})
