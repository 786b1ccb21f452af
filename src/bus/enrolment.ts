/**
 * Which workers have a key, on record in the home of their engine: public halves only. A revoked worker stays on record, so that its
 * name keeps its home and is shown as revoked. Source: distribution 6.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { codeOf, messageOf, TroupeError } from '../errors.ts'
import { makeFolderAtOnce } from '../platform/make-folder.ts'
import { readRegular } from '../platform/open-regular.ts'
import { between, line, list, matching } from '../schema/limited.ts'
import { isObject, object, optional, type Shape } from '../schema/schema.ts'
import { reader } from './readers.ts'

/** What a broker reads of each at every change. */
export const MOST_ENROLLED = 10_000
const MOST_BYTES = 8 * 1024 * 1024
/** No writer takes longer: a file that is older was left behind. */
const WRITING_MS = 10_000

/** Id of the home folder of a worker. */
export const homeId = matching('^[0-9a-f]{16}$', '16 hexadecimal digits')
const LARGEST = Number.MAX_SAFE_INTEGER
const enrolled = object({
  /** Name of the worker. */
  id: line(200),
  /** Id of the worker's home folder, which it gets with its key. */
  home: homeId,
  /** Public half of the latest key. */
  publicKey: matching('^U[A-Z2-7]{55}$', 'the public half of a key'),
  /** Epoch ms. */
  enrolledAt: between(0, LARGEST),
  /** Absent: its key counts. */
  revokedAt: optional(between(0, LARGEST))
})
export type Enrolled = Shape<typeof enrolled>
/** The list of workers; the revision grows with each change. */
const enrolment = object({ revision: between(1, LARGEST), workers: list(enrolled, MOST_ENROLLED) })
export type Enrolment = Shape<typeof enrolment>
const asEnrolment = reader('enrolment', enrolment)

/** Undefined: nobody was ever enrolled. @throws TroupeError internal_error: it is damaged */
export function enrolmentIn(path: string): Enrolment | undefined {
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES)
      throw new Error(`wanted at most ${MOST_BYTES} bytes`)
    const found: unknown = JSON.parse(readRegular(path).toString('utf8'))
    return asEnrolment(isObject(found) ? found : {})
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    const file = basename(path)
    throw new TroupeError(
      'internal_error',
      `${file} in ${dirname(path)} cannot be read: ${messageOf(cause)}. Restore it from a backup; without it no worker with a key can connect`,
      { cause }
    )
  }
}

/**
 * Writes what `change` makes of it: all of it or nothing, and one writer after the other.
 * @param now epoch ms
 * @throws TroupeError service_unavailable: somebody else is writing at this moment
 */
export function changeEnrolment(
  path: string,
  now: number,
  change: (workers: readonly Enrolled[]) => Enrolled[]
): Enrolment {
  makeFolderAtOnce(dirname(path), 0o700)
  const next = `${path}.new`
  const file = opened(next, now)
  try {
    const { revision, workers } = enrolmentIn(path) ?? { revision: 0, workers: [] }
    const changed = { revision: revision + 1, workers: change(workers) }
    writeSync(file, `${JSON.stringify(changed, null, 2)}\n`)
    fsyncSync(file)
    renameSync(next, path)
    return changed
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

/** The file of one writer keeps the others away until it has its name. */
function opened(path: string, now: number): number {
  const left = statSync(path, { throwIfNoEntry: false })
  if (left && now - left.mtimeMs > WRITING_MS) rmSync(path, { force: true })
  try {
    return openSync(path, 'wx', 0o600)
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause
    throw new TroupeError('service_unavailable', 'another command is enrolling or revoking a worker: try again', {
      cause
    })
  }
}
