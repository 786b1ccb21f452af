/** The record that a step's holder writes of its begin and end: the truth about it after a crash. Source: reliability 3.1. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../../errors.ts'
import { bootId, isAlive, isTaken, type ProcessIdentity, parseStat } from '../../platform/process-identity.ts'
import { MARKS_SUFFIX } from '../launcher/marks.ts'

export interface ProcessEnd {
  exitCode: number
  /** A signal ended the process; `exitCode` is 128 + its number. */
  signaled: boolean
  /** Epoch ms. */
  at: number
}
export type Found =
  /** Nothing was written: it never began. */
  | { state: 'absent' }
  /** The process was kept from beginning. */
  | { state: 'void' }
  /** The request of the step had not been sent yet: it never began. Only `sent` being on record in this very boot says so for sure. */
  | { state: 'unsent' }
  | { state: 'alive'; identity: ProcessIdentity; beganAt: number }
  | { state: 'ended'; end: ProcessEnd }
  /** The process began, is gone, and nobody recorded how. */
  | { state: 'unknown' }

/** What a record says, from one look: recovery looks at thousands. */
export interface StateRecord {
  found: Found
  /** Nobody was there any more who could write how it ended. What was written up to then is to be read once more. */
  isAbandoned?: true
  /** The holder saw the process end, and was not through with its output: its own record of the end, when that comes, is what counts. */
  seen?: ProcessEnd
  /** The process that began, alive or not; undefined: none has. */
  identity?: ProcessIdentity
  /** Pid of the process that holds it, there or not: the process began in its session. Undefined: it is not on record. */
  holder?: number
  /** Length of the stdout file when it began; 0 when that is not on record. */
  offset: number
  /** Bytes of the record; undefined: there is none. */
  size?: number
}

/** Looks at a record. Complete lines only: half a line was not written. */
export function readRecord(path: string): StateRecord {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return { found: { state: 'absent' }, offset: 0 }
  }
  const [began = '', ...lines] = text.split('\n').slice(0, -1)
  const size = Buffer.byteLength(text)
  if (began === VOID) return { found: { state: 'void' }, offset: 0, size }
  const lineOf = (form: RegExp) => lines.map((line) => form.exec(line)).find((found) => found !== null)
  const endIn = (found: RegExpExecArray): ProcessEnd => ({
    exitCode: Number(found[1]),
    signaled: found[2] === '1',
    at: mtimeOf(path)
  })
  const end = lineOf(/^(\d+) ([01])$/)
  const seen = end ? undefined : lineOf(/^seen (\d+) ([01])$/)
  const { identity, holder } = parseBegan(began)
  const found: Found = end
    ? { state: 'ended', end: endIn(end) }
    : identity?.bootId === bootId() && lines.lastIndexOf(UNSENT) > lines.lastIndexOf(SENT)
      ? { state: 'unsent' }
      : identity && isAlive(identity)
        ? { state: 'alive', identity, beganAt: Math.round(statSync(path).birthtimeMs) }
        : { state: 'unknown' }
  const record = {
    found,
    offset: offsetOf(began),
    size,
    ...(seen ? { seen: endIn(seen) } : {}),
    ...(identity ? { identity } : {}),
    ...(holder ? { holder } : {})
  }
  return isHeldByNobody(record) ? { ...record, isAbandoned: true } : record
}

const isHeldByNobody = ({ found, identity, holder }: StateRecord): boolean =>
  found.state === 'unknown' &&
  identity !== undefined &&
  (identity.bootId !== bootId() || (holder !== undefined && !isTaken(holder)))

export const readState = (path: string): Found => readRecord(path).found

const mtimeOf = (path: string): number => Math.round(statSync(path).mtimeMs)
const offsetOf = (began: string): number => Number(began.split(' ', 2)[1]) || 0

/** The process that began, alive or not; undefined: none has. */
export function identityIn(path: string): ProcessIdentity | undefined {
  try {
    return parseBegan(readFileSync(path, 'utf8')).identity
  } catch {
    return undefined
  }
}

/** A first line is `<boot id> <offset> <text of /proc/<pid>/stat>`. */
function parseBegan(line: string): Pick<StateRecord, 'identity' | 'holder'> {
  const [bootId = '', offset = ''] = line.split(' ', 2)
  const stat = parseStat(line.slice(bootId.length + offset.length + 2))
  if (!stat) return {}
  const { pid, startTicks, session } = stat
  return { identity: { pid, startTicks, bootId }, ...(session > 0 ? { holder: session } : {}) }
}

/** Stands for a boot that has never been. */
const NO_BOOT = '00000000-0000-0000-0000-000000000000'

/**
 * Makes a copy of the record of one that has not ended one of nobody: its reader neither follows nor ends the process,
 * nor what its holder has noted to find it again. Both belong to the reader of the record itself.
 */
export function disownRecord(path: string): void {
  const { found, identity } = readRecord(path)
  if (!identity || found.state === 'ended') return
  const [began = ''] = readFileSync(path, 'utf8').split('\n', 1)
  writeFileSync(path, `${NO_BOOT}${began.slice(began.indexOf(' '))}\n`)
}

/** Length of the stdout file when the process began; 0 when that is not on record. */
export function offsetIn(path: string): number {
  try {
    return offsetOf(readFileSync(path, 'utf8'))
  } catch {
    return 0
  }
}

const VOID = 'void'
/** Keeps a job that has not begun from ever beginning, whole or not at all. @returns false: it has begun after all */
export function claim(path: string): boolean {
  const written = `${path.slice(0, -SUFFIX.length)}.void${SUFFIX}`
  writeFileSync(written, `${VOID}\n`, { mode: 0o600 })
  try {
    linkSync(written, path) // fails when it exists
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(written, { force: true })
  }
}

/** Whether any try of an execution has left a record. */
export const hasRecord = (base: string): boolean => existsSync(recordPath(base, 1))

/** The record of the latest try of an execution, there or not, and the path for one more. `base` is `<log folder>/<step>.<attempt>`. */
export function stateFiles(base: string): { latest: string; next: string } {
  let tries = 0
  while (existsSync(recordPath(base, tries + 1))) tries++
  return { latest: recordPath(base, Math.max(tries, 1)), next: recordPath(base, tries + 1) }
}

/** The latest try that says anything: one that was voided has a successor, begun or not; one that began as it should has none. */
export function latestRecord(base: string, read = readRecord): { path: string; record: StateRecord } {
  let path = recordPath(base, 1)
  let record = read(path)
  for (let tries = 2; saysNothing(record); tries++) {
    const later = recordPath(base, tries)
    if (record.found.state === 'unknown' && !existsSync(later)) break
    path = later
    record = read(later)
  }
  return { path, record }
}

/** Whether a record may have a successor: it was voided, or has no more than a full disk took. */
const saysNothing = ({ found, identity }: StateRecord): boolean =>
  found.state === 'void' || (found.state === 'unknown' && identity === undefined)

export const isRecord = (file: string): boolean => file.endsWith(SUFFIX)
const SUFFIX = '.state'
/** `shell.ts` writes them beside the records. */
const isScript = (file: string) => /\.\d+\.script(\.\w+)?$/.test(file)
const recordPath = (base: string, tries: number) => `${base}.${tries}${SUFFIX}`

/** The latest execution of a step that has left a record; undefined: none has. @param base start of the paths of an execution's records */
export function latestExecution(base: (execution: number) => string): number | undefined {
  const stem = base(0).slice(0, -1) // up to the number
  const before = basename(stem)
  const found = filesIn(dirname(stem)).flatMap((file) => {
    const numbers = file.startsWith(before) ? /^(\d+)\.\d+\.state$/.exec(file.slice(before.length)) : null
    return numbers ? Number(numbers[1]) : []
  })
  return found.length > 0 ? found.reduce((latest, number) => Math.max(latest, number)) : undefined
}

// D35: the record of an execution is removed when the next one of its step starts
/** Removes the records of one execution, when everything in them is stored. */
export async function forgetState(base: string): Promise<void> {
  for (let tries = 1; existsSync(recordPath(base, tries)); tries++)
    await unlink(recordPath(base, tries)).catch(unlessGone)
}

/**
 * Removes the records in a folder, what masks stand for, and scripts that a crash has left, when everything in them is stored. One
 * look or one removal at once costs a quarter of what the threads for it would, and others have their turn in between.
 * @param myTurn resolves when it may look at the folder, or remove a file
 */
export async function forgetStates(folder: string, myTurn: () => Promise<void>): Promise<void> {
  await myTurn()
  for (const file of filesIn(folder)) {
    if (!isRecord(file) && !isScript(file) && !file.endsWith(MARKS_SUFFIX)) continue
    await myTurn()
    try {
      unlinkSync(join(folder, file))
    } catch (error) {
      unlessGone(error)
    }
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The whole folder may be removed meanwhile. */
function unlessGone(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error
}

/**
 * Records that this very process begins an execution.
 * @param sends what must not happen twice follows only after `recordSent` @throws Error `EEXIST`: it has begun before
 */
export function recordBegin(path: string, offset: number, sends = false): void {
  const stat = readFileSync('/proc/self/stat', 'utf8').trimEnd()
  const file = openSync(path, 'wx', 0o600)
  writeSync(file, `${bootId()} ${offset} ${stat}\n${sends ? `${UNSENT}\n` : ''}`)
  closeSync(file)
}

const SENT = '{"sent":true}'
const UNSENT = '{"sent":false}'
/** Adds that what must not happen twice is sent from now on, or was not taken. */
export const recordSent = (path: string, isSent: boolean): void => appendFileSync(path, `${isSent ? SENT : UNSENT}\n`)

/** Adds how it ended. One that was removed with its folder stays away. */
export const recordEnd = (path: string, { exitCode, signaled }: Pick<ProcessEnd, 'exitCode' | 'signaled'>): void =>
  addTo(path, `${exitCode} ${signaled ? 1 : 0}\n`)

function addTo(path: string, text: string): void {
  try {
    appendFileSync(path, text)
  } catch (error) {
    unlessGone(error)
  }
}

/** Adds what its holder has to know to find it again: one line of JSON. */
export const recordNote = (path: string, note: object): void => addTo(path, `${JSON.stringify(note)}\n`)

/** The notes in a record, merged; later ones win. None of one that was removed. */
export function notesIn(path: string): Record<string, unknown> {
  const notes = textOf(path)
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
  return Object.assign({}, ...notes.map((line) => JSON.parse(line)))
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    unlessGone(error)
    return ''
  }
}
