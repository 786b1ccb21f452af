/** From a signal for a step to its run: which step, whether its payload fits, and what becomes of it. Source: embedding 2.5. */
import { awaitsSignal } from '../../machines/policy/waits.ts'
import type { Plan, RunRecord, Step } from '../../machines/vocabulary.ts'
import type { System } from '../actors/root/system.ts'
import type { Clock } from '../clock.ts'
import { exactJson, exactText, withDigits } from '../definition/text/exact-json.ts'
import type { CodeDag } from '../definitions/code-dag.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { fitPayload } from '../definitions/text-thread.ts'
import { messageOf, SignalRefused, TroupeError } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import { isActive } from '../store/commit.ts'
import { subRunOf } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import type { SignalOptions, SignalStep } from './engine.ts'
import { codeOf } from './start/code-params.ts'
import { recordOf, workflowOf } from './views/run-view.ts'

// D1079: a payload has at most 256 KiB as JSON, a schema 64 KiB
/** Bytes of a payload as JSON. */
const MAX_PAYLOAD = 256 * 1024
const MAX_NOTE = 2_000
const MAX_NAME = 200

interface Parts {
  store: Store
  system: Pick<System, 'signal'>
  clock: Clock
  definitions: Pick<Definitions, 'code'>
}

/** Resolves when it is durable. @throws SignalRefused */
export async function giveSignal(
  { store, system, clock, definitions }: Parts,
  target: SignalStep,
  payload: unknown,
  { by, id }: SignalOptions = {}
): Promise<void> {
  const { record, step, plan } = stepOf(store, target)
  const of = `step ${step.name} of run ${record.dagRunId} of ${record.name}`
  for (const [name, text] of Object.entries({ by, id }))
    if (text !== undefined && (text === '' || text.length > MAX_NAME))
      throw new SignalRefused('bad_request', `${name}: wanted a text of 1 to ${MAX_NAME} characters`)
  if (record.status === 'queued') throw new SignalRefused('not_running', `${of} takes no signal yet: its run is queued`)
  if (!isActive(record)) return answerEnded(record, step, id, of)
  const text = await fitting(step, payload, { clock, code: codeOf(definitions, plan) })
  const refusal = step.wait?.kind === 'approval' ? refusalIn(payload) : undefined
  const fate = await system.signal(record, {
    step: step.name,
    payload: text,
    ...(by === undefined ? {} : { by }),
    ...(id === undefined ? {} : { id }),
    ...(refusal === undefined ? {} : { refusal })
  })
  if (fate === 'given') throw alreadyGiven(of)
  if (fate === 'unready')
    throw new SignalRefused(
      'not_running',
      `${of} takes no signal yet: its run waits before its secrets are known, which the payload may hold`
    )
  if (fate !== 'ended') return
  const now = recordOf(store, record)
  if (now && !isActive(now)) return answerEnded(now, step, id, of)
  throw new SignalRefused('ended', `${of} waits for no signal any more`)
}

const alreadyGiven = (of: string) => new SignalRefused('already_given', `${of} has got its signal already`)

/** A run that has ended still knows the signals that it got. */
function answerEnded({ given, status }: RunRecord, { name }: Step, id: string | undefined, of: string): void {
  const before = given && Object.hasOwn(given, name) ? given[name] : undefined
  if (before && id !== undefined && before.id === id) return
  if (before) throw alreadyGiven(of)
  throw new SignalRefused('ended', `${of} waits for no signal any more: its run is ${status}`)
}

function stepOf(
  store: Store,
  { name, dagRunId, subRunId, step }: SignalStep
): {
  record: RunRecord
  step: Step
  plan: Plan
} {
  const root = dagRunId === 'latest' ? undefined : recordOf(store, { name, dagRunId })
  if (!root) throw new SignalRefused('not_found', `there is no run ${dagRunId} of ${name}`)
  const sub = subRunId === undefined ? undefined : subRunOf(store, root, subRunId)
  const record = subRunId === undefined ? root : sub && recordOf(store, sub)
  if (!record) throw new SignalRefused('not_found', `run ${dagRunId} of ${name} has no sub DAG run ${subRunId}`)
  const { plan } = workflowOf(store, record, 'has no steps that could get a signal')
  const found = plan.steps.find((one) => one.name === step || one.id === step)
  if (!found) {
    const names = plan.steps.filter(awaitsSignal).map(({ name }) => name)
    throw new SignalRefused(
      'not_found',
      `run ${record.dagRunId} of ${record.name} has no step "${step}"${didYouMean(step, names)}`
    )
  }
  if (awaitsSignal(found)) return { record, step: found, plan }
  throw new SignalRefused(
    'bad_request',
    `step ${found.name} waits for no signal: it is a step of the type ${found.executor.type}`
  )
}

/** The payload as JSON, completed by the defaults of its schema. @throws SignalRefused bad_request with all that is wrong */
async function fitting(
  { name, wait }: Step,
  payload: unknown,
  { clock, code }: { clock: Clock; code: CodeDag | undefined }
): Promise<string> {
  const invalid = (issues: string[]) =>
    new SignalRefused('bad_request', `the payload for step ${name} is not valid: ${issues.join('; ')}`, issues)
  const text = exactText(payload ?? null)
  if (Buffer.byteLength(text) > MAX_PAYLOAD) throw invalid([`is larger than ${MAX_PAYLOAD / 1024} KiB as JSON`])
  if (wait?.kind === 'approval') {
    const issues = approvalIssues(payload)
    if (issues.length > 0) throw invalid(issues)
  }
  // The schema of the code says more than that of the text, which was made of it.
  const fitted = code && wait?.kind === 'signal' ? await fittedByCode(code, name, payload, text, invalid) : undefined
  if (fitted !== undefined) return fitted
  if (!wait?.payloadSchema) return text
  const { payload: completed, faults } = await fitPayload(JSON.stringify(wait.payloadSchema), text, clock)
  if (faults.length > 0) throw invalid(faults.map(({ path, reason }) => `${path}: ${reason}`))
  return completed
}

/** @throws what `invalid` makes of its issues */
async function fittedByCode(
  code: CodeDag,
  step: string,
  payload: unknown,
  text: string,
  invalid: (issues: string[]) => SignalRefused
): Promise<string | undefined> {
  try {
    // Numbers that keep their digits are no numbers to a schema in code.
    const fitted = await code.fitPayload(step, JSON.stringify(payload) === text ? payload : JSON.parse(text))
    return fitted === undefined ? undefined : exactText(withDigits(fitted, exactJson(text)))
  } catch (error) {
    const { errors } = (error instanceof TroupeError ? error.details : undefined) ?? {}
    throw invalid(Array.isArray(errors) ? errors.map(String) : [messageOf(error)])
  }
}

interface Answer {
  approved?: unknown
  note?: unknown
}

// D1082: an `approval` has the same output as its payload
function approvalIssues(payload: unknown): string[] {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
    return ['wanted {"approved": true or false, "note": "a text, or nothing"}']
  const { approved, note, ...others }: Answer & Record<string, unknown> = { ...payload }
  const issues: string[] = []
  if (typeof approved !== 'boolean') issues.push('approved: wanted true or false')
  if (note !== undefined && (typeof note !== 'string' || note.length > MAX_NOTE))
    issues.push(`note: wanted a text of at most ${MAX_NOTE} characters`)
  for (const name of Object.keys(others).slice(0, 10)) issues.push(`${JSON.stringify(name)}: there is no such member`)
  return issues
}

/** The note of a refusal; undefined: it is approved. */
function refusalIn(payload: unknown): string | undefined {
  const { approved, note = '' }: Answer = Object(payload)
  return approved === true ? undefined : String(note)
}
