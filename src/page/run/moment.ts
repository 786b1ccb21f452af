/** What a run looks like at one moment, now or back then: one shape for all views of it. */
import {
  HANDLER_NAMES,
  type NodeInstant,
  type NodeLabel,
  type NodeShape,
  type RunDetails,
  type RunInstant,
  type RunLabel
} from '../answers.ts'
import { instant } from '../text.ts'

export interface NodeMoment {
  name: string
  isHandler: boolean
  label: NodeLabel
  /** Epoch ms. */
  startedAt?: number
  finishedAt?: number
  retryCount: number
  error: string
  /** As its run has it now: its definition does not change. */
  node: NodeShape
}

export interface Moment {
  label: RunLabel
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

/** @param news labels that are newer than the details */
export const present = (details: RunDetails, news: ReadonlyMap<string, NodeLabel>): Moment => ({
  label: details.statusLabel,
  nodes: nodesOf(details).map((known) => ({
    ...known,
    label: news.get(known.name) ?? known.node.statusLabel,
    ...span(instant(known.node.startedAt), instant(known.node.finishedAt)),
    retryCount: known.node.retryCount,
    error: known.node.error
  }))
})

/** Of the details only the definition is taken; all else is as of the instant. */
export function past(details: RunDetails, { statusLabel, happenedAtMs, nodes }: RunInstant): Moment {
  const then = new Map<string, NodeInstant>(nodes.map((node) => [node.step, node]))
  return {
    label: statusLabel,
    at: happenedAtMs ?? 0,
    nodes: nodesOf(details).map((known) => {
      const {
        statusLabel: label = 'not_started',
        startedAtMs,
        finishedAtMs,
        retryCount = 0,
        error = ''
      } = then.get(known.name) ?? {}
      return { ...known, label, ...span(startedAtMs ?? undefined, finishedAtMs ?? undefined), retryCount, error }
    })
  }
}

const span = (startedAt: number | undefined, finishedAt: number | undefined) => ({
  ...(startedAt === undefined ? {} : { startedAt }),
  ...(finishedAt === undefined ? {} : { finishedAt })
})
