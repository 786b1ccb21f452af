/** How often each step of a DAG was executed and failed, and how long it took. Source: http-api "Definitions" (statistics). */
import type { Awaits, NodeStatus, RunStatus } from '../../../machines/vocabulary.ts'
import type { HandlerView, RunView } from '../engine.ts'

export interface Durations {
  /** Executions that ended by themselves: neither skipped nor canceled. */
  count: number
  failures: number
  /** Half of the executions, and 95 of 100, took at most so long. Absent: there was none. */
  p50Ms?: number
  p95Ms?: number
  /** Duration of the newest of these runs that has one. */
  latestMs?: number
}

export interface Statistics {
  runs: Durations
  /** In the order of the newest definition; then those that only earlier ones have. */
  steps: (Durations & { name: string })[]
}

export interface PastRun {
  dagRunId: string
  status: RunStatus
  /** As `Engine.awaitedBy`. */
  awaited: Awaits | undefined
  /** Epoch ms. */
  createdAt: number
  /** Absent: it has not ended, or never began. */
  ms?: number
  /** In the order of the steps of the statistics; null: this run has no such step. */
  steps: (PastStep | null)[]
}
interface PastStep {
  status: NodeStatus
  /** What it waits for outside itself, not in what it has called. */
  awaited: Awaits | undefined
  ms?: number
}

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'partially_succeeded', 'failed'])

interface Seen {
  failures: number
  durations: number[]
}

/** Add the runs newest first. */
export function statistics(): { add(view: RunView): void; result(): Statistics; history(): PastRun[] } {
  const runs: Seen = { failures: 0, durations: [] }
  const steps = new Map<string, Seen>()
  const past: (Omit<PastRun, 'steps'> & { byName: Map<string, PastStep> })[] = []

  function note(seen: Seen, what: { status: string; startedAt?: number; finishedAt?: number }): void {
    const { status, startedAt, finishedAt } = what
    if (!ENDED.has(status) || startedAt === undefined || finishedAt === undefined) return
    if (status === 'failed') seen.failures++
    seen.durations.push(Math.max(0, finishedAt - startedAt))
  }

  return {
    add({ run, awaited, nodes }) {
      const { dagRunId, status, createdAt } = run
      const byName = new Map(
        nodes.map(({ step, node, wait }) => [
          step.name,
          { status: node.status, awaited: outside(wait), ...lasted(node) }
        ])
      )
      past.push({ dagRunId, status, awaited, createdAt, ...lasted(run), byName })
      note(runs, run)
      for (const { step, node } of nodes) {
        const seen = steps.get(step.name) ?? { failures: 0, durations: [] }
        steps.set(step.name, seen)
        note(seen, node)
      }
    },
    result: () => ({
      runs: durationsOf(runs),
      steps: Array.from(steps, ([name, seen]) => ({ name, ...durationsOf(seen) }))
    }),
    history: () =>
      past.map(({ byName, ...run }) => ({
        ...run,
        steps: Array.from(steps.keys(), (name) => byName.get(name) ?? null)
      }))
  }
}

/** A retry and a repetition are the step's own. */
const outside = (wait: HandlerView['wait']): Awaits | undefined =>
  wait === undefined || wait.for === 'retry' || wait.for === 'repeat'
    ? undefined
    : { for: wait.for, ...(wait.until === undefined ? {} : { until: wait.until }) }

const lasted = ({ startedAt, finishedAt }: { startedAt?: number; finishedAt?: number }): { ms?: number } =>
  startedAt === undefined || finishedAt === undefined ? {} : { ms: Math.max(0, finishedAt - startedAt) }

function durationsOf({ failures, durations }: Seen): Durations {
  const [latestMs] = durations
  const sorted = durations.toSorted((a, b) => a - b)
  /** By nearest rank. */
  const percentile = (percent: number) => sorted[Math.ceil((percent / 100) * sorted.length) - 1]
  const [p50Ms, p95Ms] = [percentile(50), percentile(95)]
  return {
    count: durations.length,
    failures,
    ...(p50Ms === undefined || p95Ms === undefined || latestMs === undefined ? {} : { p50Ms, p95Ms, latestMs })
  }
}
