/**
 * The worker's end of the fence, the shell that ends what is at work here when nothing has been heard of the engine for long. It outlives
 * the worker. Source: distribution 1 (D4, D5), 5.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFolderAtOnce } from '../../platform/make-folder.ts'
import { bootId, identityOf, isAlive } from '../../platform/process-identity.ts'
import { withoutKeptFiles } from '../launcher/kept-files.ts'

/** The work of a task, as far as it can be ended without the worker. */
export interface Fenced {
  /** Beginning of the paths of its records. */
  state: string
  /** Label of its container. */
  label?: string
  /** The task is at work in the worker's own process. */
  isInside?: boolean
}

export interface Fence {
  /** Nothing that is listed may be at work after that. @param untilMs since boot */
  renew(untilMs: number): void
  /** Milliseconds since boot; undefined: there never was one. */
  deadline(): number | undefined
  /** From now on it is ended at the deadline. @throws Error of the file system: it must not begin */
  list(id: string, what: Fenced): void
  unlist(id: string): void
  /** Deadline of a listed process, in hundredths of a second since boot; a holder does not begin it later. */
  limitOf(state: string): number | undefined
  wasFenced(id: string): boolean
}

export interface FenceParts {
  /** The folder of the fence, in the home of the worker. */
  folder: string
  /** What may reach a step, and what says where Docker is. */
  environment: Record<string, string>
  /** Label of all containers that this home makes. */
  ownLabel?: () => string
  /** Sees to it that the fence runs. Absent: by a shell of its own. @throws Error */
  start?: () => void
  /** Id of the machine's boot; absent: as its kernel says. */
  boot?: string
}

export function openFence({
  folder,
  environment,
  ownLabel = () => '',
  start = shellOf(folder, environment),
  boot = bootId()
}: FenceParts): Fence {
  for (const below of ['list', 'fenced']) makeFolderAtOnce(join(folder, below), 0o700)
  const path = (...names: string[]) => join(folder, ...names)
  let until = deadlineIn(path('deadline'), boot)
  const states = new Map<string, string>()
  return {
    renew(untilMs) {
      if (until !== undefined && untilMs <= until) return
      writeFileSync(path('deadline.new'), `${Math.floor(untilMs / 10)}\n${boot}\n`, { mode: 0o600 })
      renameSync(path('deadline.new'), path('deadline'))
      until = untilMs
    },
    deadline: () => until,
    list(id, { state, label, isInside }) {
      start()
      const lines = [
        `state ${state}`,
        ...(label === undefined ? [] : [`docker ${[ownLabel(), label].filter((one) => one !== '').join(',')}`]),
        ...(isInside ? ['worker'] : [])
      ]
      mkdirSync(path('list'), { recursive: true })
      writeFileSync(path('list.new'), `${lines.join('\n')}\n`, { mode: 0o600 })
      renameSync(path('list.new'), path('list', id))
      states.set(state, id)
    },
    unlist(id) {
      for (const name of ['list', 'fenced']) rmSync(path(name, id), { force: true })
      for (const [state, of] of states) if (of === id) states.delete(state)
    },
    limitOf: (record) =>
      until !== undefined && states.has(record.replace(/\.\d+\.state$/, '')) ? Math.floor(until / 10) : undefined,
    wasFenced: (id) => existsSync(path('fenced', id))
  }
}

/** Reads the fence's text when it is first needed: another release may lie there later. */
function shellOf(folder: string, environment: Record<string, string>): () => void {
  let pid: number | undefined

  return () => {
    if (pid !== undefined && isRunning(pid)) return
    const self = identityOf(process.pid)
    const text = readFileSync(new URL('./fence.sh', import.meta.url), 'utf8')
    const killer = fileURLToPath(new URL('./kill-containers.mjs', import.meta.url))
    const words = [folder, `${process.pid}`, self?.startTicks ?? '', process.execPath, killer]
    const child = spawn('sh', ['-c', text, 'fence', ...words], {
      detached: true,
      cwd: '/',
      env: environment,
      stdio: ['ignore', 'ignore', 'ignore', ...withoutKeptFiles()]
    })
    child.on('error', () => {}) // the next task tries again
    child.unref()
    pid = child.pid
    if (pid === undefined) throw new Error('the fence cannot be started: sh is needed')
  }
}

/** A child that has ended is a zombie until the event loop comes round. */
function isRunning(pid: number): boolean {
  const identity = identityOf(pid)
  return identity !== undefined && isAlive(identity)
}

/** A deadline of another boot is past, however great its number. */
function deadlineIn(path: string, boot: string): number | undefined {
  try {
    const [written, of] = readFileSync(path, 'latin1').split('\n')
    if (of !== boot) return 0
    const found = Number(written)
    return Number.isSafeInteger(found) && found > 0 ? found * 10 : undefined
  } catch {
    return undefined
  }
}

/** Removes what is listed for tasks that are on record no more. */
export function forgetOthers(folder: string, ids: ReadonlySet<string>): void {
  for (const below of ['list', 'fenced'])
    for (const id of existsSync(join(folder, below)) ? readdirSync(join(folder, below)) : [])
      if (!ids.has(id)) rmSync(join(folder, below, id), { force: true })
}
