/** The process of a NATS server: how it starts, what it says, how it ends. Source: distribution 0.4, 6. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type Clock, pause } from '../clock.ts'
import { codeOf, TroupeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { isTaken } from '../platform/process-identity.ts'

const PROGRAM = 'nats-server'
const READY_MS = 10_000
const RELOAD_MS = 5_000
const STOP_MS = 2_000
const MOST_LINE = 500

export interface ServerProgram {
  /** Default: `nats-server`, wherever it is found. */
  program?: string
  /** Environment that the program is found in. */
  environment: Readonly<Record<string, string>>
  clock: Clock
  log: Pick<Log, 'warn'>
}

export interface Running {
  /** Resolves when it listens. @throws Error when it ends before */
  ready: Promise<void>
  /** Resolves with how it ended. */
  ended: Promise<string>
  /** Reads the configuration again. Clients that may no longer connect are cut off, the others stay. @throws Error it is not taken */
  reload(): Promise<void>
  stop(): Promise<void>
}

export function startServer(config: string, { program = PROGRAM, environment, clock, log }: ServerProgram): Running {
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = environment
  // Debian puts it where only the administrator looks.
  const env = { PATH: `${PATH}:/usr/local/sbin:/usr/sbin:/sbin` }
  // Detached: the Ctrl-C of a terminal is for its guard, which ends it.
  const child = spawn(program, ['-c', config], { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let last = ''
  let reloaded: (how: 'done' | 'refused') => void = () => {}
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(codeOf(error) === 'ENOENT' ? MISSING : error.message))
    child.once('close', (code, signal) => resolve(last || (signal ? `signal ${signal}` : `exit code ${code}`)))
  })
  const ready = new Promise<void>((resolve, reject) => {
    const cancel = clock.after(READY_MS, () => reject(new Error(`it was not ready within ${READY_MS / 1_000} s`)))
    linesOf(child, (line) => {
      if (line.includes('Server is ready')) {
        cancel()
        resolve()
      }
      if (line.includes('Reloaded server configuration')) reloaded('done')
      if (line.includes('Failed to reload')) reloaded('refused')
      const [, level, said = ''] = /\[(ERR|FTL|WRN)\] (.*)/.exec(line) ?? []
      if (level === 'FTL') last = said
      else if (!level && /nats-server: /.test(line)) last = line
      // The server warns of passwords in a file that only its user can read.
      if (level === 'ERR' || (level === 'WRN' && !/plaintext passwords/i.test(said))) log.warn(`broker: ${said}`)
    })
    void ended.then((how) => {
      cancel()
      reject(new Error(how))
    })
  })
  ready.catch(() => {})
  return {
    ready,
    ended,
    async reload() {
      const answer = new Promise<'done' | 'refused' | 'silent'>((resolve) => {
        reloaded = resolve
        clock.after(RELOAD_MS, () => resolve('silent'))
        void ended.then(() => resolve('done')) // the next one reads it at its start
      })
      child.kill('SIGHUP')
      const how = await answer
      if (how !== 'done') throw new Error(how === 'refused' ? 'the server refuses it' : 'the server does not answer')
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const cancel = clock.after(STOP_MS, () => child.kill('SIGKILL'))
      await ended
      cancel()
    }
  }
}

const MISSING = `${PROGRAM} is not installed`

/** Hints for what a server says of its start. */
const HINTS: [RegExp, (address: string) => string][] = [
  [/address already in use/, (address) => `choose another port than that of ${address} with --coordinator.port`],
  [/cannot assign|no such host/, () => 'coordinator.host must be an address of this machine'],
  [
    /x509|certificate/i,
    () => 'peer.certFile, keyFile and clientCaFile must be PEM files, and the key that of the certificate'
  ]
]

export function failedStart(error: unknown, address: string): TroupeError {
  const reason = error instanceof Error ? error.message : String(error)
  const hint =
    reason === MISSING
      ? `the coordinator needs it: apt-get install ${PROGRAM}, or see https://nats.io`
      : (HINTS.find(([pattern]) => pattern.test(reason))?.[1](address) ?? '')
  return new TroupeError('service_unavailable', `the broker does not start: ${reason}${hint && `; ${hint}`}`, {
    cause: error
  })
}

function linesOf({ stderr }: ChildProcess, listen: (line: string) => void): void {
  let rest = ''
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = (lines.pop() ?? '').slice(0, MOST_LINE)
    for (const line of lines) listen(line.slice(0, MOST_LINE))
  })
}

// D984: a broker that a killed coordinator left behind is ended by the next one
/** The server outlives a guard that was killed. It has nothing that would be lost, so a new one takes its place. */
export async function endLeftOver(pidFile: string, config: string, clock: Clock): Promise<void> {
  const pid = pidIn(pidFile)
  if (pid === undefined || !isServerOf(pid, config)) return
  process.kill(pid, 'SIGTERM')
  for (let waited = 0; waited < STOP_MS && isTaken(pid); waited += 50) await pause(clock, 50)
  if (isServerOf(pid, config)) process.kill(pid, 'SIGKILL')
}

function pidIn(pidFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
    return pid > 1 && isTaken(pid) ? pid : undefined
  } catch {
    return undefined
  }
}

function isServerOf(pid: number, config: string): boolean {
  try {
    const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return program.endsWith(PROGRAM) && args.includes(config)
  } catch {
    return false
  }
}
