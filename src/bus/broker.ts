/**
 * The NATS server of a coordinator: started with a configuration of ours, started again when it ends, stopped with its guard. Nothing
 * is stored in it, so killing it loses nothing. Source: distribution 0.4, 6, 7.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pause } from '../clock.ts'
import { messageOf, TroupeError } from '../errors.ts'
import type { Log } from '../log.ts'
import { makeFolderAtOnce } from '../platform/make-folder.ts'
import { identityOf } from '../platform/process-identity.ts'
import { coordinatorIn, dropAddress, keepAddress } from './address-file.ts'
import { type BrokerOptions, brokerConfig } from './broker-config.ts'
import { endLeftOver, failedStart, type Running, type ServerProgram, startServer } from './broker-process.ts'
import { watchEnrolment } from './enrolment-watch.ts'

export interface GuardOptions extends BrokerOptions, ServerProgram {
  /** Folder of the broker's configuration, made again whenever it is gone. */
  folder: string
  /** Folder of the address file. */
  registry: string
  /** Name or address under which workers reach it. */
  advertise: string
  /** Which workers have a key. */
  enrolmentFile: string
  log: Pick<Log, 'info' | 'warn' | 'error'>
}

export interface Broker {
  /** Host and port, such as `127.0.0.1:50055`. */
  address: string
  close(): Promise<void>
}

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000
/** A server that has lived so long is started again at once. */
const WELL_MS = 10_000

/** @throws TroupeError service_unavailable: the program is missing, the port is in use, or another coordinator serves this home */
export async function guardBroker(options: GuardOptions): Promise<Broker> {
  const { clock, log, registry, host, port, advertise, cluster, tls } = options
  const other = coordinatorIn(registry)
  if (other)
    throw new TroupeError(
      'service_unavailable',
      `the coordinator of this home runs already: process id ${other.guard.pid}, at ${other.host}:${other.port}`
    )
  const config = join(options.folder, 'nats.conf')
  const pidFile = join(options.folder, 'nats.pid')
  await endLeftOver(pidFile, config, clock)
  // Asked for once a token or a key is, which may be enrolled at any time.
  const password = Buffer.from(clock.random(24)).toString('base64url')
  const guard = identityOf(process.pid)
  if (!guard)
    throw new TroupeError('internal_error', 'Troupe needs Linux with a mounted /proc: it knows processes by it')
  const damaged = (error: unknown) =>
    log.error('a change of the enrolled workers is not taken up', { reason: messageOf(error) })
  const enrolment = watchEnrolment(options.enrolmentFile, clock, () => void reload(), damaged)
  function configure(): void {
    makeFolderAtOnce(options.folder, 0o700)
    rmSync(`${config}.new`, { force: true })
    const text = brokerConfig(options, password, pidFile, enrolment.now()?.workers)
    writeFileSync(`${config}.new`, text, { mode: 0o600 })
    renameSync(`${config}.new`, config)
  }
  const start = (): Running => {
    configure()
    return startServer(config, options)
  }
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const leaving = new AbortController()
  let running = start()
  try {
    await running.ready
  } catch (error) {
    enrolment.close()
    await running.stop() // it may hang
    rmSync(config, { force: true })
    throw failedStart(error, address)
  }
  const id = Buffer.from(clock.random(8)).toString('hex')
  const startedAt = clock.now()
  const tellAddress = () => {
    const revision = enrolment.now()?.revision
    keepAddress(registry, {
      id,
      host,
      port,
      advertise,
      cluster,
      password,
      guard,
      startedAt,
      certFile: tls?.certFile ?? '',
      ...(revision === undefined ? {} : { enrolment: revision })
    })
  }
  tellAddress()

  /** A command that has enrolled or revoked a worker waits until the address file says so. */
  async function reload(): Promise<void> {
    try {
      configure()
      await running.reload()
      if (leaving.signal.aborted) return
      tellAddress()
      log.info('the enrolled workers have changed', { keys: countOf(enrolment.now()?.workers) })
    } catch (error) {
      damaged(error)
    }
  }

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
      enrolment.close()
      dropAddress(registry)
      await running.stop()
      await watched
      for (const file of [config, pidFile]) rmSync(file, { force: true })
    }
  }
}

const countOf = (workers: readonly { revokedAt?: number }[] = []) =>
  workers.filter(({ revokedAt }) => revokedAt === undefined).length
