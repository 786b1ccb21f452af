/** The run that a command asks for: by the name of its DAG, with or without an id, or by its id alone; `latest` is the newest. */
import type { RunDetails, Step } from '../../client/index.ts'
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { CliContext } from '../context.ts'
import { LATEST, runOf, runsOf } from '../owner/known-runs.ts'
import { hasNoRuns, noSuchRun, type Searched } from '../owner/no-runs.ts'
import type { OpenClient } from '../owner/opened.ts'
import { nodesOf } from '../view/nodes.ts'
import type { Arguments } from './command.ts'
import { dagNameOf } from './dag-name.ts'

/** Names of which runs with the same id are looked at. */
const FEW = 5

// D433: `logs NAME` means the newest run
/** @param operand a definition, a DAG name, or the id of a run @throws TroupeError not_found that says what exists */
export async function requestedRun(
  { operand, text }: Arguments,
  context: CliContext,
  client: OpenClient
): Promise<RunDetails> {
  const searched = { context, client }
  const { api } = client
  const input = text['run-id']
  const name = await dagNameOf(operand, client, { cwd: context.cwd, dagsDir: client.dagsDir })
  const run = await runOf(api, { name, ...(input === undefined ? {} : { dagRunId: input }) })
  if (run) return run
  if (input !== undefined && input !== LATEST) throw await noSuchRun(name, input, searched)
  // Without a name, `latest` is the newest run there is.
  const [newest] = name === LATEST ? await runsOf(api, {}, 1) : []
  const found = newest
    ? [newest]
    : (await runsOf(api, { idContains: name }, FEW)).filter((run) => run.dagRunId === name)
  const [only, ...more] = found
  if (more.length > 0) {
    const names = found.map((key) => key.name).join(', ')
    throw new TroupeError(
      'bad_request',
      `runs of several names have the id ${name}: ${names}; wanted NAME --run-id ${name}`
    )
  }
  const byId = only && (await runOf(api, only))
  if (byId) return byId
  throw await hasNoRuns(name, searched)
}

/** The id itself; for `latest` that of the newest run of the name. @throws TroupeError not_found */
export async function idOf(name: string, input: string, searched: Searched): Promise<string> {
  if (input !== LATEST) return input
  const newest = await runOf(searched.client.api, { name })
  if (newest) return newest.dagRunId
  throw await hasNoRuns(name, searched)
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

const MOST_NAMED = 10
