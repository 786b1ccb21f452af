/** `troupe-launcher` without the engine's side of it: bytes that are written to it, lines that it reports. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nativeLauncher } from '../../../src/executors/launcher/native-binary.ts'
import { temporaryFolder } from '../homes.ts'
import { eventually } from '../waiting.ts'

/** A filter between a step and its logs, as far as it is not what most have. */
export interface BareFilter {
  argv: string[]
  order?: string
  drainMs?: number
  notes?: string[]
}

export interface BareJob {
  argv: string[]
  /** Path of the program; absent: the first word. */
  program?: string
  env?: string[]
  /** Hundredths of a second since boot after which it must not begin; absent: whenever. */
  limit?: number
  /** Folder of its files, if that is not the launcher's. */
  logs?: string
  /** Reads both streams. */
  filter?: BareFilter
}

export interface BareLauncher {
  readonly child: ChildProcess
  /** Its folder, which it is started in. */
  readonly folder: string
  /** What it has reported so far. */
  readonly lines: string[]
  readonly pid: number
  write(bytes: string | Buffer): void
  /** Writes a job. Its files are `<name>.out`, `.err` and `.state` in the folder. */
  job(name: string, job: BareJob): void
  /** Waits for a report, and gives the rest of it. */
  heard(start: string): Promise<string>
  /** The engine goes. @returns exit code or signal, when it has ended */
  leave(): Promise<number | string>
}

const listed = (texts: string[]): string[] => [String(texts.length), ...texts]

/** A job as it is written: header and fields. */
export function jobMessage(folder: string, name: string, job: BareJob): string {
  const { argv, program = argv[0] ?? '', env = [], logs = folder, filter, limit = 0 } = job
  const [out, err, state] = ['out', 'err', 'state'].map((suffix) => join(logs, `${name}.${suffix}`))
  const filters = filter
    ? [
        '1',
        '3',
        filter.order ?? '',
        '/dev/null',
        String(filter.drainMs ?? 60_000),
        filter.argv[0] ?? '',
        ...listed(filter.argv),
        ...listed(filter.notes ?? [])
      ]
    : ['0']
  const fields = [
    state,
    'boot 0',
    out,
    err,
    folder,
    '22',
    `${limit}`,
    '', // nobody else
    '', // no cgroup
    program,
    ...listed(argv),
    ...listed(env),
    ...filters
  ]
  const body = fields.map((field) => `${field}\0`).join('')
  return `job ${name} ${Buffer.byteLength(body)}\n${body}`
}

/** Tests that fail leave them with their steps, which end with this process. */
const living = new Set<Pick<BareLauncher, 'child' | 'folder'>>()
process.once('exit', () => {
  for (const { child, folder } of living) {
    const held = join(folder, `${child.pid}.held`)
    const table = existsSync(held) ? readFileSync(held) : Buffer.alloc(0)
    for (let at = 0; at < table.length; at += 4) if (table.readInt32LE(at) > 0) killed(-table.readInt32LE(at))
    child.kill('SIGKILL')
  }
})
function killed(group: number): void {
  try {
    process.kill(group, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/** @param before words of a command that becomes the launcher: its own follow */
export async function bareLauncher(
  before: string[] = [],
  { binary = nativeLauncher(), folder = temporaryFolder() }: { binary?: string; folder?: string } = {}
): Promise<BareLauncher> {
  const [program = '', ...words] = [...before, binary, folder]
  const child = spawn(program, words, { detached: true, cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin?.on('error', () => {})
  const left = { child, folder }
  living.add(left)
  const ended = once(child, 'exit').then(([code, signal]) => {
    living.delete(left)
    return (signal ?? code) as number | string
  })
  const lines: string[] = []
  let rest = ''
  child.stdout?.setEncoding('latin1').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
  })
  const heard = (start: string) =>
    eventually(start, () =>
      lines.find((line) => line === start || line.startsWith(`${start} `))?.slice(start.length + 1)
    )
  const pid = Number(await heard('ready 3'))
  return {
    child,
    folder,
    lines,
    pid,
    write: (bytes) => void child.stdin?.write(bytes),
    job: (name, job) => void child.stdin?.write(jobMessage(folder, name, job)),
    heard,
    leave() {
      child.stdin?.end()
      return ended
    }
  }
}
