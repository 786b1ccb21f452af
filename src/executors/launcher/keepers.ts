/**
 * Keepers, small shells that hold one step at a time, and the warden, which holds many: they outlive the engine. A mother makes
 * them, and all of them report on her pipe, which outlives her too.
 */
import { closeSync, constants, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf, isAlive } from '../../platform/process-identity.ts'
import { makeOwnFolder } from './launcher-folder.ts'
import { type Mother, openMother } from './mother.ts'
import { readPrograms } from './programs.ts'
import { wardenNumbers } from './warden.ts'

export interface Keeper {
  name: string
  pid: number
  /** It is the warden. */
  holdsMany: boolean
  /** Writing end of its FIFO; closing it ends the keeper, once it has no step. */
  fifo: number
  /** The folder it works in has been removed: it can hold what it holds, and is handed nothing. */
  isStale?: true
}

/** What is heard of them. */
export interface Listener {
  ready(keeper: Keeper): void
  began(job: string): void
  ended(job: string, exitCode: number, signaled: boolean): void
  /** Everything that came together has been told. */
  quiet(): void
  /** None can be made. */
  barren(cause: Error): void
}

export interface Keepers {
  /** Keepers of one step that have been asked for, and are not ready yet. */
  readonly awaited: number
  /** Whether the warden has been asked for, and is not ready yet. */
  readonly awaitsWarden: boolean
  make(count: number): void
  /** Asks for the warden, unless it has been asked for already, or this system cannot have one. */
  wantWarden(): void
  /** Services it a line. @returns false: it is gone. @throws Error */
  tell(keeper: Keeper, line: string): boolean
  lives(keeper: Keeper): boolean
  dismiss(keeper: Keeper): void
  /** Makes the folder anew, which has been removed. Those who are at work there are heard on. @throws Error */
  renew(): void
  /** Gives up those that are awaited since the last call: something has ended them before they were ready. */
  revise(): void
  close(): void
}

/** Mothers that may end one after the other without a keeper to show for it. */
const FAILURES = 3
/** Wardens of an engine, at most: where each is ended by something, keepers do without. */
const WARDENS = 3

// D4
/**
 * @param environment of keepers: what may reach a step
 * @param wardens whether there may be one
 */
export function openKeepers(
  folder: string,
  environment: Record<string, string>,
  listener: Listener,
  wardens: boolean
): Keepers {
  const programs = readPrograms()
  equip()
  const awaited = new Set<string>()
  const late = new Set<string>()
  /** FIFOs of keepers that are not ready. */
  const fifos = new Map<string, number>()
  const keepers = new Set<Keeper>()
  /** Name of the one that is there or awaited, or was awaited too long: no other is asked for then. */
  let warden: string | undefined
  const mayHaveWarden = wardens && wardenNumbers() !== undefined
  let wardensLeft = mayHaveWarden ? WARDENS : 0
  let count = 0
  let failures = 0
  let mother: Mother | undefined = newMother()
  /** Of folders that have been removed. */
  const formerMothers: Mother[] = []

  function equip(): void {
    makeOwnFolder(folder)
    writeFileSync(join(folder, 'keeper'), programs.keeper)
    writeFileSync(join(folder, 'warden'), programs.warden)
  }

  function newMother(): Mother {
    return openMother(programs.mother, folder, environment, { hear, quiet: listener.quiet, gone })
  }

  function gone(cause: Error): void {
    mother = undefined
    giveUpWarden() // one that comes all the same would be taken for a keeper
    awaited.clear()
    failures = (failures + 1) % FAILURES
    if (failures === 0) listener.barren(cause)
    else listener.quiet()
  }

  /** It ends when it finds that nobody has its FIFO open. @returns whether it was awaited */
  function giveUp(name: string): boolean {
    const fifo = fifos.get(name)
    if (fifo !== undefined) closeSync(fifo)
    fifos.delete(name)
    return awaited.delete(name)
  }

  function giveUpWarden(): void {
    if (warden !== undefined && giveUp(warden)) warden = undefined
  }

  function hear(line: string): void {
    const [word, ...names] = line.split(' ')
    const [first = '', second = '', code, signaled] = names
    if (word === 'made') {
      names.forEach(adopt)
      mother?.tell(first === warden ? `hold ${first} ${wardenNumbers()}` : `go ${names.join(' ')}`)
    } else if (word === 'ready') ready(first, Number(second))
    else if (word === 'began') listener.began(first)
    else if (word === 'ended') listener.ended(second, Number(code), signaled === '1')
  }

  function adopt(name: string): void {
    try {
      fifos.set(name, openSync(join(folder, name), constants.O_RDWR | constants.O_NONBLOCK))
    } catch (cause) {
      awaited.delete(name)
      listener.barren(cause as Error)
    }
  }

  function ready(name: string, pid: number): void {
    const fifo = fifos.get(name)
    if (fifo === undefined) return
    failures = 0
    awaited.delete(name)
    fifos.delete(name)
    const keeper = { name, pid, fifo, holdsMany: name === warden }
    keepers.add(keeper)
    listener.ready(keeper)
  }

  const awaitsWarden = () => warden !== undefined && awaited.has(warden)

  function ask(names: string[]): void {
    mother ??= newMother()
    for (const name of names) awaited.add(name)
    mother.tell(`make ${names.join(' ')}`)
  }

  function wantWarden(): void {
    if (warden !== undefined || wardensLeft === 0) return
    wardensLeft--
    warden = `w${++count}`
    ask([warden])
  }

  wantWarden() // ahead of the first step
  return {
    get awaited() {
      return awaited.size - (awaitsWarden() ? 1 : 0)
    },
    get awaitsWarden() {
      return awaitsWarden()
    },
    make(number) {
      ask(Array.from({ length: number }, () => `k${++count}`))
    },
    wantWarden,
    tell({ pid, fifo }, line) {
      try {
        process.kill(pid, 0)
      } catch {
        return false
      }
      writeSync(fifo, `${line}\n`)
      return true
    },
    lives({ pid }) {
      const identity = identityOf(pid)
      return identity !== undefined && isAlive(identity)
    },
    dismiss(keeper) {
      if (keepers.delete(keeper)) closeSync(keeper.fifo)
      if (keeper.name === warden) warden = undefined
    },
    renew() {
      equip()
      giveUpWarden()
      for (const name of [...awaited]) giveUp(name)
      for (const keeper of keepers) keeper.isStale = true
      if (mayHaveWarden) wardensLeft++ // nothing has ended that one
      mother?.leave()
      if (mother) formerMothers.push(mother)
      mother = undefined
    },
    revise() {
      for (const name of late) if (giveUp(name) && name === warden) wardensLeft = 0
      late.clear()
      for (const name of awaited) late.add(name)
    },
    close() {
      for (const fifo of [...fifos.values(), ...[...keepers].map(({ fifo }) => fifo)]) closeSync(fifo)
      fifos.clear()
      keepers.clear()
      for (const each of [...formerMothers, ...(mother ? [mother] : [])]) each.end()
    }
  }
}
