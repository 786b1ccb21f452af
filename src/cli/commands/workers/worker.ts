import type { Config } from '../../../config.ts'
import { TroupeError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { serversFor } from '../../../worker/coordinators.ts'
import type { WorkerHome } from '../../../worker/home.ts'
import { startWorker } from '../../../worker/start-worker.ts'
import type { Worker } from '../../../worker/worker.ts'
import { inTime } from '../../foreground/in-time.ts'
import { interruptsOf } from '../../foreground/interrupts.ts'
import { logOf } from '../../foreground/service-log.ts'
import type { CommandModule } from '../../input/command.ts'
import { positive, settingsOf } from '../../input/flags.ts'
import { version } from '../version.ts'

export const run: CommandModule['run'] = async (args, context) => {
  if (args.operand === 'enroll' || args.operand === 'revoke') {
    const { run: keys } = await import('./enroll-worker.ts')
    return keys(args, context)
  }
  if (args.operands.some((operand) => operand !== '')) {
    const { run: drain } = await import('./drain-worker.ts')
    return drain(args, context)
  }
  if (context.remote)
    throw new TroupeError(
      'bad_request',
      'worker: a worker finds its engine over the message bus: --worker.coordinators says where that is, and not --url'
    )
  const timeoutSec = positive(args, 'timeout')
  const { out, configure, clock } = context
  const config = configure(settingsOf(args))
  if (args.text.out !== undefined) throw new TroupeError('bad_request', 'worker: --out belongs to enroll')
  const isQuiet = args.on.has('quiet')
  const log = logOf(context, config, isQuiet)
  const interrupts = interruptsOf(context)
  const stopped = interrupts.next()
  const deafen = context.onNotice((signal) => log.info(`${signal}: nothing to be done; SIGTERM ends this process`))
  let release = () => {}
  try {
    const { id, home, worker } = await startWorker({ config, clock, log, version: version() })
    release = home.release
    await context.resting()
    if (!isQuiet) out.write(args.on.has('json') ? greetingJson(id, config, home) : greeting(id, config, home))
    const patience = timeoutSec === undefined ? {} : { timeoutMs: timeoutSec * 1_000 }
    const reason = args.on.has('leave-running')
      ? await Promise.race([stopped, worker.drained, worker.replaced])
      : await ending(worker, { stopped, next: interrupts.next, log, ...patience })
    if (reason === undefined) log.info('closing')
    const second = interrupts.next()
    if (!(await inTime(worker.close(), second, context))) log.warn('left before everything was closed')
    if (reason === undefined) return 0
    throw new TroupeError('service_unavailable', `this worker leaves: ${reason}`)
  } finally {
    interrupts.end()
    deafen()
    release()
  }
}

interface Ending {
  stopped: Promise<void>
  next(): Promise<void>
  log: Pick<Log, 'info' | 'warn'>
  timeoutMs?: number
}

// D979: SIGTERM drains without a limit
/** Resolves when it should leave, with the reason if another process has taken its place. */
async function ending(worker: Worker, { stopped, next, log, timeoutMs }: Ending): Promise<string | undefined> {
  const signaled = stopped.then(() => 'signal' as const)
  const first = await Promise.race([signaled, worker.drained, worker.replaced.then((reason) => ({ reason }))])
  if (first !== 'signal') return first?.reason
  const second = next().then(() => 'signal' as const)
  const limit = timeoutMs === undefined ? '' : `, for at most ${timeoutMs / 1_000} s`
  log.info(`draining: no more runs, and those that it has go on${limit}; a second signal ends this process at once`)
  worker.drain(timeoutMs)
  const last = await Promise.race([second, worker.drained, worker.replaced.then((reason) => ({ reason }))])
  if (last !== 'signal') return last?.reason
  log.warn('a second signal: steps at work go on, and the next worker in this home goes on with them')
  return undefined
}

function greeting(id: string, { coordination }: Config, { folder }: WorkerHome): string {
  const { labels, slots } = coordination.worker
  const shown = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return `Troupe ${version()} is the worker ${id}
  labels       ${shown.join(', ') || 'none'}
  slots        ${slots}
  coordinator  ${serversFor(coordination).servers.join(', ')}
  home         ${folder}
`
}

function greetingJson(id: string, { coordination }: Config, { id: home, folder }: WorkerHome): string {
  const { labels, slots } = coordination.worker
  return `${JSON.stringify({ version: version(), id, labels, slots, home, folder })}\n`
}
