/**
 * The run that a command asks for, in all of them alike: `NAME` (its newest), `NAME:ID`, `NAME:latest`, or an id alone. An id may be
 * shortened to its beginning or its end. Our addition: docs/cli.md "An overview".
 */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Client, RunDetails, Step } from '../../client/index.ts'
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { CliContext } from '../context.ts'
import { LATEST, runOf, runsOf } from '../owner/known-runs.ts'
import { hasNoRuns, noSuchRun } from '../owner/no-runs.ts'
import type { OpenClient } from '../owner/opened.ts'
import { nodesOf } from '../view/nodes.ts'
import type { Arguments } from './command.ts'
import { dagNameOf } from './dag-name.ts'

/** Fewer characters than this are no part of an id, but a whole one. */
const LEAST_PART = 6
/** Runs with the part in their ids that are looked at. */
const MOST = 1_000
/** Runs, or steps, that an error names. */
const MOST_NAMED = 10

type Asked = Pick<Arguments, 'operand' | 'text'>

/** What stands before the colon, and the id. @throws TroupeError bad_request for two ids */
function partsOf({ operand, text: { 'run-id': flag } }: Asked): { word: string; id: string | undefined } {
  const [, word = operand, id] = /^(.+):([-\w]+)$/.exec(operand) ?? []
  if (id !== undefined && flag !== undefined && id !== flag)
    throw new TroupeError('bad_request', `wanted one run, found ${operand} and --run-id ${flag}`)
  return { word, id: id ?? flag }
}

/** Whether one run is asked for by its id, or a name for its newest. */
export const hasId = (asked: Asked): boolean => partsOf(asked).id !== undefined

// D433: a name means its newest run
/** Undefined: there is none. @throws TroupeError bad_request that names the runs, when several are meant */
export async function foundRun(
  asked: Asked,
  { cwd }: Pick<CliContext, 'cwd'>,
  client: OpenClient
): Promise<RunDetails | undefined> {
  const { api } = client
  const { word, id } = partsOf(asked)
  const name = await dagNameOf(word, client, { cwd, dagsDir: client.dagsDir })
  const run = await runOf(api, { name, ...(id === undefined ? {} : { dagRunId: id }) })
  if (run || id === LATEST) return run
  const key = id === undefined ? await runWithId(api, word) : await runWithId(api, id, name)
  return key && (await runOf(api, key))
}

/** The same. @throws TroupeError not_found that says what exists */
export async function requestedRun(asked: Asked, context: CliContext, client: OpenClient): Promise<RunDetails> {
  const run = await foundRun(asked, context, client)
  if (run) return run
  const { word, id } = partsOf(asked)
  const name = await dagNameOf(word, client, { cwd: context.cwd, dagsDir: client.dagsDir })
  const searched = { context, client }
  throw id === undefined || id === LATEST ? await hasNoRuns(name, searched) : await noSuchRun(name, id, searched)
}

/** One run, or for a name alone all of its runs: then there is no id. @throws TroupeError not_found */
export async function requestedRuns(
  asked: Asked,
  context: CliContext,
  client: OpenClient
): Promise<Pick<RunKey, 'name'> & Partial<RunKey>> {
  if (hasId(asked)) return keyOf(await requestedRun(asked, context, client))
  const name = await dagNameOf(asked.operand, client, { cwd: context.cwd, dagsDir: client.dagsDir })
  const isName = await runOf(client.api, { name })
  return (isName ? undefined : await runWithId(client.api, asked.operand)) ?? { name }
}

export const keyOf = ({ name, dagRunId }: RunKey): RunKey => ({ name, dagRunId })

// D1684: a part of an id is its beginning or its end
/** @param name of the run; absent: any. For the word `latest`, its newest. @throws TroupeError bad_request for several */
async function runWithId(api: Client, id: string, name?: string): Promise<RunKey | undefined> {
  if (id === LATEST) return (await runsOf(api, {}, 1))[0]
  if (!/^[-\w]+$/.test(id)) return undefined
  const near = await runsOf(api, { idContains: id, ...(name === undefined ? {} : { name }) }, MOST)
  const whole = near.filter(({ dagRunId }) => dagRunId === id)
  const isPart = whole.length === 0 && id.length >= LEAST_PART
  const found = isPart ? near.filter(({ dagRunId }) => dagRunId.startsWith(id) || dagRunId.endsWith(id)) : whole
  const [only, ...more] = found
  if (more.length === 0) return only && keyOf(only)
  const runs = found.slice(0, MOST_NAMED).map(({ name, dagRunId }) => `${name}:${dagRunId}`)
  const rest = found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : ''
  throw new TroupeError(
    'bad_request',
    `wanted one run, found ${found.length} whose id ${isPart ? 'begins or ends with' : 'is'} ${id}: ${runs.join(', ')}${rest}; name one of them`
  )
}

/**
 * The named step or handler of a run; of a step below a call, as in `build/compile`, the step that calls.
 * @throws TroupeError not_found that lists the steps
 */
export function stepNamed(input: string, run: RunDetails): Step {
  const steps = nodesOf(run).map(({ step }) => step)
  const exact = steps.find(({ name }) => name === input)
  if (exact) return exact
  const above = steps.find(
    ({ name, call }) => call !== undefined && /^[/#]/.test(input.slice(name.length)) && input.startsWith(name)
  )
  if (above) return above
  const names = steps.map(({ name }) => name)
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  const hint = didYouMean(input, names) || `; wanted one of ${names.slice(0, MOST_NAMED).join(', ')}${more}`
  throw new TroupeError(
    'not_found',
    `run ${run.dagRunId} of ${run.name} has no step or handler ${JSON.stringify(input)}${hint}`
  )
}
