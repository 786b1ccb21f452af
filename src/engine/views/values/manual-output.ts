/** The output of a step that is set by hand: checked and masked like one that the step itself has written. Source: docs/http-api.md "Running again". */
import type { NodeRecord, Plan, RunRecord, Step } from '../../../../machines/vocabulary.ts'
import { tooLarge } from '../../../actors/step/attempt-output.ts'
import type { Config } from '../../../config.ts'
import { TroupeError } from '../../../errors.ts'
import { secretsOf } from '../../../masking/secrets.ts'
import type { Store } from '../../../store/open.ts'
import type { SettableStatus } from '../../engine.ts'
import { recordOf, workflowOf } from '../run-view.ts'
import { hiddenIn, isRead } from './hidden.ts'

/** Their output is read as JSON by those who use the result of the step. */
const IN_JSON: ReadonlySet<string> = new Set(['function', 'dag', 'signal', 'approval'])
/** Text that is expanded for variables of the definition. */
const MOST_EXPANDED = 1_000_000

/** @throws TroupeError bad_request: the step captures nothing, or not this */
export async function manualOutput(
  { store, config }: { store: Store; config: Config },
  { record, step, plan }: { record: RunRecord; step: Step; plan: Plan },
  status: SettableStatus,
  written: string
): Promise<Pick<NodeRecord, 'output' | 'outputMarks'>> {
  const output = written.trim()
  const refused = (why: string) => new TroupeError('bad_request', `output: ${why}`)
  if (status !== 'succeeded') throw refused(`wanted with the status succeeded (4), found ${status}`)
  if (step.output === undefined && step.executor.type !== 'function')
    throw refused(`step ${step.name} captures none: it is no function, and its definition has no \`output\``)
  if (Buffer.byteLength(output) > plan.maxOutputSize) throw refused(tooLarge(plan.maxOutputSize))
  if (IN_JSON.has(step.executor.type) && !isJson(output)) throw refused(`wanted JSON, as step ${step.name} has it`)
  const { text, marks } = (await secretsAround(store, config, record)).cover(output)
  return { output: text, ...(marks.length > 0 ? { outputMarks: marks } : {}) }

  /** Secrets of the run and of those that called it: a step may have been given any of them. */
  async function secretsAround(store: Store, config: Config, record: RunRecord) {
    const values: Record<string, string> = {}
    for (let one: RunRecord | undefined = record; one; one = one.caller && recordOf(store, one.caller.parent)) {
      const { plan } = workflowOf(store, one, 'has no secrets that could be masked')
      const unknown = plan.secrets.filter((secret) => one?.placement !== undefined || !isRead(secret))
      // D1792: what cannot be masked is not stored
      if (unknown.length > 0)
        throw refused(
          `it could not be masked, as ${unknown.map(({ name }) => name).join(', ')} of ${one.name} is known to its runs only; set the status alone`
        )
      const { secrets } = await hiddenIn(plan, one, config, { left: MOST_EXPANDED })
      Object.assign(values, { ...secrets.values, ...values })
    }
    return secretsOf(values)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
