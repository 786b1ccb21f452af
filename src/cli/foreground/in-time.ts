/** The close of an engine that may hang, as on a full disk. */
import { pause } from '../../clock.ts'
import type { Surroundings } from '../surroundings.ts'

/** Whatever still hangs after this time is left behind. */
const CLOSING_MS = 30_000

/** Whether `work` was done before the time was over, and before the user lost patience. */
export async function inTime(
  work: Promise<void>,
  impatience: Promise<void>,
  { clock }: Pick<Surroundings, 'clock'>
): Promise<boolean> {
  const enough = new AbortController()
  const late = Promise.race([impatience, pause(clock, CLOSING_MS, enough.signal)])
  try {
    return await Promise.race([work.then(() => true), late.then(() => false)])
  } finally {
    enough.abort()
  }
}
