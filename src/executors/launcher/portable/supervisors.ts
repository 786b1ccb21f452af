/** Step supervisors: small shells that hold one step at a time and outlive the engine. */
import { closeSync, constants, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf, isAlive } from '../../../platform/process-identity.ts'
import { makeOwnFolder } from '../launcher-folder.ts'
import { readPrograms } from './programs.ts'
import { openSpawner, type Spawner } from './spawner.ts'

export interface Supervisor {
  name: string
  pid: number
  /** Writing end of its FIFO; closing it ends the supervisor, once it has no step. */
  fifo: number
  /** The folder it works in has been removed: it can hold what it holds, and is handed nothing. */
  isStale?: true
}

/** What is heard of them. */
export interface SupervisorListener {
  ready(supervisor: Supervisor): void
  began(job: string): void
  ended(job: string, exitCode: number, signaled: boolean): void
  /** Everything that came together has been told. */
  quiet(): void
  spawnFailed(cause: Error): void
}

export interface Supervisors {
  /** Those that have been asked for, and are not ready yet. */
  readonly awaited: number
  make(count: number): void
  /** Tells it the name of a job. @returns false: it is gone @throws Error */
  tell(supervisor: Supervisor, job: string): boolean
  lives(supervisor: Supervisor): boolean
  dismiss(supervisor: Supervisor): void
  /** Makes the folder again, which has been removed. Those at work there are heard on. @throws Error */
  renew(): void
  /** Gives up those that are awaited since the last call: something has ended them before they were ready. */
  revise(): void
  close(): void
}

/** Spawners that may end one after the other without a supervisor to show for it. */
const FAILURES = 3

// D4
/** @param environment of supervisors: what may reach a step */
export function openSupervisors(
  folder: string,
  environment: Record<string, string>,
  listener: SupervisorListener
): Supervisors {
  const programs = readPrograms()
  equip()
  const awaited = new Set<string>()
  const late = new Set<string>()
  /** FIFOs of supervisors that are not ready. */
  const fifos = new Map<string, number>()
  const supervisors = new Set<Supervisor>()
  let count = 0
  let failures = 0
  let spawner: Spawner | undefined = newSpawner()
  /** Of folders that have been removed. */
  const formerSpawners: Spawner[] = []

  function equip(): void {
    makeOwnFolder(folder)
    writeFileSync(join(folder, 'supervisor'), programs.supervisor)
  }

  function newSpawner(): Spawner {
    return openSpawner(programs.spawner, folder, environment, { hear, quiet: listener.quiet, gone })
  }

  function gone(cause: Error): void {
    spawner = undefined
    awaited.clear()
    failures = (failures + 1) % FAILURES
    if (failures === 0) listener.spawnFailed(cause)
    else listener.quiet()
  }

  /** It ends when it finds that nobody has its FIFO open. */
  function giveUp(name: string): void {
    const fifo = fifos.get(name)
    if (fifo !== undefined) closeSync(fifo)
    fifos.delete(name)
    awaited.delete(name)
  }

  function hear(line: string): void {
    const [word, ...names] = line.split(' ')
    const [first = '', second = '', code, signaled] = names
    if (word === 'made') {
      names.forEach(adopt)
      spawner?.tell(`go ${names.join(' ')}`)
    } else if (word === 'ready') ready(first, Number(second))
    else if (word === 'began') listener.began(first)
    else if (word === 'ended') listener.ended(second, Number(code), signaled === '1')
  }

  function adopt(name: string): void {
    try {
      fifos.set(name, openSync(join(folder, name), constants.O_RDWR | constants.O_NONBLOCK))
    } catch (cause) {
      awaited.delete(name)
      listener.spawnFailed(cause as Error)
    }
  }

  function ready(name: string, pid: number): void {
    const fifo = fifos.get(name)
    if (fifo === undefined) return
    failures = 0
    awaited.delete(name)
    fifos.delete(name)
    const supervisor = { name, pid, fifo }
    supervisors.add(supervisor)
    listener.ready(supervisor)
  }

  return {
    get awaited() {
      return awaited.size
    },
    make(number) {
      const names = Array.from({ length: number }, () => `k${++count}`)
      spawner ??= newSpawner()
      for (const name of names) awaited.add(name)
      spawner.tell(`make ${names.join(' ')}`)
    },
    tell({ pid, fifo }, job) {
      try {
        process.kill(pid, 0)
      } catch {
        return false
      }
      writeSync(fifo, `${job}\n`)
      return true
    },
    lives({ pid }) {
      const identity = identityOf(pid)
      return identity !== undefined && isAlive(identity)
    },
    dismiss(supervisor) {
      if (supervisors.delete(supervisor)) closeSync(supervisor.fifo)
    },
    renew() {
      equip()
      for (const name of [...awaited]) giveUp(name)
      for (const supervisor of supervisors) supervisor.isStale = true
      spawner?.leave()
      if (spawner) formerSpawners.push(spawner)
      spawner = undefined
    },
    revise() {
      for (const name of late) giveUp(name)
      late.clear()
      for (const name of awaited) late.add(name)
    },
    close() {
      for (const fifo of [...fifos.values(), ...[...supervisors].map(({ fifo }) => fifo)]) closeSync(fifo)
      fifos.clear()
      supervisors.clear()
      for (const each of [...formerSpawners, ...(spawner ? [spawner] : [])]) each.end()
    }
  }
}
