/** The spawner: the one process that the engine starts for its steps. It makes supervisors, and all of them report on its pipe, which outlives it. */
import { spawn } from 'node:child_process'
import { withoutKeptFiles } from '../kept-files.ts'

export interface Spawner {
  tell(line: string): void
  /** It goes, and the supervisors that it has made are heard on. */
  leave(): void
  end(): void
}

/** What is heard through its pipe. */
export interface Reports {
  hear(line: string): void
  /** All lines that came together have been told. */
  quiet(): void
  /** It cannot be started, or has ended. */
  gone(cause: Error): void
}

/**
 * @param program its text
 * @param environment of it and the supervisors
 */
export function openSpawner(
  program: string,
  folder: string,
  environment: Record<string, string>,
  reports: Reports
): Spawner {
  const child = spawn('sh', ['-c', program, 'spawner', folder], {
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
    for (const line of lines) reports.hear(line)
    reports.quiet()
  })
  let living = true
  const gone = (cause: Error) => {
    if (living) reports.gone(cause)
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
