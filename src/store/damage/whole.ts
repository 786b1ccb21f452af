/** Reads a whole store in a separate process: some damaged pages crash the reader by an uncatchable signal. Source: reliability P7. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isSaidOfMachine } from './of-machine.ts'
import type { WholeRead } from './unreadable-entries.ts'

const PROGRAM = fileURLToPath(new URL('./whole-program.js', import.meta.url))

export interface WholeOrder {
  dataDir: string
  /** Reads every entry. */
  reads: boolean
  /** Writes something and removes it again: only that reads LMDB's list of free pages. */
  writes: boolean
  /** An engine runs at the same time and has priority. */
  beside?: boolean
}

/** In addition: the store crashes its reader. */
export type Whole = WholeRead & { deadly?: string }

/** Undefined: aborted by `signal`. @throws Error when it cannot be read for another reason */
export function readAside(order: WholeOrder, signal: AbortSignal): Promise<Whole | undefined> {
  return new Promise((resolve, reject) => {
    const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [], serialization: 'advanced' })
    const giveUp = () => child.kill('SIGKILL')
    signal.addEventListener('abort', giveUp, { once: true })
    let answer: WholeRead | undefined
    let lastWords = ''
    child.stderr?.on('data', (text) => {
      lastWords = `${lastWords}${text}`.slice(-LAST_WORDS)
    })
    child.on('error', reject)
    child.on('message', (message: WholeRead) => {
      answer = message
    })
    child.on('close', (code, ended) => {
      signal.removeEventListener('abort', giveUp)
      if (answer) resolve(answer)
      else if (signal.aborted) resolve(undefined)
      else if (ended && endedByDamage(ended, lastWords))
        resolve({ lost: [], refusals: [], deadly: deadly(join(order.dataDir, 'troupe.mdb'), ended, lastWords) })
      else reject(new Error(`the store was not read to its end: ${ended ?? `code ${code}`}: ${lastWords.trim()}`))
    })
    child.send(order)
  })
}

/** Signals of crashes; others are sent from outside and say nothing about the store. */
const OF_DAMAGE: ReadonlySet<string> = new Set(['SIGBUS', 'SIGSEGV', 'SIGABRT', 'SIGFPE', 'SIGILL', 'SIGTRAP'])

export const LAST_WORDS = 2_000

/** Whether a process that read the store was ended by a page of it. */
export const endedByDamage = (signal: NodeJS.Signals, lastWords: string): boolean =>
  OF_DAMAGE.has(signal) && !isSaidOfMachine(lastWords)

export function deadly(path: string, signal: NodeJS.Signals, lastWords: string): string {
  const said = lastWords.trim().split('\n').at(-1)
  return `the store is damaged: reading ${path} ends the process with ${signal}${said ? ` (${said})` : ''}`
}
