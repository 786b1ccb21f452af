/** The file with the key of a worker: who it is, and the secret by which it proves that. Source: distribution 6. */
import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { codeOf, messageOf, TroupeError } from '../errors.ts'
import { NoFile, openRegular } from '../platform/open-regular.ts'
import { line, matching } from '../schema/limited.ts'
import { isObject, object, type Shape } from '../schema/schema.ts'
import { homeId } from './enrolment.ts'
import { reader } from './readers.ts'

const MOST_BYTES = 4 * 1024
const OTHERS = 0o077

const key = object({
  /** Name of the worker. */
  id: line(200),
  /** Id that its home folder gets. */
  home: homeId,
  cluster: line(64),
  /** Never shown: what is found may be a secret with one wrong letter. */
  seed: { ...matching('^SU[A-Z2-7]{56}$', 'the seed of a key'), 'x-secret': true }
})
export type WorkerKey = Shape<typeof key>
const asKey = reader('key', key)

export const keyFileText = (key: WorkerKey): string =>
  `${JSON.stringify({ about: 'Key of a Troupe worker. Everybody who has it can take part as this worker: keep it secret.', ...key }, null, 2)}\n`

/** A new pair. */
export async function newKey(): Promise<{ seed: string; publicKey: string }> {
  const { nkeys } = await import('@nats-io/transport-node')
  const pair = nkeys.createUser()
  return { seed: Buffer.from(pair.getSeed()).toString('latin1'), publicKey: pair.getPublicKey() }
}

/** @throws TroupeError bad_request: what was wanted, what was found there, and what helps */
export function readKeyFile(path: string): WorkerKey {
  const refused = (found: string, cause?: unknown) =>
    new TroupeError(
      'bad_request',
      `worker.keyFile: wanted a file from troupe worker enroll at ${path}, found ${found}`,
      {
        cause
      }
    )
  let file: number
  try {
    file = openRegular(path)
  } catch (cause) {
    if (cause instanceof NoFile) throw refused(cause.found, cause)
    throw refused(codeOf(cause) === 'ENOENT' ? 'none' : `one that cannot be read (${codeOf(cause)})`, cause)
  }
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw refused(stat.isDirectory() ? 'a folder' : 'a device')
    if (stat.size > MOST_BYTES) throw refused(`${stat.size} bytes, and a key file has at most ${MOST_BYTES}`)
    // D1022: a key file that others may read is refused, unless it belongs to another user
    if (stat.uid === process.getuid?.() && (stat.mode & OTHERS) !== 0)
      throw refused(
        `one that others may read (mode ${(stat.mode & 0o777).toString(8)}): chmod 600 it, and if somebody may have read it, troupe worker revoke and enroll again`
      )
    return keyIn(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw cause instanceof TroupeError ? cause : refused(`something else (${messageOf(cause)})`, cause)
  } finally {
    closeSync(file)
  }
}

function keyIn(written: string): WorkerKey {
  let found: unknown
  try {
    found = JSON.parse(written)
  } catch {
    throw new Error('it is no JSON') // the parser would show a part of it
  }
  return asKey(isObject(found) ? found : {})
}

/** The checksum of a key tells a letter that was lost. @throws TroupeError bad_request */
export async function checkSeed({ seed }: WorkerKey, path: string): Promise<void> {
  const { nkeys } = await import('@nats-io/transport-node')
  try {
    nkeys.fromSeed(Buffer.from(seed, 'latin1'))
  } catch (cause) {
    throw new TroupeError(
      'bad_request',
      `worker.keyFile: the key at ${path} is damaged, as if it was not copied whole: copy it again, or revoke and enroll the worker`,
      { cause }
    )
  }
}
