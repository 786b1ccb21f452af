/** What a run looks like at one moment, now or back then: one shape for all views of it. */
import {
  HANDLER_NAMES,
  type JournalEvent,
  type NodeInstant,
  type NodeLabel,
  type NodeShape,
  type RunDetails,
  type RunInstant,
  type RunLabel
} from '../answers.ts'
import { type Retries, retriesOf } from './step/retries.ts'

export interface NodeMoment {
  name: string
  isHandler: boolean
  /** Undefined: its state at that moment is not known yet. */
  label?: NodeLabel
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
  const retries = (events.at(-1)?.seq ?? 0) < at ? new Map<string, Retries>() : retriesOf(events, at, counts)
  return {
    label: statusLabel,
    nodes: nodesOf(details).map((known) => {
      const found = then.get(known.name)
      const [startedAt, finishedAt] = [found?.startedAtMs ?? undefined, found?.finishedAtMs ?? undefined]
      const tried = retries.get(known.name)
      return {
        ...known,
        label: news.get(known.name) ?? found?.statusLabel ?? 'not_started',
        ...span(startedAt, finishedAt),
        ...(tried ? { retries: tried } : {}),
        doneCount: found?.doneCount ?? 0,
        error: found?.error ?? '',
        isAsNow: isNow || (finishedAt !== undefined && isSameSecond(finishedAt, known.node.finishedAt))
      }
    })
  }
}

/** @param text an instant of the API, which is whole seconds */
const isSameSecond = (at: number, text: string) => Math.floor(at / 1_000) * 1_000 === Date.parse(text)

const span = (startedAt: number | undefined, finishedAt: number | undefined) => ({
  ...(startedAt === undefined ? {} : { startedAt }),
  ...(finishedAt === undefined ? {} : { finishedAt })
})
