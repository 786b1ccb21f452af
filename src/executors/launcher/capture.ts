/** A short command whose output is wanted: backticks and conditions at run time. Source: execution-semantics 3.1.2, 5.6.4. */
import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openMasker } from '../../masking/masker.ts'
import type { Secrets } from '../../masking/secrets.ts'
import type { Account } from '../../platform/account.ts'
import type { ExecutionEnd } from '../executor.ts'
import type { StepGroups } from '../limits/step-groups.ts'
import type { StepLimits } from '../limits/step-limits.ts'
import { signalGroup, signalText } from '../processes/process-group.ts'
import { identityIn } from '../processes/state-file.ts'
import type { Launcher } from './launcher.ts'
import { makeOwnFolder } from './launcher-folder.ts'

export interface Command {
  argv: string[]
  /** Exists. */
  cwd: string
  env: Record<string, string>
  /** Only the exit code of the command is wanted. */
  silent?: boolean
  /** Secrets masked in the end of stderr, which is only good for a message. */
  secrets: Secrets
  /** The user whom the command runs as; absent: that of the engine. */
  account?: Account | undefined
  /** Limits of the command; absent: all that there is. */
  limits?: StepLimits | undefined
  /** Kills it. */
  signal?: AbortSignal | undefined
}
export interface Captured {
  /** -1: ended by a signal. */
  exitCode: number
  /** `exit status 3` or `signal: killed`, with the limit that did it; also that there was too much output, which makes the exit code 1. */
  cause: string
  stdout: string
  /** The end of stderr. */
  stderr: string
}
export type Capture = (command: Command) => Promise<Captured>

const MAX_STDOUT_BYTES = 1_048_576
const STDERR_BYTES = 1_024

/**
 * Kills what engines before this one were capturing when they ended: nobody waits for it any more, and it is begun anew.
 * @param folder of the engine that begins; those of others lie beside it
 */
export function killLeftCommands(folder: string): void {
  const parent = dirname(folder)
  for (const other of list(parent))
    for (const file of list(join(parent, other))) {
      const identity = STATE.test(file) ? identityIn(join(parent, other, file)) : undefined
      if (identity) signalGroup(identity, 'SIGKILL')
    }
}

const STATE = /^c\d+\.state$/
function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // there is none, or it is no folder
  }
}

/**
 * @param folder for the files of a command while it runs: that of the launcher, which makes it
 * @param groups for those that are limited; absent: none is
 */
export function capturing(launcher: Launcher, folder: string, groups?: Pick<StepGroups, 'make' | 'over'>): Capture {
  let count = 0
  return async ({ argv, cwd, env, silent = false, signal, secrets, account, limits }) => {
    makeOwnFolder(folder) // logind removes what a user has in memory when that user has logged out
    const base = join(folder, `c${++count}`)
    const files = { stdout: `${base}.stdout`, stderr: `${base}.stderr`, state: `${base}.state` }
    const streams = silent ? { stdout: '/dev/null', stderr: '/dev/null' } : files
    const isSecret = !secrets.none
    const cgroup = limits && groups?.make(base, limits)
    const held = { ...(account ? { account } : {}), ...(cgroup === undefined ? {} : { cgroup }) }
    const launched = launcher.launch({ argv, cwd, env, ...streams, ...held, state: files.state, offset: 0, isSecret })
    const kill = () => {
      if (launched.withdraw()) return
      void launched.began.then(() => {
        const identity = identityIn(files.state)
        if (identity) signalGroup(identity, 'SIGKILL')
      })
    }
    signal?.addEventListener('abort', kill, { once: true })
    if (signal?.aborted) kill()
    try {
      const { exitCode, signaled } = await launched.ended
      const { limit } = groups?.over<Pick<ExecutionEnd, 'exitCode' | 'limit'>>(base, { exitCode }) ?? {}
      const stdout = read(files.stdout, MAX_STDOUT_BYTES)
      const stderr = maskedEnd(files.stderr, secrets)
      if (stdout === undefined)
        return {
          exitCode: 1,
          cause: `output exceeded maximum size limit of ${MAX_STDOUT_BYTES} bytes`,
          stdout: '',
          stderr: ''
        }
      return {
        exitCode: signaled ? -1 : exitCode,
        cause: [signaled ? `signal: ${signalText(exitCode - 128)}` : `exit status ${exitCode}`, limit]
          .filter(Boolean)
          .join(': '),
        stdout,
        stderr
      }
    } finally {
      signal?.removeEventListener('abort', kill)
      for (const path of Object.values(files)) rmSync(path, { force: true })
    }
  }
}

/** The end of a text with its secrets masked. What may be the rest of a value that begins earlier is left out. */
function maskedEnd(path: string, { patterns }: Secrets): string {
  const { longest } = patterns.automaton
  const bytes = Buffer.from(read(path, -STDERR_BYTES - longest) ?? '')
  const masker = openMasker(patterns)
  const before = masker.push(bytes.subarray(0, longest))
  const rest = [masker.push(bytes.subarray(longest)), masker.flush()]
  const whole = bytes.length < STDERR_BYTES + longest ? [before, ...rest] : rest
  return Buffer.concat(whole).subarray(-STDERR_BYTES).toString()
}

/** @param limit undefined when there are more bytes; negative: so many of the end. Empty when there is no file */
function read(path: string, limit: number): string | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return ''
  }
  try {
    const { size } = fstatSync(file)
    if (limit >= 0 && size > limit) return undefined
    const bytes = Buffer.alloc(Math.min(size, Math.abs(limit)))
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, size - bytes.length))
  } finally {
    closeSync(file)
  }
}
