/**
 * The NATS server of a coordinator: started with a configuration of ours, started again when it ends, stopped with its guard. Nothing
 * is stored in it, so killing it loses nothing. Source: distribution 0.4, 6, 7.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, pause } from '../clock.ts'
import { codeOf, TroupeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { makeFolderAtOnce } from '../platform/make-folder.ts'
import { identityOf, isTaken } from '../platform/process-identity.ts'
import { coordinatorIn, dropAddress, keepAddress } from './address-file.ts'
import { type BrokerOptions, brokerConfig } from './broker-config.ts'

export interface GuardOptions extends BrokerOptions {
  /** Folder of its configuration, made anew whenever it is gone. */
  folder: string
  /** Folder of the address file. */
  registry: string
  /** Name or address under which workers reach it. */
  advertise: string
  /** Default: `nats-server`, wherever it is found. */
  program?: string
  /** Environment that the program is found in. */
  environment: Readonly<Record<string, string>>
  clock: Clock
  log: Pick<Log, 'info' | 'warn' | 'error'>
}

export interface Broker {
  /** Such as `127.0.0.1:50055`. */
  address: string
  close(): Promise<void>
}

const PROGRAM = 'nats-server'
const READY_MS = 10_000
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000
/** One that has lived so long is started again at once. */
const WELL_MS = 10_000
const STOP_MS = 2_000
const MOST_LINE = 500

/** @throws TroupeError service_unavailable: the program is missing, the port is in use, or another coordinator serves this home */
export async function guardBroker(options: GuardOptions): Promise<Broker> {
  const { clock, log, registry, host, port, advertise, cluster, token, tls } = options
  const other = coordinatorIn(registry)
  if (other)
    throw new TroupeError(
      'service_unavailable',
      `the coordinator of this home runs already: process id ${other.guard.pid}, at ${other.host}:${other.port}`
    )
  const config = join(options.folder, 'nats.conf')
  const pidFile = join(options.folder, 'nats.pid')
  await endLeftOver(pidFile, config, clock)
  const password = token === '' ? '' : Buffer.from(clock.random(24)).toString('base64url')
  const guard = identityOf(process.pid)
  if (!guard)
    throw new TroupeError('internal_error', 'Troupe needs Linux with a mounted /proc: it knows processes by it')
  const start = (): Running => {
    makeFolderAtOnce(options.folder, 0o700)
    rmSync(config, { force: true })
    writeFileSync(config, brokerConfig(options, password, pidFile), { mode: 0o600 })
    return startBroker(config, options)
  }
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const leaving = new AbortController()
  let running = start()
  try {
    await running.ready
  } catch (error) {
    await running.stop() // it may hang
    rmSync(config, { force: true })
    throw failedStart(error, address)
  }
  keepAddress(registry, {
    ...{ id: Buffer.from(clock.random(8)).toString('hex'), host, port, advertise, cluster, password, guard },
    certFile: tls?.certFile ?? '',
    startedAt: clock.now()
  })

  async function watch(): Promise<void> {
    let waitMs = FIRST_WAIT_MS
    for (;;) {
      const startedAt = clock.elapsed()
      const how = await running.ended
      if (leaving.signal.aborted) return
      if (clock.elapsed() - startedAt > WELL_MS) waitMs = FIRST_WAIT_MS
      log.warn('the broker has ended: it is started again', { how })
      await pause(clock, waitMs, leaving.signal)
      if (leaving.signal.aborted) return
      waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
      try {
        running = start()
        await running.ready
        log.info('the broker is up again', { address })
      } catch (error) {
        if (!leaving.signal.aborted) log.error('the broker does not start', { error: String(error) })
        await running.stop()
      }
    }
  }
  const watched = watch()
  return {
    address,
    async close() {
      leaving.abort()
      dropAddress(registry)
      await running.stop()
      await watched
      for (const file of [config, pidFile]) rmSync(file, { force: true })
    }
  }
}

interface Running {
  /** Resolves when it listens. @throws Error when it ends before */
  ready: Promise<void>
  /** Resolves with how it ended. */
  ended: Promise<string>
  stop(): Promise<void>
}

function startBroker(config: string, { program = PROGRAM, environment, clock, log }: GuardOptions): Running {
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = environment
  // Debian puts it where only the administrator looks.
  const env = { PATH: `${PATH}:/usr/local/sbin:/usr/sbin:/sbin` }
  // Detached: the Ctrl-C of a terminal is for its guard, which ends it.
  const child = spawn(program, ['-c', config], { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let last = ''
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
      const [, level, said = ''] = /\[(ERR|FTL|WRN)\] (.*)/.exec(line) ?? []
      if (level === 'FTL') last = said
      else if (!level && /nats-server: /.test(line)) last = line
      // It warns of passwords in a file that only its user can read.
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

/** What helps against what a server says of its start. */
const HINTS: [RegExp, (address: string) => string][] = [
  [/address already in use/, (address) => `choose another port than that of ${address} with --coordinator.port`],
  [/cannot assign|no such host/, () => 'coordinator.host must be an address of this machine'],
  [
    /x509|certificate/i,
    () => 'peer.certFile, keyFile and clientCaFile must be PEM files, and the key that of the certificate'
  ]
]

function failedStart(error: unknown, address: string): TroupeError {
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

// D984
/** The server outlives a guard that was killed. It has nothing that would be lost, so a new one takes its place. */
async function endLeftOver(pidFile: string, config: string, clock: Clock): Promise<void> {
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
