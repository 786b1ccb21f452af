/**
 * The records of a worker's tasks: a file for each task and lease. What is written counts once it is on the disk: nothing is said or
 * begun before. Source: distribution 5, D3.
 */
import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { type FileHandle, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { flushFolder, makeLastingFolder } from '../../platform/flush-folder.ts'
import { type Line, recordIn, type TaskRecord } from './record.ts'

export interface Spool {
  /** Tasks of a process before this one, by task and lease. */
  found: Map<string, TaskRecord>
  /** Tasks that were stopped before they were offered. */
  stopped: string[]
  /** Tasks whose record is damaged. */
  damaged: string[]
  /** Resolves when it is on the disk. Nothing of it is there otherwise. @throws Error of the file system */
  add(id: string, line: Line): Promise<void>
  /** Keeps a result that is too long for a line. */
  keep(id: string, result: string): Promise<void>
  resultPath(id: string): string
  /** The whole of it. @throws Error of the file system */
  result(id: string): Promise<string>
  remove(id: string): Promise<void>
}

/** What is written together. */
const AT_ONCE = 200
const ID = /^[0-9a-f]{32}-[1-9]\d{0,15}$/
const RESULT = '.result'

/** What is to be added to a file. */
interface Wanted {
  text: string
  resolve(): void
  reject(error: unknown): void
}

export const idOf = ({ task, lease }: { task: string; lease: number }): string => `${task}-${lease}`

export function openSpool(folder: string): Spool {
  makeLastingFolder(folder, 0o700)
  const found = new Map<string, TaskRecord>()
  const stopped: string[] = []
  const damaged: string[] = []
  for (const id of readdirSync(folder)) {
    if (!ID.test(id)) continue
    const read = recordIn(wholeLinesIn(join(folder, id)))
    if (read.state === 'claimed') found.set(id, read.record)
    else if (read.state === 'stopped') stopped.push(id)
    else if (read.state === 'damaged') damaged.push(id)
  }

  /** A record may come back as soon as it was removed. */
  const removing = new Map<string, Promise<void>>()
  let waiting = new Map<string, Wanted[]>()
  let isWriting = false
  /** One round after another: what comes while one is flushed is flushed together in the next. */
  async function writeAll(): Promise<void> {
    isWriting = true
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, AT_ONCE)
      waiting = new Map([...waiting].slice(AT_ONCE))
      const areNew = batch.some(([id]) => !existsSync(join(folder, id)))
      const written = await Promise.allSettled(batch.map(([id, all]) => append(join(folder, id), all)))
      const named = areNew ? await Promise.allSettled([flushFolder(folder)]) : []
      batch.forEach(([, all], index) => {
        const failed = [written[index], ...named].find((one) => one?.status === 'rejected')
        for (const { resolve, reject } of all) failed?.status === 'rejected' ? reject(failed.reason) : resolve()
      })
    }
    isWriting = false
  }
  async function write(name: string, text: string): Promise<void> {
    await removing.get(name)
    return new Promise((resolve, reject) => {
      const all = waiting.get(name) ?? []
      waiting.set(name, all)
      all.push({ text, resolve, reject })
      if (!isWriting) void writeAll()
    })
  }

  return {
    found,
    stopped,
    damaged,
    add: (id, line) => write(id, `${JSON.stringify(line)}\n`),
    async keep(id, result) {
      await rm(join(folder, id + RESULT), { force: true }) // half of it, from before a crash
      await write(id + RESULT, result)
    },
    resultPath: (id) => join(folder, id + RESULT),
    result: (id) => readFile(join(folder, id + RESULT), 'utf8'),
    remove(id) {
      const files = [id, id + RESULT].map((name) => rm(join(folder, name), { force: true }))
      const removal = Promise.all(files).then(() => {})
      removing.set(id, removal)
      return removal.finally(() => removing.delete(id))
    }
  }
}

/** All or nothing: half a line in the middle would make the record unreadable. */
async function append(path: string, wanted: Wanted[]): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    const { size } = await file.stat()
    try {
      await file.appendFile(wanted.map(({ text }) => text).join(''))
      await file.datasync()
    } catch (error) {
      await cut(file, size)
      throw error
    }
  } finally {
    await file.close()
  }
}

const cut = (file: FileHandle, size: number): Promise<void> => file.truncate(size).catch(() => {}) // the disk refuses that, too

/** A last line that a crash has cut short is removed: the next one begins where it began. */
function wholeLinesIn(path: string): string {
  const bytes = readFileSync(path)
  const end = bytes.lastIndexOf(10) + 1
  if (end < bytes.length) truncateSync(path, end)
  return bytes.subarray(0, end).toString('utf8')
}
