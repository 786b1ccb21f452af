/** Inspection of actors, waits and events as JSON: members named `...Ms` are epoch ms, or null. Source: docs/inspect.md. */
import { NODE_STATUSES, RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { JournalRecord } from '../../../machines/vocabulary.ts'
import type {
  ActorFacts,
  Chart,
  DecisionsPart,
  EventCause,
  EventsPart,
  Explanation,
  RunFacts,
  Sequence
} from '../../engine/engine.ts'
import type { Shape } from '../../schema/schema.ts'
import type * as contract from '../contract/fact-shapes.ts'
import { eventShape, statusShape } from './shapes.ts'
import type { TimeText } from './time-text.ts'

const orNull = (at: number | undefined) => at ?? null

export const actorsShape = (facts: RunFacts, time: TimeText): Shape<typeof contract.RunFacts> => {
  const { run, at, latest, event, status, nodes, actors } = facts
  return {
    name: run.name,
    dagRunId: run.dagRunId,
    at,
    latest,
    happenedAt: time(event?.at),
    happenedAtMs: orNull(event?.at),
    event: event ? eventShape(event, time) : null,
    ...statusShape(RUN_STATUSES, status),
    nodes: nodes.map((node) => nodeFactsShape(node, time)),
    actors: actors.map((actor) => actorShape(actor, time))
  }
}

/** @param charts those that its actors follow */
export const statechartShape = (
  facts: RunFacts,
  charts: Chart[],
  time: TimeText
): Shape<typeof contract.Statechart> => {
  const { name, dagRunId, status, statusLabel, actors } = actorsShape(facts, time)
  return { name, dagRunId, status, statusLabel, charts, actors }
}

type FactsOfNode = RunFacts['nodes'][number]
type NodeFacts = Shape<typeof contract.NodeFacts>

function nodeFactsShape(node: FactsOfNode, time: TimeText): NodeFacts {
  const known = shapes.get(time) ?? new WeakMap<FactsOfNode, NodeFacts>()
  shapes.set(time, known)
  const before = known.get(node)
  if (before) return before
  const shape = {
    step: node.step,
    handler: node.handler,
    ...statusShape(NODE_STATUSES, node.status),
    startedAt: time(node.startedAt),
    startedAtMs: orNull(node.startedAt),
    finishedAt: time(node.finishedAt),
    finishedAtMs: orNull(node.finishedAt),
    retryCount: node.retryCount,
    doneCount: node.doneCount,
    exitCode: node.exitCode ?? null,
    error: node.error ?? ''
  }
  known.set(node, shape)
  return shape
}
/** The facts of a node that has not changed are the same object in each answer. */
const shapes = new WeakMap<TimeText, WeakMap<FactsOfNode, NodeFacts>>()

const actorShape = ({ since, subRuns, ...actor }: ActorFacts, time: TimeText): Shape<typeof contract.ActorFacts> => ({
  ...actor,
  since: time(since),
  sinceMs: since,
  ...(subRuns
    ? {
        subRuns: subRuns.map(({ run: { name, dagRunId }, status }) => ({
          name,
          dagRunId,
          ...statusShape(RUN_STATUSES, status)
        }))
      }
    : {})
})

export const explainShape = (
  { subject, reasons }: Explanation,
  time: TimeText
): Shape<typeof contract.Explanation> => ({
  subject:
    subject.kind === 'dag'
      ? subject
      : {
          kind: subject.kind,
          name: subject.name,
          dagRunId: subject.dagRunId,
          ...statusShape(RUN_STATUSES, subject.status)
        },
  reasons: reasons.map(({ cause, about, waiting, text, since, until, blockedBy, unblock }) => ({
    cause,
    about,
    waiting,
    text,
    since: time(since),
    sinceMs: orNull(since),
    until: time(until),
    untilMs: orNull(until),
    blockedBy,
    unblock
  }))
})

export const sequenceShape = (
  { run, messages, ...others }: Sequence,
  time: TimeText
): Shape<typeof contract.Sequence> => ({
  name: run.name,
  dagRunId: run.dagRunId,
  ...others,
  messages: messages.map(({ at, ...message }) => ({ ...message, at: time(at), atMs: at }))
})

export const eventsShape = (
  { run, events, latest, next }: EventsPart,
  time: TimeText
): Shape<typeof contract.JournalPart> => ({
  name: run.name,
  dagRunId: run.dagRunId,
  latest,
  next: orNull(next),
  events: events.map(({ record, causes }) => causedShape(record, time, causes))
})

export const decisionsShape = (
  { decisions, next }: DecisionsPart,
  time: TimeText
): Shape<typeof contract.DecisionsPart> => ({
  next: orNull(next),
  decisions: decisions.map(({ number, decision: { slot, at, ...others } }) => ({
    number,
    ...others,
    slot: time(slot),
    slotMs: slot,
    at: time(at),
    atMs: at
  }))
})

const causedShape = (
  record: JournalRecord,
  time: TimeText,
  causes?: EventCause[]
): Shape<typeof contract.CausedEvent> => ({
  ...eventShape(record, time),
  ...(causes ? { causes } : {})
})
