/**
 * `troupe start-all` and `troupe server`: an engine with its API, until a signal ends it. Running steps survive it.
 * Source: api-semantics 11, execution-semantics 7.3.11.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { serveHome } from '../../api/owner/local.ts'
import { type Config, isAuthenticated } from '../../config.ts'
import type { Engine } from '../../engine/engine.ts'
import { codeOf, LimitReached, TroupeError } from '../../errors.ts'
import { causesOf, type Log } from '../../log.ts'
import { prepareHome } from '../../platform/home-folder.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { makeFolderAtOnce, reasonOf } from '../../platform/make-folder.ts'
import { shellWord } from '../../platform/shell/shell-word.ts'
import type { CliContext, Served } from '../context.ts'
import { inTime } from '../foreground/in-time.ts'
import { interruptsOf } from '../foreground/interrupts.ts'
import { runLogger } from '../foreground/run-logger.ts'
import { logOf } from '../foreground/service-log.ts'
import type { Arguments, CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { whenFree } from '../owner/free-home.ts'
import { version } from './version.ts'

/** How clients reach an engine, and its greeting. */
export interface Service {
  open(context: CliContext, engine: Engine, log: Log): Promise<Served>
  /** @param address of the service */
  greeting(engine: Engine, address: string): string
  /** The engine samples the resources of the machine, because clients can read them. */
  monitoring?: true
  /** The server waits for a home that another engine owns. */
  waits?: true
  /** The server starts a coordinator where the settings ask for one. */
  coordinates?: true
}

export const run: CommandModule['run'] = (args, context) =>
  serveUntilSignal(args, context, { open: listening, greeting, monitoring: true, coordinates: true })

// D264, D491: there is no watchdog thread
/** Runs an engine with its schedules until a signal ends it; resolves with the exit code. */
export async function serveUntilSignal(args: Arguments, context: CliContext, service: Service): Promise<number> {
  const { out, configure, createEngine, clock } = context
  const settings = settingsOf(args)
  const config = configure(settings)
  const runs = config.shutdown
  const monitoring = service.monitoring ? { monitoring: true as const } : {}
  const isQuiet = args.on.has('quiet')
  const log = logOf(context, config, isQuiet)
  const interrupts = interruptsOf(context)
  const stopped = interrupts.next()
  const deafen = context.onNotice((signal) => logNotice(signal, config, log))
  const closers: (() => Promise<void>)[] = []
  try {
    if (service.coordinates && wantsBroker(config)) {
      prepareHome(config, 'write')
      const { startBroker } = await import('./workers/home-broker.ts')
      const broker = await startBroker(config, clock, log)
      closers.unshift(() => broker.close())
      log.info('workers are heard', { address: broker.address, advertise: broker.advertised })
    }
    const open = () => createEngine({ ...settings, log, ...monitoring, schedules: true })
    const waits = { clock, everyMs: config.schedulerRetryMs, say: log.info }
    const engine = await (service.waits ? whenFree(open, stopped, waits) : open())
    if (!engine) return 0
    closers.unshift(() => engine.close({ runs }))
    log.debug('configuration', { file: config.file ?? 'none' })
    makeDefinitionsFolder(config, log)
    if (await context.closeDebugger(config.environment.NODE_OPTIONS))
      log.warn('SIGUSR1 had opened a debugger while the program started: it is closed')
    engine.subscribe(runLogger(engine, log))
    const local = await serveHome(engine)
    closers.unshift(() => local.close())
    const { address, page, close } = await service.open(context, engine, log)
    closers.unshift(close)
    if (page !== undefined) local.announce(page)
    // Recovery, which needs much memory for a moment, is over then.
    void engine.resumed.then(() => Promise.all([context.serving(), context.resting()]))
    if (!isQuiet) out.write(args.on.has('json') ? greetingJson(engine, address) : service.greeting(engine, address))
    await stopped
    log.info('closing', { runs })
    return 0
  } finally {
    const second = interrupts.next()
    if (!(await inTime(closeAll(closers), second, context))) log.warn('left before everything was closed')
    interrupts.end()
    deafen()
  }
}

/** Whether the settings ask for a broker of its own. Source: distribution 8. */
function wantsBroker({ coordination: { enabled, host, port, nats } }: Config): boolean {
  if (enabled !== 'auto') return enabled === 'true'
  return nats.length === 0 && port !== 0 && !isLoopback(host)
}

/** Signals that end other programs. With certificates the API listens for SIGHUP, too. Source: api-semantics 9.3. */
function logNotice(signal: NodeJS.Signals, { tls }: Config, log: Log): void {
  if (signal === 'SIGHUP' && tls) log.info('SIGHUP: the certificates are read again')
  else log.info(`${signal}: nothing to be done; SIGTERM ends this process`)
}

/** Creates the folder of definitions that the greeting names; warns about a configured one, which may be mistyped. */
function makeDefinitionsFolder({ home, dagsDir }: Config, log: Log): void {
  if (existsSync(dagsDir)) return
  try {
    makeFolderAtOnce(dagsDir, 0o755)
    if (dagsDir !== join(home, 'dags'))
      log.warn('the folder of definitions did not exist: an empty one was created', { dagsDir })
  } catch (error) {
    const reason = reasonOf(error)
    log.warn('the folder of definitions cannot be created: there are no definitions until it exists', {
      dagsDir,
      reason
    })
  }
}

async function listening({ serve }: CliContext, engine: Engine, log: Log): Promise<Served> {
  const { auth, host, port, debug } = engine.config
  try {
    const api = await serve(engine, {
      log(message, cause, fields) {
        const say = cause instanceof LimitReached ? log.warn : log.error
        say(message, { ...fields, cause: causesOf(cause) })
      },
      ...(debug ? { answered: (request) => log.debug('request answered', { ...request }) } : {})
    })
    if (!isAuthenticated(auth) && !isLoopback(host))
      log.warn('no authentication: anyone who reaches this address can run commands', { host })
    return { address: api.address, ...pageAt(api.address, engine.config), close: () => api.close() }
  } catch (error) {
    throw portInUse(error, { host, port }, 'choose another with --port; 0 takes any free one')
  }
}

/** Where a browser of this machine finds the page. */
function pageAt(address: string, { headless, basePath }: Config): { page?: string } {
  if (headless || !address.startsWith('http')) return {}
  return { page: address.replace(/\/\/(0\.0\.0\.0|\[::\]):/, '//127.0.0.1:') + basePath }
}

/** The same failure, or a helpful one when the port is in use. */
export function portInUse(error: unknown, { host, port }: { host: string; port: number }, hint: string): unknown {
  const cause = error instanceof TroupeError ? error.cause : error
  if (codeOf(cause) !== 'EADDRINUSE') return error
  return new TroupeError('service_unavailable', `port ${port} of ${host} is in use: ${hint}`, { cause })
}

/** The greeting for people. */
export function greeting({ config, home }: Engine, address: string): string {
  const api = config.basePath + config.apiBasePath
  return `Troupe ${version()} is up
  page         ${address}${config.basePath}/
  API          ${address}${api}
  home         ${home}
  definitions  ${config.dagsDir}
  try          ${callOf(config, `${address}${api}/dags`)}
`
}

/** A call that the server lets in, without the secret itself. */
function callOf({ auth: { tokens, basic, oidc }, home }: Config, url: string): string {
  if (tokens.length > 0) return `curl -H "Authorization: Bearer $ENGINE_AUTH_TOKEN" ${url}`
  if (basic) return `curl --user ${shellWord(basic.username)} ${url}`
  return oidc ? `troupe list --home ${shellWord(home)}` : `curl ${url}`
}

const greetingJson = ({ config, home }: Engine, address: string) =>
  `${JSON.stringify({ version: version(), address, home, dagsDir: config.dagsDir })}\n`

/** Closes all, the last opened first, even when one fails. */
async function closeAll(closers: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers) await close().catch((cause) => failures.push(cause))
  if (failures.length > 0) throw failures[0]
}
