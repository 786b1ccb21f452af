/** A failure a caller can be told about. Source: http-api "Errors" (codes), "Endpoints" (when). */
export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'already_exists'
  | 'already_running'
  | 'not_running'
  | 'max_run_reached'
  | 'internal_error'
  | 'bad_gateway'
  | 'remote_node_error'
  | 'service_unavailable'

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

/** A limit of the server is reached: nothing is wrong with it, and asked again a moment later it may answer. */
export class LimitReached extends TroupeError {
  constructor(message: string) {
    super('service_unavailable', message)
  }
}

/** One caller has all that one may have of something; others are not touched by it. */
export class ShareTaken extends LimitReached {}

/** What was thrown, with its kind. The code of a host may throw anything, also what becomes no text. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return 'something that cannot be shown as text'
  }
}

/** The message of what was thrown, be it an error or only something like one. */
export function messageOf(thrown: unknown): string {
  try {
    const { message } = Object(thrown) as { message?: unknown }
    if (typeof message === 'string' && message !== '') return message
  } catch {
    // A getter of its own has failed.
  }
  return thrownText(thrown)
}
