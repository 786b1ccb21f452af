/** Bounds the close of an engine, which may hang, for example on a full disk. */
import { pause } from '../../clock.ts'
import type { CliContext } from '../context.ts'

/** Longest wait for it, ms. */
const CLOSING_MS = 30_000

/** Whether `work` was done in time, and before the user interrupted again. */
export async function inTime(
  work: Promise<void>,
  impatience: Promise<void>,
  { clock }: Pick<CliContext, 'clock'>
): Promise<boolean> {
  const enough = new AbortController()
  const late = Promise.race([impatience, pause(clock, CLOSING_MS, enough.signal)])
  try {
    return await Promise.race([work.then(() => true), late.then(() => false)])
  } finally {
    enough.abort()
  }
}
