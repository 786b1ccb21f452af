/** How a run of a definition in code ended other than well. Source: docs/embedding/README.md. */
import type { RunKey, Stopper, Thrown } from '../../machines/vocabulary.ts'

/** The run failed. `cause` is what its step has thrown, as far as it is known. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed'
  readonly run: RunKey
  /** The step that failed first; absent: the run failed before its steps, or ran out of time. */
  readonly step?: string

  constructor(run: RunKey, message: string, { step, cause }: { step?: string; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.run = run
    if (step !== undefined) this.step = step
  }
}

/** The run was stopped, or its preconditions did not hold. */
export class RunCanceled extends Error {
  override readonly name = 'RunCanceled'
  readonly run: RunKey
  readonly why: 'stop' | 'preconditions'
  /** Name of the user or token that stopped it, or the one that the host has given; absent: nobody, or not known. */
  readonly by?: string
  /** The way that the stop came; absent: nothing stopped it, or not known. */
  readonly via?: Stopper['type']

  constructor(run: RunKey, why: RunCanceled['why'], stopper?: Stopper) {
    const reason =
      why === 'stop'
        ? `it was stopped${stopper?.by === undefined ? '' : ` by ${stopper.by}`}`
        : 'its preconditions did not hold'
    super(`run ${run.dagRunId} of ${run.name} was canceled: ${reason}`)
    this.run = run
    this.why = why
    if (stopper?.by !== undefined) this.by = stopper.by
    if (stopper) this.via = stopper.type
  }
}

/** The result was not there in time. The run goes on. */
export class WaitTimedOut extends Error {
  override readonly name = 'WaitTimedOut'
  readonly run: RunKey

  constructor(run: RunKey, timeoutMs: number) {
    super(`run ${run.dagRunId} of ${run.name} has not ended within ${timeoutMs} ms; it goes on`)
    this.run = run
  }
}

/** The error that a function has thrown: of the class `Error`, with its name, code, stack and causes. */
export function errorOf({ name, message, code, stack, cause }: Thrown): Error {
  const error = new Error(message, cause ? { cause: errorOf(cause) } : {})
  error.name = name
  error.stack = `${name}: ${message}${stack ? `\n    ${stack.replaceAll('\n', '\n    ')}` : ''}`
  return code === undefined ? error : Object.assign(error, { code })
}
