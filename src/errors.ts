/**
 * Every failure a caller can be told about: its code, its HTTP status, what it means and how to fix it. `docs/errors.md` and the
 * OpenAPI document are made of this table. Source: http-api "Errors" (codes), "Endpoints" (when).
 */
export interface ErrorRow {
  status: number
  means: string
  fix: string
  /** Other statuses that some operations answer with, and when. */
  also?: Readonly<Record<number, string>>
}

export const ERRORS = {
  bad_request: {
    status: 400,
    means:
      'The request, a definition or an argument is not valid. `details.errors` lists all problems if there are several.',
    fix: 'Correct what the message names: it says what was wanted and what was found.',
    also: { 405: 'the path does not support the method', 413: 'the body is too large' }
  },
  unauthorized: {
    status: 401,
    means: 'The credentials are missing, wrong or expired.',
    fix: 'Sign in, or send a valid password or token; `WWW-Authenticate` says which kind.',
    also: { 429: 'too many wrong credentials came from this address; `Retry-After` says when to try again' }
  },
  forbidden: {
    status: 403,
    means:
      'The caller may not do this, or the request comes from a foreign web page. On the command line: the system denies access to a file.',
    fix: 'Use credentials with the permission, change the setting that the message names, or change the owner or mode of the file.'
  },
  not_found: {
    status: 404,
    means: 'There is no such definition, run, step, queue, worker, key, session or path.',
    fix: 'Check the name and the id; the message suggests a similar name if there is one.'
  },
  not_running: {
    status: 400,
    means: 'The operation needs a running run, and this run is not running.',
    fix: 'Nothing has to be done if the run has ended. Use `dequeue` for a queued run.',
    also: { 409: 'a signal for a run that is queued, or that waits before its secrets are known' }
  },
  already_exists: {
    status: 409,
    means: 'The name or the run id is taken.',
    fix: 'Choose another one, or leave out the id: the engine then makes one.'
  },
  changed_meanwhile: {
    status: 409,
    means: 'The definition is another one than the text that was to be replaced: somebody has changed it meanwhile.',
    fix: 'Read it again, and send the text again with its new `revision`.'
  },
  already_running: {
    status: 409,
    means: 'The run has not ended yet, or another run of the definition is running.',
    fix: 'Wait for its end, stop it, or enqueue the new run.',
    also: { 400: 'a retry of a run that has not ended, and version 1 of the API' }
  },
  already_leaving: {
    status: 409,
    means: 'The worker was told on its own machine to leave, and cannot be kept.',
    fix: 'Start it again once it has ended.'
  },
  already_given: {
    status: 409,
    means: 'The step has got its signal already, and takes no second one.',
    fix: 'Nothing has to be done. Send an `id` with a signal that may be repeated: the same one again is answered like the first.'
  },
  ended: {
    status: 409,
    means: 'The step does not wait for a signal any more: it has ended, or its run has ended or is being stopped.',
    fix: 'Retry the run if the step is to wait again.'
  },
  max_run_reached: {
    status: 409,
    means: 'The definition or the request allows no further run now (`maxActiveRuns`, `singleton`).',
    fix: 'Enqueue the run, wait until another has ended, or raise the limit.'
  },
  idempotency_mismatch: {
    status: 409,
    means: 'The idempotency key has started a run of this DAG with another text or other params.',
    fix: 'Use a new key for what is another request. `details.dagRunId` is the run that the key has started.'
  },
  internal_error: {
    status: 500,
    means: 'Something failed that the caller cannot change. The log of the server has the reason.',
    fix: 'Read the log of the server. `troupe doctor` examines the home.'
  },
  bad_gateway: {
    status: 502,
    means: 'A remote node answered with something that is no answer of the API.',
    fix: 'Check the `apiBaseURL` of the node, and what is listening there.'
  },
  service_unavailable: {
    status: 503,
    means:
      'The server cannot do this now: a limit is reached, the disk or the store refuses, or the engine is closing.',
    fix: 'Try again after `Retry-After`, or after fixing what the message names.',
    also: { 429: 'this caller uses its whole share of connections, event streams or memory, or has reached its limit' }
  },
  remote_node_error: {
    status: 502,
    means: 'A remote node cannot be reached, or did not answer in time.',
    fix: 'Check that the node is running and reachable from this server; raise its `timeout` if it is slow.'
  }
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

export class TroupeError extends Error {
  override readonly name = 'TroupeError'
  readonly code: ErrorCode
  /** Free-form members of the Error object, such as `errors` (all problems of a definition) or `limit`. */
  readonly details?: Record<string, unknown>
  /** @param message what was wanted and what was found; the caller sees it as it is: no paths, no secrets. */
  constructor(code: ErrorCode, message: string, options: ErrorOptions & { details?: Record<string, unknown> } = {}) {
    super(message, options)
    this.code = code
    if (options.details) this.details = options.details
  }
}

// D1077: a refused signal has the codes of all errors
/** A signal that a step does not take. */
export class SignalRefused extends TroupeError {
  declare readonly code: 'not_found' | 'already_given' | 'ended' | 'not_running' | 'bad_request'
  /** All that is wrong with its payload. */
  readonly issues: readonly string[]
  constructor(code: SignalRefused['code'], message: string, issues: readonly string[] = []) {
    super(code, message, issues.length > 0 ? { details: { errors: issues } } : {})
    this.issues = issues
  }
}

/** A limit of the server is reached: nothing is wrong with it, and asked again a moment later it may answer. */
export class LimitReached extends TroupeError {
  /** Seconds. */
  readonly retryAfter: number
  constructor(message: string, { retryAfter = 1, ...options }: LimitOptions = {}) {
    super('service_unavailable', message, options)
    this.retryAfter = retryAfter
  }
}

interface LimitOptions {
  /** When to ask again, whole seconds. */
  retryAfter?: number
  details?: Record<string, unknown>
}

/** One caller has all that one may have of something; others are not touched by it. */
export class ShareTaken extends LimitReached {}

// What the code of a host application throws or answers may be a revoked proxy, have getters that throw, or come from another realm:
// reading it here throws nothing, whatever it is.

/** What is said of something that was thrown and that gives nothing away. */
export const UNREADABLE = 'what was thrown cannot be read'

// D1600: what a host throws or answers is read behind one guard
/** What `read` finds, or `otherwise` when that throws. */
export function guarded<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

type Kind<T> = abstract new (...args: never[]) => T

/** Undefined: there is none, or it cannot be read. */
export const memberOf = (value: unknown, name: PropertyKey): unknown => guarded(() => Object(value)[name], undefined)

/** `instanceof`, which asks a proxy for its prototype. */
export const isA = <T>(value: unknown, kind: Kind<T>): value is T => guarded(() => value instanceof kind, false)

/** A promise, or anything with a `then`, may be rejected later; `failed` hears of it. Other answers are nothing to wait for. */
export function whenRejected(answer: unknown, failed: (error: unknown) => void): void {
  // Not by `instanceof`: the promises of a test runner or of `vm` are of another realm.
  if (isThenable(answer)) Promise.resolve(answer).catch(failed)
}

/** Anything that `await` waits for; one whose `then` cannot be read rejects. */
export const isThenable = (answer: unknown): answer is PromiseLike<unknown> =>
  (typeof answer === 'object' || typeof answer === 'function') &&
  answer !== null &&
  guarded(() => typeof Object(answer).then === 'function', true)

/** The code that Node or a package gives to an error, such as `ENOENT`; undefined for an error without one, and for what is no error. */
export function codeOf(thrown: unknown): string | undefined {
  const code = memberOf(thrown, 'code')
  return typeof code === 'string' ? code : undefined
}

/** The text of what was thrown, with its kind. The code of a host may throw anything, also what becomes no text. */
export const thrownText = (thrown: unknown): string => guarded(() => String(thrown), UNREADABLE)

/** The message of what was thrown, be it an error or only something like one. */
export function messageOf(thrown: unknown): string {
  const message = memberOf(thrown, 'message')
  return typeof message === 'string' && message !== '' ? message : thrownText(thrown)
}
