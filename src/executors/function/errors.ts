/** Errors around functions of a host application. */
import { guarded } from '../../errors.ts'

/** Thrown by a function: its step fails now, whatever its retryPolicy says. */
export class NonRetryable extends Error {
  override readonly name = 'NonRetryable'
}

/** Reason of the signal: the step was asked to stop. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}
/** Reason of the signal: `timeoutSec` is over. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}
/** Reason of the signal: the engine closes; the next one calls the function again, if `onInterrupt` allows it. */
export class Closing extends Error {
  override readonly name = 'Closing'
}

/** Params that the schema of a function refuses. */
export class InvalidParams extends Error {
  override readonly name = 'InvalidParams'
}
/** A result that JSON cannot hold. */
export class ResultNotJson extends Error {
  override readonly name = 'ResultNotJson'
}
/** A result that is larger than `maxOutputSize`. */
export class ResultTooLarge extends Error {
  override readonly name = 'ResultTooLarge'
}

const FINAL: ReadonlySet<string> = new Set(['NonRetryable', 'InvalidParams', 'ResultNotJson', 'ResultTooLarge'])

/** Whether another attempt ends no better. By name: a host may have two copies of this package. */
export const isFinal = (error: unknown): boolean =>
  guarded(() => error instanceof Error && FINAL.has(error.name), false)
