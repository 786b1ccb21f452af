/** Steps that wait for a program with their executor. Source: execution-semantics 13.5; docs/executors/custom.md. */
import { pathOf } from '../actors/journal/recorded.ts'
import { everyNodeOf, planOf, runRecord } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import type { Finding } from './finding.ts'

// D141
export function* unsupportedSteps(store: Store): Generator<Finding> {
  for (const [name, dagRunId] of store.open.getKeys()) {
    const record = runRecord(store, { name, dagRunId })
    if (record?.status !== 'running') continue
    const plan = planOf(store, record.plan)?.plan
    for (const [place, { open, record: node }] of everyNodeOf(store, record)) {
      if (!open || pathOf(open.value) !== 'attempting.unsupported') continue
      const steps = [...(plan?.steps ?? []), ...Object.values(plan?.handlers ?? {})]
      const type = steps.find((step) => step.name === node.step)?.executor.type ?? 'unknown'
      yield {
        check: 'executors',
        severity: 'warning',
        message: `${typeof place === 'number' ? 'step' : 'handler'} ${node.step} of run ${dagRunId} of ${name} waits for a program that has the executor "${type}"`,
        mending: 'open the home with the application that registers it, and the step continues; or stop the run'
      }
    }
  }
}
