/** Blocks of commands as somebody pastes them into a shell: `troupe` is on the path, `~` is a folder of the test, and so is the home. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { PROGRAM } from '../cli/program.ts'

export interface Pasted {
  /** Exit code of the first command that failed; null: it was ended by a signal. */
  code: number | null
  /** Both streams, as they came. */
  out: string
}
export interface PastingOptions {
  /** Default: the folder. */
  cwd?: string
  environment?: Record<string, string>
  /** For blocks that do not end by themselves: when the output so far is as wanted, all of their processes get SIGTERM. */
  until?: (out: string) => boolean
  /** For blocks that run beside others: when it is aborted, all of their processes get SIGTERM. */
  ending?: AbortSignal
}
export interface Shell {
  readonly folder: string
  /** Puts a program before those of the system. */
  install(name: string, script: string): void
  paste(block: string, options?: PastingOptions): Promise<Pasted>
}

/** A block that has not ended by then is killed, with all of its processes. One that others run beside is ended by its test. */
const LONGEST_MS = 180_000

/**
 * @param replaced pairs of what a page has and what it is here: addresses, folders of the system
 * @param environment beside PATH, HOME and ENGINE_HOME, which is the folder, too
 */
export function shellIn(
  folder: string,
  replaced: readonly (readonly [string, string])[] = [],
  environment: Record<string, string> = {}
): Shell {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const shell: Shell = {
    folder,
    install(name, script) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(bin, name), 0o755)
    },
    paste(block, { cwd = folder, environment: more = {}, until, ending } = {}) {
      const script = replaced.reduce((text, [shown, here]) => text.replaceAll(shown, here), block)
      const env = {
        PATH: [bin, process.env.PATH].join(delimiter),
        HOME: folder,
        SHELL: '/bin/sh',
        ENGINE_HOME: folder,
        ...environment,
        ...more
      }
      // A group of its own, so that what a block starts ends with it.
      const child = spawn('sh', ['-ec', script], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
      const signal = (name: NodeJS.Signals) => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, name)
        } catch {
          // It has ended.
        }
      }
      let out = ''
      let isAsked = false
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          out += text
          if (isAsked || !until?.(out)) return
          isAsked = true
          signal('SIGTERM')
        })
      ending?.addEventListener('abort', () => signal('SIGTERM'))
      const late = setTimeout(() => signal('SIGKILL'), LONGEST_MS)
      return new Promise((resolve) =>
        child.on('close', (code) => {
          clearTimeout(late)
          resolve({ code, out })
        })
      )
    }
  }
  shell.install('troupe', `exec '${process.execPath}' '${PROGRAM}' "$@"`)
  return shell
}
