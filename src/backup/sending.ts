/**
 * A backup that is sent instead of kept: taken beside the store and sent from there by a process of its own, so that neither its size nor
 * its reader holds anybody up. Source: docs/http-api.md "The home of the server".
 */
import { type ChildProcess, fork } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type ErrorCode, LimitReached, TroupeError } from '../errors.ts'
import { LAST_WORDS } from '../store/damage/whole.ts'
import type { BackupPlaces } from './backup.ts'

const PROGRAM = fileURLToPath(new URL('./sending-program.js', import.meta.url))

export interface SendOrder {
  places: BackupPlaces
  /** Where the copy is made; it is removed when it was sent. */
  folder: string
  /** Version of this program. */
  version: string
  withLogs: boolean
}

export type SendAnswer = { taken: true } | { refusal: { code: ErrorCode; message: string } }

/** Data folders of which one is under way: each has one place for it. */
const underWay = new Set<string>()

export interface Sending {
  /** The archive. It fails when not all of it can be read. */
  bytes: Readable
  /** Ends everything, and resolves when nothing of it is left. Call it at the end, too. */
  end(): Promise<void>
}

// D1380: a backup over the API is a copy beside the store, sent as a tar archive by a process of its own
/**
 * Resolves when the copy is complete and was read.
 * @param enough ends it
 * @throws TroupeError as `takeBackup`; LimitReached: another one is under way; service_unavailable: too little disk space, or it was ended
 */
export async function sendBackup(
  home: BackupPlaces,
  { version, withLogs = true }: { version: string; withLogs?: boolean },
  enough: AbortSignal
): Promise<Sending> {
  const places = placesOf(home)
  const { dataDir } = places
  if (underWay.has(dataDir)) throw new LimitReached('a backup is being taken already: ask again when it was sent')
  underWay.add(dataDir)
  const folder = join(dataDir, 'backup.sending')
  const child = fork(PROGRAM, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [], serialization: 'advanced' })
  let lastWords = ''
  child.stderr?.on('data', (text) => {
    lastWords = `${lastWords}${text}`.slice(-LAST_WORDS)
  })
  const closed = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
    child.once('error', () => child.pid === undefined && resolve(null)) // it was never there
  })
  const kill = () => void child.kill('SIGKILL')
  const end = async () => {
    enough.removeEventListener('abort', kill)
    kill()
    child.stdout?.resume() // it is closed once it was read
    await closed
    // What cannot be removed now, the next one removes.
    for (const path of [folder, `${folder}.unfinished`])
      await rm(path, { recursive: true, force: true }).catch(() => {})
    underWay.delete(dataDir)
  }
  if (enough.aborted) kill()
  enough.addEventListener('abort', kill)
  try {
    child.send({ places, folder, version, withLogs } satisfies SendOrder, () => {})
    const answer = await answerOf(child)
    if (!answer && enough.aborted) throw new TroupeError('service_unavailable', 'the backup was ended')
    if (!answer) throw new Error(`the backup ended early: ${lastWords.trim()}`)
    if ('refusal' in answer) throw refused(answer.refusal)
  } catch (error) {
    await end()
    throw error
  }
  return {
    bytes: Readable.from(
      bytesOf(child, closed, () => lastWords),
      { objectMode: false }
    ),
    end
  }
}

/** Without a store there is no home: the server has lost it. */
const refused = ({ code, message }: { code: ErrorCode; message: string }) =>
  new TroupeError(code === 'not_found' ? 'service_unavailable' : code, message)

/** Nothing else: a complete configuration contains secrets. */
function placesOf({ coordination, ...home }: BackupPlaces): BackupPlaces {
  const { dagsDir, logDir, dataDir, suspendFlagsDir, baseConfig, audit, warnings, unsupported, file } = home
  return {
    home: home.home,
    dagsDir,
    logDir,
    dataDir,
    suspendFlagsDir,
    baseConfig,
    audit,
    warnings,
    unsupported,
    ...(file === undefined ? {} : { file }),
    coordination: { enrolmentFile: coordination.enrolmentFile }
  }
}

/** Undefined: it ended without one. */
const answerOf = (child: ChildProcess): Promise<SendAnswer | undefined> =>
  new Promise((resolve) => {
    child.once('message', (answer: SendAnswer) => resolve(answer))
    child.once('error', () => resolve(undefined))
    child.once('close', () => resolve(undefined)) // after every message
  })

async function* bytesOf(
  { stdout }: ChildProcess,
  closed: Promise<number | null>,
  lastWords: () => string
): AsyncGenerator<Buffer> {
  for await (const chunk of stdout ?? []) yield chunk
  // An archive that breaks off must not look like one that is over.
  if ((await closed) !== 0) throw new Error(`the backup could not be sent: ${lastWords().trim() || 'it was ended'}`)
}
