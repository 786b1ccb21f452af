/**
 * `troupe coordinator`: starts the message bus over which the engine of a home and its workers talk, and guards it until a signal ends
 * it. Nothing is stored in it, so it may end and start again at any time. Source: distribution 0.4, 8; api-semantics 11.
 */
import type { Config } from '../../../config.ts'
import { prepareHome } from '../../../platform/home-folder.ts'
import { inTime } from '../../foreground/in-time.ts'
import { interruptsOf } from '../../foreground/interrupts.ts'
import { logOf } from '../../foreground/service-log.ts'
import type { CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { version } from '../version.ts'
import { type HomeBroker, startBroker } from './home-broker.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, configure, clock } = context
  const config = configure(settingsOf(args))
  const isQuiet = args.on.has('quiet')
  const log = logOf(context, config, isQuiet)
  const interrupts = interruptsOf(context)
  const stopped = interrupts.next()
  const deafen = context.onNotice((signal) => log.info(`${signal}: nothing to be done; SIGTERM ends this process`))
  try {
    prepareHome(config, 'write')
    const broker = await startBroker(config, clock, log)
    if (!isQuiet) out.write(args.on.has('json') ? greetingJson(config, broker) : greeting(config, broker))
    await stopped
    log.info('closing')
    const second = interrupts.next()
    if (!(await inTime(broker.close(), second, context))) log.warn('left before the broker had ended')
    return 0
  } finally {
    interrupts.end()
    deafen()
  }
}

const greeting = ({ home, coordination }: Config, { address, advertised }: HomeBroker) =>
  `Troupe ${version()} coordinates workers
  address      ${address}${coordination.peer.certFile === '' ? '' : ' (TLS)'}
  home         ${home}
  try          troupe worker --worker.coordinators ${advertised}
`

const greetingJson = ({ home }: Config, { address, advertised }: HomeBroker) =>
  `${JSON.stringify({ version: version(), address, advertise: advertised, home })}\n`
