/**
 * The engine's and the queues' charts as the simulation opens them: it listens to what they decide, one decision after
 * the other, and may plant a bug in a guard or an action. For as long as a seed is played; then they are as they were.
 */
import { engineMachine } from '../../machines/engine.ts'
import { queueMachine } from '../../machines/queue.ts'
import { schedulerMachine } from '../../machines/scheduler.ts'
import type { RunKey } from '../../machines/vocabulary.ts'

/** What the engine chart has decided about a root run; `asked`: its request is taken up, and is decided next. */
export type Decided = 'asked' | 'admitted' | 'queued' | 'dispatched' | 'gone' | 'found'

export interface Charts {
  engine: Parts
  queue: Parts
  scheduler: Parts
}
/** Of a guard or action, only what is called. */
type Called = (args: unknown, params: never) => unknown
export interface Parts {
  guards: Record<string, Called>
  actions: Record<string, Called>
}

/** The params of an action about a run. After a restart several runs get their slots back at once. */
type Noted = { key: RunKey; queue?: string; state?: string }

const partsOf = (machine: { implementations: unknown }) => machine.implementations as Parts

/** @param onDecision called with each decision. @returns a function that restores everything */
export function openCharts(
  onDecision: (decided: Decided, key: RunKey, queue?: string, state?: string) => void,
  plant: (charts: Charts) => void
): () => void {
  const charts = { engine: partsOf(engineMachine), queue: partsOf(queueMachine), scheduler: partsOf(schedulerMachine) }
  const before = Object.values(charts).map((parts) => ({
    parts,
    guards: { ...parts.guards },
    actions: { ...parts.actions }
  }))
  const listen = (name: string, decided: Decided) => {
    const inner = charts.engine.actions[name]
    if (!inner) throw new Error(`the engine chart has no action named ${name}`)
    charts.engine.actions[name] = (args, params: never) => {
      inner(args, params)
      const { runs, ...one } = params as Noted & { runs?: Noted[] }
      for (const { key, queue, state } of runs?.map((run) => ({ ...run, state: 'running' })) ?? [one])
        onDecision(decided, key, queue, state)
    }
  }
  plant(charts)
  listen('keepRequest', 'asked')
  listen('noteAdmitted', 'admitted')
  listen('noteQueued', 'queued')
  listen('noteDispatched', 'dispatched')
  listen('noteGone', 'gone')
  listen('noteFound', 'found')
  listen('noteHolders', 'found')
  return () => {
    for (const { parts, guards, actions } of before) {
      Object.assign(parts.guards, guards)
      Object.assign(parts.actions, actions)
    }
  }
}
