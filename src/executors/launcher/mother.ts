/** The mother: the one process that the engine starts for its steps. She makes keepers and the warden; all of them report on her pipe, which outlives her. */
import { spawn } from 'node:child_process'
import { withoutKeptFiles } from './kept-files.ts'

export interface Mother {
  tell(line: string): void
  /** She goes, and whom she has made is heard on. */
  leave(): void
  end(): void
}

/** What is heard through her pipe. */
export interface Family {
  hear(line: string): void
  /** All lines that came together have been told. */
  quiet(): void
  /** She cannot be started, or has ended. */
  gone(cause: Error): void
}

/**
 * @param program her text
 * @param environment of hers and of whom she makes
 */
export function openMother(
  program: string,
  folder: string,
  environment: Record<string, string>,
  family: Family
): Mother {
  const child = spawn('sh', ['-c', program, 'mother', folder], {
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
    for (const line of lines) family.hear(line)
    family.quiet()
  })
  let living = true
  const gone = (cause: Error) => {
    if (living) family.gone(cause)
    living = false
  }
  child.on('error', gone).on('exit', () => gone(new Error('sh, mkfifo, env and setsid (util-linux) are needed')))
  return {
    tell: (line) => void child.stdin?.write(`${line}\n`),
    leave() {
      living = false
      child.stdin?.end()
    },
    end() {
      living = false
      child.kill('SIGKILL')
      child.stdin?.destroy()
      child.stdout?.destroy()
    }
  }
}
