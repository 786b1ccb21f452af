/** Facts about actors, waits and events as JSON: members named `...Ms` are epoch ms, or null. Source: docs/inspect.md. */
import type { JournalRecord } from '../../machines/vocabulary.ts'
import type { ActorFacts, Blocker, EventCause, EventsPart, Explanation, Reason, RunFacts, Sequence } from '../engine.ts'
import { eventShape, NODE_STATUSES, RUN_STATUSES, statusShape } from './shapes.ts'
import type { TimeText } from './time-text.ts'

export type StatusShape = ReturnType<typeof statusShape>

/** An actor; all other members are those of the engine. */
export interface ActorShape extends Omit<ActorFacts, 'since' | 'subRuns'> {
  since: string
  sinceMs: number
  subRuns?: ({ name: string; dagRunId: string } & StatusShape)[]
}

export interface NodeFactsShape extends StatusShape {
  step: string
  handler: boolean
  startedAt: string
  startedAtMs: number | null
  finishedAt: string
  finishedAtMs: number | null
  retryCount: number
  doneCount: number
  exitCode: number | null
  error: string
}

export interface ActorsShape extends StatusShape {
  name: string
  dagRunId: string
  at: number
  latest: number
  happenedAt: string
  happenedAtMs: number | null
  event: EventShape | null
  nodes: NodeFactsShape[]
  actors: ActorShape[]
}

export interface ReasonShape {
  cause: string
  about: Reason['about']
  waiting: boolean
  text: string
  since: string
  sinceMs: number | null
  until: string
  untilMs: number | null
  blockedBy: Blocker[]
  unblock: string
}

export interface ExplainShape {
  subject:
    | ({ kind: 'run'; name: string; dagRunId: string } & StatusShape)
    | { kind: 'dag'; name: string; fileName: string }
  reasons: ReasonShape[]
}

export interface SequenceShape {
  name: string
  dagRunId: string
  participants: string[]
  messages: { seq: number; at: string; atMs: number; from: string; to: string; event: string; state: string }[]
  omitted: number
  mermaid: string
}

/** One part of a run's events. */
export interface EventsShape {
  name: string
  dagRunId: string
  latest: number
  /** To be given as `after` for the next part; null: this was the last. */
  next: number | null
  events: EventShape[]
}
/** `causes`: what led to it, nearest first; absent: nobody asked. */
export type EventShape = ReturnType<typeof eventShape> & { causes?: EventCause[] }

const orNull = (at: number | undefined) => at ?? null

export const actorsShape = (facts: RunFacts, time: TimeText): ActorsShape => {
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

const nodeFactsShape = (node: RunFacts['nodes'][number], time: TimeText): NodeFactsShape => ({
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
})

const actorShape = ({ since, subRuns, ...actor }: ActorFacts, time: TimeText): ActorShape => ({
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

export const explainShape = ({ subject, reasons }: Explanation, time: TimeText): ExplainShape => ({
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

export const sequenceShape = ({ run, messages, ...others }: Sequence, time: TimeText): SequenceShape => ({
  name: run.name,
  dagRunId: run.dagRunId,
  ...others,
  messages: messages.map(({ at, ...message }) => ({ ...message, at: time(at), atMs: at }))
})

export const eventsShape = ({ run, events, latest, next }: EventsPart, time: TimeText): EventsShape => ({
  name: run.name,
  dagRunId: run.dagRunId,
  latest,
  next: orNull(next),
  events: events.map(({ record, causes }) => causedShape(record, time, causes))
})

const causedShape = (record: JournalRecord, time: TimeText, causes?: EventCause[]): EventShape => ({
  ...eventShape(record, time),
  ...(causes ? { causes } : {})
})
