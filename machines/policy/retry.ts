/** Whether a failed execution is retried, and how long it waits before that. Source: execution-semantics 6.1. */
import type { RetryPlan } from '../vocabulary.ts'

/** What a retry decision depends on. */
export interface Ended {
  exitCode: number
  /** Why the execution failed apart from its exit code, such as a captured output that is too large. */
  error?: string
  /** The execution has said itself that another attempt ends no better. */
  isFinal?: boolean
}

/** @param retries retries so far */
export function retryDue(policy: RetryPlan, retries: number, { exitCode, isFinal = false }: Ended): boolean {
  return !isFinal && retries < policy.limit && (policy.exitCodes.length === 0 || policy.exitCodes.includes(exitCode))
}

/** Milliseconds before retry number `retry` (1, 2, ...): interval * backoff^(retry - 1), cut to the cap when there is a backoff. */
export function retryWaitMs(policy: RetryPlan, retry: number): number {
  if (policy.backoff <= 1) return policy.interval
  const waitMs = policy.interval * policy.backoff ** (retry - 1)
  return policy.maxIntervalMs > 0 ? Math.min(waitMs, policy.maxIntervalMs) : Math.min(waitMs, Number.MAX_SAFE_INTEGER)
}
