/** What a client may say when it starts a run. Source: http-api "Starting and queueing", "Runs (global)"; api-semantics 4.1, 4.6. */
import type { ParameterizedContext } from 'koa'
import type { StartRequest } from '../engine.ts'
import { TroupeError } from '../errors.ts'
import { type Body, readBody } from './body.ts'
import { refuse } from './error-body.ts'
import { nameProblem, runIdProblem } from './names.ts'

const FIELDS = { params: 'string', dagRunId: 'string', singleton: 'boolean', dryRun: 'boolean' } as const

/** Body of a start from a definition. Empty names and ids count as absent. @throws TroupeError bad_request */
export async function startBody(ctx: ParameterizedContext): Promise<StartRequest> {
  const body = await readBody(ctx, { ...FIELDS, dagName: 'string' })
  const dagName = body.dagName?.trim() ?? ''
  refuse([dagName === '' ? undefined : nameProblem('dagName', dagName), ...runProblems(body)])
  return { ...runFields(body), ...(dagName === '' ? {} : { dagName }) }
}

/** Body of a start from an inline spec. @throws TroupeError bad_request */
export async function inlineBody(ctx: ParameterizedContext): Promise<StartRequest> {
  const { spec, name = '', ...body } = await readBody(ctx, { ...FIELDS, spec: 'string', name: 'string' })
  if (spec === undefined || spec.trim() === '') throw new TroupeError('bad_request', "field 'spec': required")
  refuse([name === '' ? undefined : nameProblem('name', name), ...runProblems(body)])
  return { ...runFields(body), spec, ...(name === '' ? {} : { name }) }
}

type RunBody = Body<typeof FIELDS>

const runProblems = ({ dagRunId = '' }: RunBody) => [dagRunId === '' ? undefined : runIdProblem('dagRunId', dagRunId)]

const runFields = ({ params, dagRunId = '', singleton, dryRun }: RunBody): StartRequest => ({
  ...(params === undefined ? {} : { params }),
  ...(dagRunId === '' ? {} : { dagRunId }),
  ...(singleton === undefined ? {} : { singleton }),
  ...(dryRun === undefined ? {} : { dryRun })
})
