/** All of a store read in a process of its own: some damaged pages end whoever reads them, by a signal that nothing in the process can catch. Source: reliability P7. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { WholeRead } from './unreadable-entries.ts'

const PROGRAM = fileURLToPath(new URL('./whole-program.js', import.meta.url))

export interface WholeOrder {
  dataDir: string
  /** Every entry is read. */
  reads: boolean
  /** Something is written and taken back: what LMDB keeps of free pages is read by nobody else. */
  writes: boolean
  /** An engine is at work beside it, and comes first. */
  beside?: boolean
}

/** Besides: that whoever reads it is ended. */
export type Whole = WholeRead & { deadly?: string }

/** Undefined: it was given up. @param signal gives it up @throws Error when it cannot be read for another reason */
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
      else if (ended && OF_DAMAGE.has(ended))
        resolve({ lost: [], refusals: [], deadly: deadly(join(order.dataDir, 'troupe.mdb'), ended, lastWords) })
      else reject(new Error(`the store was not read to its end: ${ended ?? `code ${code}`}: ${lastWords.trim()}`))
    })
    child.send(order)
  })
}

/** Signals by which a process ends itself; others come from somebody else, and say nothing of the store. */
const OF_DAMAGE: ReadonlySet<string> = new Set(['SIGBUS', 'SIGSEGV', 'SIGABRT', 'SIGFPE', 'SIGILL', 'SIGTRAP'])

export const LAST_WORDS = 2_000

export function deadly(path: string, signal: NodeJS.Signals, lastWords: string): string {
  const said = lastWords.trim().split('\n').at(-1)
  return `the store is damaged: reading ${path} ends the process with ${signal}${said ? ` (${said})` : ''}`
}
