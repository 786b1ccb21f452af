/**
 * The folder that a worker lives in. Its id is made once: a worker that is restarted there, under whatever name, is the same. Its starts
 * are counted, so that the engine can tell a process from its successor. Source: distribution 2, 5.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { codeOf, TroupeError } from '../errors.ts'
import { flushFolderAtOnce, makeLastingFolder } from '../platform/flush-folder.ts'
import { integer, object, type Shape } from '../schema/schema.ts'
import { parsed } from '../schema/walk.ts'
import { takeLockFile } from '../store/disk/lock-file.ts'

export interface WorkerHome {
  folder: string
  /** 16 hexadecimal digits. */
  id: string
  /** Session of this process; those of later ones begin with a higher number. */
  session: string
  /** Lets another process have it. */
  release(): void
}

/** `start`: number of its latest start. */
const written = object({ id: { type: 'string', pattern: '^[0-9a-f]{16}$' }, start: integer })

// D1020: a key brings its worker's name and the id of its home
/**
 * @param keyed id that comes with the key of the worker
 * @throws TroupeError service_unavailable: another live worker has it; internal_error: its file is damaged; bad_request: it has another id
 */
export function openWorkerHome(
  folder: string,
  clock: Pick<Clock, 'now' | 'random'>,
  keyed?: string,
  lock: (path: string) => () => void = (path) => takeLockFile(path, inUse)
): WorkerHome {
  makeLastingFolder(folder, 0o700)
  const release = lock(join(folder, 'lock'))
  try {
    const path = join(folder, 'worker.json')
    const { id, start: last } = writtenIn(path) ?? { id: keyed ?? digits(clock, 8), start: 0 }
    if (keyed !== undefined && keyed !== id)
      throw new TroupeError(
        'bad_request',
        `worker.keyFile is the key of another worker than the one that lives in ${folder}: give the key a home of its own (--home). Drain a worker that had no key before (troupe worker drain), and start it in a new home with its key`
      )
    // D996: a session begins with a number that grows from start to start of a home
    const start = Math.max(last + 1, clock.now())
    keep(path, folder, { id, start })
    return { folder, id, session: `${start}-${digits(clock, 4)}`, release }
  } catch (error) {
    release()
    throw error
  }
}

const inUse = (pid: number) =>
  new TroupeError(
    'service_unavailable',
    `this home is in use by the worker with process id ${pid}: stop that one, or give another --home`
  )

const digits = (clock: Pick<Clock, 'random'>, bytes: number) => Buffer.from(clock.random(bytes)).toString('hex')

function writtenIn(path: string): Shape<typeof written> | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  const found = parsed(written, text)
  if (found) return found
  // A new id would be another worker: what this one holds would count as lost.
  throw new TroupeError('internal_error', `${path} is damaged: restore it, or remove it if no steps run on this worker`)
}

/** A power cut leaves the old text or the new one. */
function keep(path: string, folder: string, now: Shape<typeof written>): void {
  const file = openSync(`${path}.new`, 'w', 0o600)
  writeSync(file, `${JSON.stringify(now)}\n`)
  fsyncSync(file)
  closeSync(file)
  renameSync(`${path}.new`, path)
  flushFolderAtOnce(folder)
}
