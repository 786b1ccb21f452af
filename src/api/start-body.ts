/** What a client may say when it starts a run. Source: http-api "Starting and queueing", "Runs (global)"; api-semantics 4.1, 4.6. */
import type { ParameterizedContext } from 'koa'
import type { StartRequest } from '../engine.ts'
import { TroupeError } from '../errors.ts'
import { type Body, readBody } from './body.ts'
import { refuse } from './error-body.ts'
import { nameProblem, runIdProblem } from './names.ts'

const FIELDS = { params: 'string', dagRunId: 'string', singleton: 'boolean', dryRun: 'boolean' } as const

const QUEUE = { queue: 'string' } as const
const NO_QUEUE = {} as typeof QUEUE // it is not asked for, so it is never there

/** An enqueue may name the queue to wait in; a start may not. */
export type Way = 'start' | 'enqueue'

/** Body of a start or enqueue of a definition. Empty names and ids count as absent. @throws TroupeError bad_request */
export async function startBody(ctx: ParameterizedContext, way: Way = 'start'): Promise<StartRequest> {
  const body = await readBody(ctx, { ...FIELDS, dagName: 'string', ...(way === 'enqueue' ? QUEUE : NO_QUEUE) })
  const dagName = body.dagName?.trim() ?? ''
  const queue = queueIn(body)
  refuse([dagName === '' ? undefined : nameProblem('dagName', dagName), queueProblem(queue), ...runProblems(body)])
  return { ...runFields(body), ...(dagName === '' ? {} : { dagName }), ...(queue === '' ? {} : { queue }) }
}

/** Body of a start or enqueue of an inline spec. @throws TroupeError bad_request */
export async function inlineBody(ctx: ParameterizedContext, way: Way = 'start'): Promise<StartRequest> {
  const read = await readBody(ctx, {
    ...FIELDS,
    spec: 'string',
    name: 'string',
    ...(way === 'enqueue' ? QUEUE : NO_QUEUE)
  })
  const { spec, name = '', ...body } = read
  if (spec === undefined || spec.trim() === '') throw new TroupeError('bad_request', "field 'spec': required")
  const queue = queueIn(body)
  refuse([name === '' ? undefined : nameProblem('name', name), queueProblem(queue), ...runProblems(body)])
  return { ...runFields(body), spec, ...(name === '' ? {} : { name }), ...(queue === '' ? {} : { queue }) }
}

const queueIn = ({ queue = '' }: { queue?: string }) => queue.trim()
/** Names of queues follow the rules of DAG names. Source: execution-semantics 12.1. */
const queueProblem = (queue: string) => (queue === '' ? undefined : nameProblem('queue', queue))

type RunBody = Body<typeof FIELDS>

const runProblems = ({ dagRunId = '' }: RunBody) => [dagRunId === '' ? undefined : runIdProblem('dagRunId', dagRunId)]

const runFields = ({ params, dagRunId = '', singleton, dryRun }: RunBody): StartRequest => ({
  ...(params === undefined ? {} : { params }),
  ...(dagRunId === '' ? {} : { dagRunId }),
  ...(singleton === undefined ? {} : { singleton }),
  ...(dryRun === undefined ? {} : { dryRun })
})
