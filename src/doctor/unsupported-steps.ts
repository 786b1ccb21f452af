/** Steps that wait for a program with their function or executor. Source: execution-semantics 13.5; docs/executors/custom.md. */
import type { MissingCode } from '../../machines/vocabulary.ts'
import { pathOf } from '../actors/journal/recorded.ts'
import { everyNodeOf, planOf, runRecord } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import type { Finding } from './finding.ts'

/** The second one is that of earlier releases. */
const WAITING: ReadonlySet<string> = new Set(['missing', 'attempting.unsupported'])

// D141: a program without an application's executors does not fail its steps
export function* unsupportedSteps(store: Store): Generator<Finding> {
  for (const [name, dagRunId] of store.open.getKeys()) {
    const record = runRecord(store, { name, dagRunId })
    if (record?.status !== 'running') continue
    const plan = planOf(store, record.plan)?.plan
    for (const [place, { open, record: node }] of everyNodeOf(store, record)) {
      if (!open || !WAITING.has(pathOf(open.value))) continue
      const { missing }: { missing?: MissingCode } = open.context
      const steps = [...(plan?.steps ?? []), ...Object.values(plan?.handlers ?? {})]
      const code = missing ?? {
        kind: 'executor',
        name: steps.find((step) => step.name === node.step)?.executor.type ?? 'unknown',
        step: node.step
      }
      const what = `${typeof place === 'number' ? 'step' : 'handler'} ${node.step} of run ${dagRunId} of ${name}`
      const whose = code.step === node.step ? '' : `, which ${code.step} needs`
      yield {
        check: 'executors',
        severity: 'warning',
        message: `${what} waits for a program that has the ${code.kind} "${code.name}"${whose}`,
        mending: 'open the home with the application that registers it, and the step continues; or stop the run'
      }
    }
  }
}
