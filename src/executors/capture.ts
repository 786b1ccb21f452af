/** A short command whose output is wanted: backticks and conditions at run time. Source: execution-semantics 3.1.2, 5.6.4. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Launcher } from './launcher.ts'
import { signalGroup, signalText } from './process-group.ts'
import { identityIn } from './state-file.ts'

export interface Command {
  argv: string[]
  /** Exists. */
  cwd: string
  env: Record<string, string>
  /** Kills it. */
  signal?: AbortSignal | undefined
}
export interface Captured {
  /** -1: ended by a signal. */
  exitCode: number
  /** `exit status 3` or `signal: killed`. */
  cause: string
  stdout: string
  stderr: string
}
export type Capture = (command: Command) => Promise<Captured>

/** @param folder for the files of a command while it runs; exists */
export function capturing(launcher: Launcher, folder: string): Capture {
  let count = 0
  return async ({ argv, cwd, env, signal }) => {
    const base = join(folder, `c${++count}`)
    const files = { stdout: `${base}.stdout`, stderr: `${base}.stderr`, state: `${base}.state` }
    const launched = launcher.launch({ argv, cwd, env, ...files, offset: 0 })
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
      return {
        exitCode: signaled ? -1 : exitCode,
        cause: signaled ? `signal: ${signalText(exitCode - 128)}` : `exit status ${exitCode}`,
        stdout: read(files.stdout),
        stderr: read(files.stderr)
      }
    } finally {
      signal?.removeEventListener('abort', kill)
      for (const path of Object.values(files)) rmSync(path, { force: true })
    }
  }
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
