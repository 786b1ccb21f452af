/** What a run looks like at one moment, now or back then: one shape for all views of it. */
import { WAITS } from '../../../machines/vocabulary/lists.ts'
import {
  HANDLER_NAMES,
  type JournalEvent,
  type NodeInstant,
  type NodeLabel,
  type NodeShape,
  type RunDetails,
  type RunInstant,
  type RunLabel,
  type WaitedFor
} from '../answers.ts'
import { type Retries, retriesOf } from './step/retries.ts'

export interface NodeMoment {
  name: string
  isHandler: boolean
  /** Undefined: its state at that moment is not known yet. */
  label?: NodeLabel
  /** What it waits for outside; until when is known of now only. */
  waitingFor?: WaitedFor
  /** Epoch ms. */
  startedAt?: number
  finishedAt?: number
  /** Absent: none was planned. */
  retries?: Retries
  /** Passes of a step that repeats. */
  doneCount: number
  error: string
  /** From the current details: its definition does not change. */
  node: NodeShape
  /** The details of now hold for the moment, too: the step had ended as it has now. */
  isAsNow: boolean
}

export interface Moment {
  /** Undefined: the state of the run at that moment is not known yet. */
  label?: RunLabel
  /** Known of now only. */
  waitingFor?: WaitedFor
  nodes: NodeMoment[]
  /** Epoch ms; undefined: now. */
  at?: number
}

const nodesOf = (details: RunDetails): { name: string; isHandler: boolean; node: NodeShape }[] => [
  ...details.nodes.map((node) => ({ name: node.step.name, isHandler: false, node })),
  ...HANDLER_NAMES.flatMap((name) => {
    const node = details[name]
    return node ? [{ name, isHandler: true, node }] : []
  })
]

/** What a moment reads of an instant. */
type Seen = Pick<RunInstant, 'at' | 'statusLabel' | 'nodes'>

/** The run now. @param news labels that are newer than the instant */
export const momentNow = (
  details: RunDetails,
  instant: Seen,
  events: readonly JournalEvent[],
  news: ReadonlyMap<string, NodeLabel>
): Moment => momentOf(details, instant, events, news, true)

/** The run at a past event. @param instant undefined: it is not known yet @param at epoch ms of the event */
export const momentThen = (
  details: RunDetails,
  instant: Seen | undefined,
  events: readonly JournalEvent[],
  at: number
): Moment =>
  instant
    ? { ...momentOf(details, instant, events, NO_NEWS, false), at }
    : { at, nodes: nodesOf(details).map((known) => ({ ...known, doneCount: 0, error: '', isAsNow: false })) }

const NO_NEWS: ReadonlyMap<string, NodeLabel> = new Map()

/** Only the definition comes from the details; everything else is as of the instant. */
function momentOf(
  details: RunDetails,
  { at, statusLabel, nodes }: Seen,
  events: readonly JournalEvent[],
  news: ReadonlyMap<string, NodeLabel>,
  isNow: boolean
): Moment {
  const then = new Map<string, NodeInstant>(nodes.map((node) => [node.step, node]))
  const counts = new Map(nodes.flatMap(({ step, retryCount }) => (retryCount > 0 ? [[step, retryCount] as const] : [])))
  // Events arrive separately: while they lag behind the instant, they do not have the latest retry.
  const waits = waitingSteps(details, events, isNow ? Number.POSITIVE_INFINITY : at)
  const retries = (events.at(-1)?.seq ?? 0) < at ? new Map<string, Retries>() : retriesOf(events, at, counts)
  return {
    label: statusLabel,
    ...(isNow && statusLabel === 'running' && details.waitingFor ? { waitingFor: details.waitingFor } : {}),
    nodes: nodesOf(details).map((known) => {
      const found = then.get(known.name)
      const [startedAt, finishedAt] = [found?.startedAtMs ?? undefined, found?.finishedAtMs ?? undefined]
      const tried = retries.get(known.name)
      const label = news.get(known.name) ?? found?.statusLabel ?? 'not_started'
      const waitingFor = label === 'running' ? awaitedBy(known.node, waits.get(known.name), isNow) : undefined
      return {
        ...known,
        label,
        ...(waitingFor ? { waitingFor } : {}),
        ...span(startedAt, finishedAt),
        ...(tried ? { retries: tried } : {}),
        doneCount: found?.doneCount ?? 0,
        error: found?.error ?? '',
        isAsNow: isNow || (finishedAt !== undefined && isSameSecond(finishedAt, known.node.finishedAt))
      }
    })
  }
}

/** @param kind what the step itself waits for. Runs that it has called, and the end of a wait, are known of now only */
function awaitedBy(
  { waitingFor, subRuns }: NodeShape,
  kind: WaitedFor['for'] | undefined,
  isNow: boolean
): WaitedFor | undefined {
  if (kind) return { for: kind, until: (isNow && waitingFor?.until) || '' }
  return isNow ? subRuns.find((run) => run.waitingFor)?.waitingFor : undefined
}

/** What steps waited for at an event, by name: each says so in its latest event until then. */
function waitingSteps(
  { nodes }: RunDetails,
  events: readonly JournalEvent[],
  upTo: number
): ReadonlyMap<string, WaitedFor['for']> {
  const kinds = nodes.flatMap(({ step: { name, executor } }) => {
    const kind = WAITS.find((it) => it === executor?.type)
    return kind ? [[name, kind] as const] : []
  })
  const [left, found] = [new Map(kinds), new Map<string, WaitedFor['for']>()]
  for (let index = events.length - 1; index >= 0 && left.size > 0; index--) {
    const { seq = 0, step = '', to } = events[index] ?? {}
    const kind = seq <= upTo ? left.get(step) : undefined
    if (kind && left.delete(step) && (to === 'awaiting' || to === 'sleeping')) found.set(step, kind)
  }
  return found
}

/** @param text an instant of the API, which is whole seconds */
const isSameSecond = (at: number, text: string) => Math.floor(at / 1_000) * 1_000 === Date.parse(text)

const span = (startedAt: number | undefined, finishedAt: number | undefined) => ({
  ...(startedAt === undefined ? {} : { startedAt }),
  ...(finishedAt === undefined ? {} : { finishedAt })
})
