/**
 * Keepers: small shells that hold one step at a time and outlive the engine. A mother makes them, and all of them report
 * on her pipe, which outlives her too.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf, isAlive } from '../process-identity.ts'
import { withoutKeptFiles } from './kept-files.ts'
import { KEEPER, MOTHER } from './launcher-script.ts'

export interface Keeper {
  name: string
  pid: number
  /** Writing end of its FIFO; closing it ends the keeper, once it has no step. */
  fifo: number
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
  /** Asked for, and not ready yet. */
  readonly awaited: number
  make(count: number): void
  /** Hands it a line. @returns false: it is gone. @throws Error */
  tell(keeper: Keeper, line: string): boolean
  lives(keeper: Keeper): boolean
  dismiss(keeper: Keeper): void
  /** Gives up those that are awaited since the last call: something has ended them before they were ready. */
  revise(): void
  close(): void
}

/** Mothers that may end one after the other without a keeper to show for it. */
const FAILURES = 3

/** @param environment of keepers: what may reach a step */
export function openKeepers(folder: string, environment: Record<string, string>, listener: Listener): Keepers {
  writeFileSync(join(folder, 'keeper'), KEEPER)
  const awaited = new Set<string>()
  const late = new Set<string>()
  /** FIFOs of keepers that are not ready. */
  const fifos = new Map<string, number>()
  const keepers = new Set<Keeper>()
  let count = 0
  let failures = 0
  let closed = false
  let mother: ChildProcess | undefined = openMother() // ahead of the first step

  function openMother(): ChildProcess {
    const child = spawn('sh', ['-c', MOTHER, 'mother', folder], {
      detached: true,
      cwd: folder,
      env: environment,
      stdio: ['pipe', 'pipe', 'ignore', ...withoutKeptFiles()]
    })
    child.stdin?.on('error', () => {})
    let rest = ''
    child.stdout?.setEncoding('latin1').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) hear(line)
      listener.quiet()
    })
    const gone = (cause: Error) => {
      if (closed || mother !== child) return
      mother = undefined
      awaited.clear()
      if (++failures < FAILURES) return listener.quiet()
      failures = 0
      listener.barren(cause)
    }
    child.on('error', gone).on('exit', () => gone(new Error('sh, mkfifo, env and setsid (util-linux) are needed')))
    return child
  }

  function hear(line: string): void {
    const [word, ...names] = line.split(' ')
    const [first = '', second = '', code, signaled] = names
    if (word === 'made') {
      names.forEach(adopt)
      mother?.stdin?.write(`go ${names.join(' ')}\n`)
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
    const keeper = { name, pid, fifo }
    keepers.add(keeper)
    listener.ready(keeper)
  }

  return {
    get awaited() {
      return awaited.size
    },
    make(number) {
      mother ??= openMother()
      const names = Array.from({ length: number }, () => `k${++count}`)
      for (const name of names) awaited.add(name)
      mother.stdin?.write(`make ${names.join(' ')}\n`)
    },
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
    },
    revise() {
      for (const name of late) {
        const fifo = fifos.get(name)
        if (fifo !== undefined) closeSync(fifo)
        fifos.delete(name)
        awaited.delete(name)
      }
      late.clear()
      for (const name of awaited) late.add(name)
    },
    close() {
      closed = true
      for (const fifo of [...fifos.values(), ...[...keepers].map(({ fifo }) => fifo)]) closeSync(fifo)
      fifos.clear()
      keepers.clear()
      mother?.kill('SIGKILL')
      mother?.stdin?.destroy()
      mother?.stdout?.destroy()
    }
  }
}
