/** What becomes of open runs in a restored home: their work of then is at work nowhere now. Source: reliability T5, P10. */
import type { RunKey, RunRecord } from '../../machines/vocabulary.ts'
import { nodeFiles } from '../actors/run/log-names.ts'
import { latestExecution, latestRecord } from '../executors/processes/state-file.ts'
import { nodesOf, planOf, runRecord } from '../store/history.ts'
import { openStore, type Store } from '../store/open.ts'

export interface OpenRun extends RunKey {
  /**
   * `queued`: it waits in its queue; `continues`: nothing of it was at work, or how that ended is on record; `reruns`: a step is executed
   * again (`onInterrupt: rerun`); `unknown`: a step fails, because nobody knows how it ended.
   */
  how: 'queued' | 'continues' | 'reruns' | 'unknown'
  /** The step that is executed again, or fails. */
  step?: string
}

// D1624: a restore says what becomes of the runs that were open
/** The root runs that are open, with what their next engine does. */
export async function openRuns(dataDir: string): Promise<OpenRun[]> {
  const store = openStore(dataDir, { readOnly: true })
  try {
    const found = new Map<string, OpenRun>()
    for (const [name, dagRunId] of store.open.getKeys()) {
      const record = runRecord(store, { name, dagRunId })
      if (!record) continue
      const root = record.caller?.root ?? { name, dagRunId }
      const key = `${root.name}/${root.dagRunId}`
      const next = { ...fateOf(store, record), name: root.name, dagRunId: root.dagRunId }
      const known = found.get(key)
      if (!known || WORSE.indexOf(next.how) > WORSE.indexOf(known.how)) found.set(key, next)
    }
    return [...found.values()]
  } finally {
    await store.root.close()
  }
}

/** Fates from good to bad: a root run has the worst of its sub runs. */
const WORSE: readonly OpenRun['how'][] = ['queued', 'continues', 'reruns', 'unknown']

function fateOf(store: Store, { status, nodeLogs, plan: hash, ...key }: RunRecord): Pick<OpenRun, 'how' | 'step'> {
  if (status === 'queued') return { how: 'queued' }
  const plan = planOf(store, hash)?.plan
  const steps = new Map(
    [...(plan?.steps ?? []), ...Object.values(plan?.handlers ?? {})].map((step) => [step.name, step])
  )
  let again: string | undefined
  for (const { record } of nodesOf(store, key).values()) {
    if (record.status !== 'running' || !isInterrupted(nodeLogs, record.step)) continue
    if ((steps.get(record.step)?.onInterrupt ?? plan?.onInterrupt) !== 'rerun')
      return { how: 'unknown', step: record.step }
    again ??= record.step
  }
  return again === undefined ? { how: 'continues' } : { how: 'reruns', step: again }
}

/** Whether the step's latest execution had begun, and its end is not on record. */
function isInterrupted(nodeLogs: string, step: string): boolean {
  const { state } = nodeFiles(nodeLogs, step)
  const latest = latestExecution(state)
  return latest !== undefined && latestRecord(state(latest)).record.found.state === 'unknown'
}
