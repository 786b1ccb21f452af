/** Runs the doctor in a separate process: some damaged pages make LMDB kill their reader by a signal. Source: reliability P7. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../clock.ts'
import { type ErrorCode, TroupeError } from '../errors.ts'
import { deadly, endedByDamage, LAST_WORDS } from '../store/damage/whole.ts'
import { besidesStore, type Diagnosis } from './doctor.ts'
import { type Finding, type PlainFinding, type Premises, plainFinding, premisesOf } from './finding.ts'
import { RESTORE } from './reads.ts'

const PROGRAM = fileURLToPath(new URL('./aside-program.js', import.meta.url))

/** `upgrade`: an examination before one; `laws`: only the store, and only errors. */
export type Task = 'examine' | 'upgrade' | 'fix' | 'laws'
export interface Order {
  task: Task
  premises: Premises
}

export type PlainDiagnosis = Omit<Diagnosis, 'findings' | 'fixed'> & { findings: PlainFinding[]; fixed: PlainFinding[] }
export type Answer = { said: PlainDiagnosis | string[] } | { refusal: { code: ErrorCode; message: string } }

// D851: the doctor only repairs what loses nothing
/**
 * A store that kills its reader is a finding like any other.
 * @param enough ends it @throws TroupeError as `examine` and `fixHome`; service_unavailable: it was ended
 */
export async function diagnosed(
  task: 'examine' | 'upgrade' | 'fix',
  premises: Premises,
  clock: Clock,
  enough?: AbortSignal
): Promise<PlainDiagnosis> {
  const { said, damage } = await aside<PlainDiagnosis>({ task, premises }, enough)
  if (said) return said
  const finding: Finding = { check: 'store', severity: 'error', message: damage, mending: RESTORE }
  return { notExamined: [], findings: [...besidesStore(premises, clock), finding].map(plainFinding), fixed: [] }
}

/** @throws TroupeError internal_error: it would kill its reader */
export async function refuseDeadly(premises: Premises): Promise<void> {
  const { damage } = await aside<string[]>({ task: 'laws', premises })
  if (damage !== undefined) throw new TroupeError('internal_error', `${damage}: ${RESTORE}`)
}

type Outcome<T> = { said: T; damage?: never } | { said?: never; damage: string }

function aside<T>({ task, premises }: Order, enough?: AbortSignal): Promise<Outcome<T>> {
  const order: Order = { task, premises: premisesOf(premises) }
  return new Promise((resolve, reject) => {
    const child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [], serialization: 'advanced' })
    let answer: Answer | undefined
    let last = ''
    const end = () => void child.kill('SIGKILL')
    if (enough?.aborted) end()
    enough?.addEventListener('abort', end)
    child.stderr?.on('data', (text) => {
      last = `${last}${text}`.slice(-LAST_WORDS)
    })
    child.on('error', reject)
    child.on('message', (message: Answer) => {
      answer = message
    })
    child.on('close', (code, signal) => {
      enough?.removeEventListener('abort', end)
      if (answer && 'said' in answer)
        resolve({ said: answer.said as T }) // what the task of this name returns
      else if (answer) reject(new TroupeError(answer.refusal.code, answer.refusal.message))
      else if (enough?.aborted) reject(new TroupeError('service_unavailable', 'the examination was ended'))
      else if (signal && endedByDamage(signal, last))
        resolve({ damage: deadly(join(premises.dataDir, 'troupe.mdb'), signal, last) })
      else if (signal)
        reject(
          new TroupeError(
            'service_unavailable',
            `the examination was ended by ${signal}, perhaps for want of memory: nothing is known of the store`
          )
        )
      else reject(new Error(`the examination ended with code ${code}: ${last.trim()}`))
    })
    child.send(order)
  })
}
