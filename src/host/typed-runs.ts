/** Runs of definitions in code: started with typed params, watched through a typed handle. Source: docs/embedding/README.md. */
import { notJsonAt } from '../builder/fit-params.ts'
import { type Inside, insideOf, isFromElsewhere } from '../builder/inside.ts'
import type { Run, StartOptions, TypedRuns } from '../builder/run-types.ts'
import type { Clock } from '../clock.ts'
import type { CodeDags } from '../definitions/code-dag.ts'
import type { Engine, StartRequest } from '../engine/engine.ts'
import { TroupeError } from '../errors.ts'
import type { Schema } from '../schema/schema.ts'
import { flag, mustBe, numeric, only, text } from './host-values.ts'
import { runHandle } from './run-handle.ts'

export const startOptions = only('option', {
  dagRunId: text,
  queue: text,
  singleton: flag,
  at: text,
  priority: numeric,
  idempotencyKey: text,
  enqueue: flag
} satisfies Record<keyof StartOptions, Schema>)

/** An engine, as `createEngine` returns it. */
export interface HostEngine extends Omit<Engine, 'start'>, TypedRuns {
  start: Engine['start'] & TypedRuns['start']
}

export const withTypedRuns = (engine: Engine, code: CodeDags, clock: Clock): HostEngine => ({
  ...engine,
  ...typedRuns(engine, code, clock)
})

/** The methods for definitions in code. */
export function typedRuns(engine: Engine, code: CodeDags, clock: Clock): Pick<HostEngine, 'start' | 'handle'> {
  /** @throws TroupeError bad_request: it is not of this engine */
  function known(dag: unknown): Inside {
    const inside = mustBeDag(dag)
    const { name, planHash } = inside
    const own = code.get(name)
    if (own?.release.planHash === planHash) return inside
    throw new TroupeError(
      'bad_request',
      own
        ? `DAG "${name}" is not the one of this engine, which has another plan: start the object that is in its dags`
        : `DAG "${name}" is not among the dags of this engine: createEngine({ dags: [...] })`
    )
  }

  async function startDag(dag: unknown, params: unknown, wanted: StartOptions = {}): Promise<Run> {
    const inside = known(dag)
    mustBe(startOptions, wanted, 'start')
    const { enqueue = false, ...names } = wanted
    const request: StartRequest = { fileName: inside.name, params: paramsText(inside, params), ...names }
    const key = await namingLimit(enqueue ? engine.enqueue(request) : engine.start(request), wanted)
    return runHandle(engine, clock, key)
  }

  const start = (first: unknown, ...rest: [params?: unknown, options?: StartOptions]) =>
    insideOf(first) || isFromElsewhere(first)
      ? startDag(first, ...rest)
      : namingLimit(engine.start(first as StartRequest), {}, first as StartRequest) // which checks it

  return {
    start: start as HostEngine['start'], // by its first argument
    handle<_PI, R, W>(dag: unknown, dagRunId: string) {
      const inside = known(dag)
      mustBe(text, dagRunId, 'handle: dagRunId')
      return runHandle(engine, clock, { name: inside.name, dagRunId }) as Run<R, W> // as its DAG says
    }
  }
}

/** @throws TroupeError bad_request */
export function mustBeDag(dag: unknown): Inside {
  const inside = insideOf(dag)
  if (inside) return inside
  throw new TroupeError('bad_request', `wanted a DAG of defineDag, found ${isFromElsewhere(dag) ?? 'something else'}`)
}

/**
 * Adds to a refusal what sets the limit: for the application, as the specification has the words for a request to its API.
 * @throws TroupeError max_run_reached
 */
function namingLimit<T>(started: Promise<T>, { enqueue, singleton }: StartOptions, request?: StartRequest): Promise<T> {
  return started.catch((cause: unknown) => {
    if (!(cause instanceof TroupeError && cause.code === 'max_run_reached') || request?.via !== undefined) throw cause
    const { message, details = {} } = cause
    const reason = !enqueue
      ? 'maxActiveRuns of the definition allows no more; an enqueued run waits for its turn'
      : singleton
        ? 'a singleton waits beside no other run'
        : 'maxActiveRuns of the definition counts the runs that wait, too'
    throw new TroupeError('max_run_reached', `${message}: ${reason}`, { cause, details })
  })
}

/** Params travel as JSON. @throws TroupeError bad_request: they are none */
export function paramsText({ name }: Inside, params: unknown): string {
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new TroupeError('bad_request', `params of DAG "${name}": wanted an object with a member for each param`)
  const at = notJsonAt(params, [])
  if (at !== undefined)
    throw new TroupeError('bad_request', `params of DAG "${name}": ${at}: wanted JSON, as params are stored`)
  return JSON.stringify(params)
}
