/** The result of a step that calls a sub workflow: JSON on its stdout. Source: execution-semantics 9.3, 9.4.9. */
import { appendFile, open } from 'node:fs/promises'
import type { CallFacts, ReportInput } from '../../../machines/call.ts'
import type { Json, RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import { paramsText } from '../../definition/dag/params.ts'
import { exactJson, exactText } from '../../definition/text/exact-json.ts'
import { isUnreadable } from '../../store/damage/damaged.ts'
import { unreadableSteps } from '../../store/damage/unreadable.ts'
import { nodesOf, planOf, runRecord } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import { resultOfRun, resultOfStep } from '../../store/step-result.ts'
import type { Services } from '../root/services.ts'
import { nodeFiles } from '../run/log-names.ts'
import { withLogFolder } from '../run/removed-logs.ts'
import { captureOutput, looksForMatch, matchesLog, tooLarge } from '../step/attempt-output.ts'
import { copiesOf, surroundingsOf } from '../step/prepare-step.ts'

/** One sub DAG run, as its caller's log shows it. */
interface SubResult {
  name: string
  dagRunId: string
  params?: string
  outputs: Record<string, string>
  /** The result of the sub run, where its definition says what that is. */
  result?: Json
  status: string
}

/**
 * Writes the result, and returns what the node needs to know.
 * @param stopped aborts when a full disk must not be waited for any longer
 * @throws Error when a log cannot be written, or an output cannot be read
 */
export async function reportCall(
  services: Services,
  store: Store,
  input: ReportInput,
  signal: AbortSignal,
  stopped: AbortSignal
): Promise<CallFacts> {
  const { scope, step, view, workingDir } = await surroundingsOf(services, input, { signal })
  const { stdout } = nodeFiles(scope.nodeLogs, step.name)
  const named = outputsNamed(store)
  const results = input.items.flatMap(
    (item) => resultOf(store, item, named) ?? (input.answers?.items ? unstarted(item) : [])
  )
  const result = exactText(input.parallel ? summaryOf(input, results) : results[0], 2)
  const text = scope.secrets.mask(`${result}\n`)
  let { offset } = input
  if (results.length > 0 || input.answers?.items) {
    const abandoned = { signal: stopped }
    await withLogFolder(services, scope, abandoned)
    offset = await services.diskSpace.take(() => writeAt(stdout, input.offset, text), abandoned)
    const { stdout: copy, both } = (await copiesOf(services, step, view, workingDir, stdout)) ?? {}
    for (const path of [copy, both]) if (path) await appendFile(path, text, { mode: 0o600 })
  }
  const facts: CallFacts = {}
  const { maxOutputSize } = scope.plan
  const captured = step.output === undefined ? {} : await captureOutput(stdout, offset, maxOutputSize, scope.secrets)
  if (looksForMatch(step, input.failed || !captured))
    facts.outputMatched = await matchesLog(stdout, offset, step.continueOn.outputs, maxOutputSize)
  return { ...facts, ...(captured ?? { error: tooLarge(maxOutputSize) }) }
}

/** Keeps its place in the list of results. */
const unstarted = ({ name, dagRunId }: RunKey): SubResult => ({ name, dagRunId, outputs: {}, status: 'not_started' })

/** Undefined: it never started. */
function resultOf(store: Store, item: RunKey, named: ReturnType<typeof outputsNamed>): SubResult | undefined {
  const record = runRecord(store, item)
  if (!record) return undefined
  const params = paramsText(record.params)
  const { name, dagRunId, status } = record
  return {
    name,
    dagRunId,
    ...(params ? { params } : {}),
    outputs: outputsOf(store, record, named(record.plan)),
    ...resultIn(store, record),
    status
  }
}

/** @throws TroupeError service_unavailable: a step cannot be read */
function resultIn(store: Store, run: RunRecord): Pick<SubResult, 'result'> {
  const plan = planOf(store, run.plan)?.plan
  if (plan?.result === undefined) return {}
  const nodes = nodesOf(store, run)
  const result = resultOfRun(plan, (name) => {
    const place = plan.steps.findIndex((step) => step.name === name)
    const step = plan.steps[place]
    const record = nodes.get(place)?.record
    if (record && isUnreadable(record)) throw unreadableSteps(run, [`step ${place + 1}`])
    return step ? resultOfStep(step, record, exactJson) : null
  })
  return result === undefined ? {} : { result }
}

/** Output variables of the steps of a plan, by place. Cached, because all items run the same plan, or one of a few. */
function outputsNamed(store: Store): (plan: string) => [number, string][] {
  const known = new Map<string, [number, string][]>()
  return (hash) => {
    const steps = () => planOf(store, hash)?.plan.steps ?? []
    const found =
      known.get(hash) ??
      steps().flatMap(({ output }, index): [number, string][] => (output === undefined ? [] : [[index, output]]))
    known.set(hash, found)
    return found
  }
}

/** Output variables of all its nodes; a later node wins. @throws TroupeError service_unavailable: one cannot be read */
function outputsOf(store: Store, run: RunRecord, named: [number, string][]): Record<string, string> {
  const outputs: Record<string, string> = Object.create(null)
  if (named.length === 0) return outputs // nothing to read
  const nodes = nodesOf(store, run)
  for (const [index, output] of named) {
    const record = nodes.get(index)?.record
    if (record && isUnreadable(record)) throw unreadableSteps(run, [`step ${index + 1}`])
    const value = record?.output
    if (value !== undefined) outputs[output] = value
  }
  return outputs
}

const summaryOf = ({ total, tally }: ReportInput, results: SubResult[]) => ({
  summary: { total, succeeded: tally.succeeded + tally.partiallySucceeded, failed: tally.failed },
  results,
  outputs: results.filter(({ status }) => SUCCESSES.has(status)).map(({ outputs }) => outputs)
})
const SUCCESSES = new Set(['succeeded', 'partially_succeeded'])

/** Truncates what an engine that died had written from there on. @returns the offset: a log that was removed is shorter */
async function writeAt(path: string, offset: number, text: string): Promise<number> {
  const file = await open(path, 'a', 0o600)
  try {
    const place = Math.min(offset, (await file.stat()).size)
    await file.truncate(place)
    await file.appendFile(text) // all or nothing: `write` may write only what fits
    return place
  } finally {
    await file.close()
  }
}
