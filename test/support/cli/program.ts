/** The program `troupe` as users start it: a separate process, with this environment and no other. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../homes.ts'
import { eventually } from '../waiting.ts'

/** As it is installed, which starts faster than the modules that it is made of. */
export const PROGRAM = fileURLToPath(new URL('../../../bin/troupe.js', import.meta.url))

const children: ChildProcess[] = []

/** Called after the tests of each file. */
export function endPrograms(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL')
}

export interface Program {
  child: ChildProcess
  written: { out: string; err: string }
  /** Exit code. */
  code: Promise<number | null>
}

/** Starts it in a folder. @param environment beside PATH, HOME and SHELL */
export const program = (folder: string, environment: Record<string, string>, ...argv: string[]): Program =>
  programInto('pipe', folder, environment, [PROGRAM, ...argv])

/** The same, of another installation. @param path of its `troupe.js` */
export const installedProgram = (
  path: string,
  folder: string,
  environment: Record<string, string>,
  ...argv: string[]
): Program => programInto('pipe', folder, environment, [path, ...argv])

/** @param stderr a descriptor, where it is not to be read */
function programInto(
  stderr: 'pipe' | number,
  folder: string,
  environment: Record<string, string>,
  argv: string[]
): Program {
  const env = { PATH: process.env.PATH, HOME: folder, SHELL: '/bin/sh', ...environment }
  const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: ['ignore', 'pipe', stderr] })
  children.push(child)
  const written = { out: '', err: '' }
  for (const [stream, name] of [
    [child.stdout, 'out'],
    [child.stderr, 'err']
  ] as const)
    stream?.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  return { child, written, code: new Promise((resolve) => child.on('close', resolve)) }
}

export interface RunningServer extends Program {
  folder: string
  address: string
  /** Ends it and waits for that. */
  end(): Promise<void>
}

/** `troupe start-all` with a new home in a new folder, listening. @param file text of its config.yaml @param stderr where its log goes */
export async function runningServer(
  environment: Record<string, string> = {},
  { file = '', argv = ['--port', '0'], folder = temporaryFolder(), stderr = 'pipe' as 'pipe' | number } = {}
): Promise<RunningServer> {
  if (file !== '') writeFileSync(join(folder, 'config.yaml'), file, { mode: 0o600 })
  const server = programInto(stderr, folder, { ENGINE_HOME: folder, ...environment }, [
    PROGRAM,
    'start-all',
    '--json',
    ...argv
  ])
  let isOver = false
  void server.code.then(() => {
    isOver = true
  })
  const line = await eventually('a server', () => {
    if (isOver) throw new Error(`the server has ended: ${server.written.err}`)
    return server.written.out.endsWith('\n') ? server.written.out : undefined
  })
  return {
    ...server,
    folder,
    address: JSON.parse(line).address,
    async end() {
      server.child.kill('SIGTERM')
      await server.code
    }
  }
}
