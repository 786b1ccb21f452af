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

/**
 * Of the details only the definition is taken; all else is as of the instant.
 * @param news labels that are newer than the instant
 */
export function momentOf(
  details: RunDetails,
  { statusLabel, nodes }: RunInstant,
  news: ReadonlyMap<string, NodeLabel>
): Moment {
  const then = new Map<string, NodeInstant>(nodes.map((node) => [node.step, node]))
  return {
    label: statusLabel,
    nodes: nodesOf(details).map((known) => {
      const found = then.get(known.name)
      return {
        ...known,
        label: news.get(known.name) ?? found?.statusLabel ?? 'not_started',
        ...span(found?.startedAtMs ?? undefined, found?.finishedAtMs ?? undefined),
        retryCount: found?.retryCount ?? 0,
        error: found?.error ?? ''
      }
    })
  }
}

const span = (startedAt: number | undefined, finishedAt: number | undefined) => ({
  ...(startedAt === undefined ? {} : { startedAt }),
  ...(finishedAt === undefined ? {} : { finishedAt })
})
