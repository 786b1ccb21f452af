/** A run of Dagu and the runs below it, as the store keeps them. */
import type { Caller, RunKey } from '../../../../machines/vocabulary.ts'
import type { Config } from '../../../config.ts'
import { messageOf } from '../../../errors.ts'
import { runRecord } from '../../../store/history.ts'
import type { Store } from '../../../store/open.ts'
import type { Report } from '../../report.ts'
import type { Places } from '../places.ts'
import type { FoundAttempt, FoundRun } from './find.ts'
import { judged } from './judged.ts'
import { openLogs } from './logs.ts'
import { type Imported, imported, keyOf } from './record.ts'
import { openRunPlans, type RunPlan } from './run-plans.ts'

export interface MakingOptions {
  config: Pick<Config, 'logDir' | 'dagsDir'>
  places: Places
  /** The base file as it comes over. */
  base?: { text: string; path: string }
  withLogs: boolean
}

/** A root run and the runs below it. */
export function maker({ config, places, base, withLogs }: MakingOptions, store: Store | undefined) {
  const logs = openLogs(places.logs)
  const making = {
    logDir: config.logDir,
    planOf: openRunPlans({ sourceDir: config.dagsDir, ...(base ? { base } : {}) }),
    find: withLogs ? logs.find : () => undefined
  }
  const all = (found: FoundRun, report: Report): Imported[] => {
    const subs = new Map(
      found.subs.flatMap((sub) => (sub.attempts.length > 0 ? [[keyOf(sub).dagRunId, sub] as const] : []))
    )
    const rootKey = keyOf(found)
    const callers = callersIn(rootKey, found, subs, making.planOf)
    const kept = new Map<string, FoundRun>()
    // From the root down: what a run has called that does not come over does not either.
    for (const [id, { parent }] of [...callers].sort(([, a], [, b]) => a.depth - b.depth)) {
      const sub = subs.get(id)
      const isReached = parent.dagRunId === rootKey.dagRunId || kept.has(parent.dagRunId)
      if (sub && isReached && judged(undefined, sub) === 'new' && isFree(store, keyOf(sub), rootKey)) kept.set(id, sub)
    }
    for (const id of subs.keys())
      if (!kept.has(id))
        report.add({
          part: 'history',
          kind: 'left',
          what: `sub DAG run ${id} of run ${rootKey.dagRunId} of ${rootKey.name}`,
          text: callers.has(id)
            ? 'no run can have its name, its id or its status here, or another run has them'
            : 'no step of the run says that it called it',
          advice: 'its caller comes over without it'
        })
    const root = imported(found, making, { subs: kept })
    const below = Array.from(kept, ([id, sub]) => {
      const caller = callers.get(id)
      const called = caller && { caller, rootLog: root.run.record.log }
      return imported(sub, making, { subs: kept, ...(called ? { called } : {}) })
    })
    return [root, ...below]
  }
  /** None: it cannot come over, which is reported. */
  return (found: FoundRun, report: Report): Imported[] => {
    try {
      return all(found, report)
    } catch (error) {
      const { name, dagRunId } = keyOf(found)
      const what = `run ${dagRunId} of ${name}`
      report.add({ part: 'history', kind: 'left', what, text: messageOf(error), advice: 'it stays in Dagu' })
      return []
    }
  }
}

/** Whether no run has the key of a sub DAG run, except itself of an earlier import. */
function isFree(store: Store | undefined, key: RunKey, root: RunKey): boolean {
  if (key.name === root.name && key.dagRunId === root.dagRunId) return false
  const here = store && runRecord(store, key)
  return !here || (here.caller?.root.name === root.name && here.caller.root.dagRunId === root.dagRunId)
}

/** Which step called which run, from the root down. */
function callersIn(
  root: RunKey,
  found: FoundRun,
  subs: ReadonlyMap<string, FoundRun>,
  planOf: (attempt: FoundAttempt) => RunPlan
): Map<string, Caller> {
  const callers = new Map<string, Caller>()
  const visit = (run: FoundRun, depth: number) => {
    const parent = keyOf(run)
    run.attempts.forEach((attempt, index) => {
      const { workflow, steps } = planOf(attempt)
      attempt.status.nodes.forEach(({ name, children }, at) => {
        const step = workflow.plan.steps[steps[at] ?? at]?.name ?? name
        for (const { dagRunId } of children) {
          const sub = subs.get(dagRunId)
          if (!sub || callers.has(dagRunId)) continue
          callers.set(dagRunId, { root, parent, step, runAttempt: index + 1, attempt: 1, depth })
          visit(sub, depth + 1)
        }
      })
    })
  }
  visit(found, 1)
  return callers
}
