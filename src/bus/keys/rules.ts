/** Decides which worker may be enrolled or revoked. Source: distribution 6. */
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import { shellWord } from '../../platform/shell/shell-word.ts'
import { type Enrolled, MOST_ENROLLED } from '../enrolment.ts'

const since = (at: number) => new Date(at).toISOString()

// D1020: a key brings its worker's name and the id of its home
/**
 * A worker that was revoked keeps its home, so that it is the same worker with its next key.
 * @param newHome an id for the home of a new one
 * @throws TroupeError already_exists: it has a key that counts
 */
export function enrolledWith(
  workers: readonly Enrolled[],
  { id, publicKey, at }: { id: string; publicKey: string; at: number },
  newHome: () => string
): { workers: Enrolled[]; one: Enrolled } {
  const known = workers.find((worker) => worker.id === id)
  if (known && known.revokedAt === undefined)
    throw new TroupeError(
      'already_exists',
      `${id} has had a key since ${since(known.enrolledAt)}: take that away first (troupe worker revoke ${shellWord(id)})`
    )
  const others = workers.filter((worker) => worker !== known)
  if (others.length >= MOST_ENROLLED)
    throw new TroupeError('bad_request', `${MOST_ENROLLED} workers are enrolled, and more are not possible`)
  const one = { id, home: known?.home ?? newHome(), publicKey, enrolledAt: at }
  return { workers: [...others, one], one }
}

/** @throws TroupeError not_found; not_running: it was revoked before */
export function revokedFrom(workers: readonly Enrolled[], id: string, at: number): Enrolled[] {
  const known = workers.find((worker) => worker.id === id)
  if (!known)
    throw new TroupeError(
      'not_found',
      `no worker ${id} is enrolled in this home${didYouMean(
        id,
        workers.map((worker) => worker.id)
      )}`
    )
  if (known.revokedAt !== undefined)
    throw new TroupeError('not_running', `${id} was revoked before, at ${since(known.revokedAt)}`)
  return workers.map((worker) => (worker === known ? { ...worker, revokedAt: at } : worker))
}
