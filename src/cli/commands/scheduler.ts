/**
 * `troupe scheduler`: an engine that follows schedules and serves queues without the API. Its health is served on a separate port.
 * When the home is in use, it waits. Source: api-semantics 6.4, 11, execution-semantics 11.19.
 */
import { createServer } from 'node:http'
import { proxiesOf } from '../../api/client-address.ts'
import { limitConnections } from '../../api/connections.ts'
import type { Engine } from '../../engine/engine.ts'
import { isLoopback } from '../../platform/loopback.ts'
import type { CliContext, Served } from '../context.ts'
import type { CommandModule } from '../input/command.ts'
import { portInUse, serveUntilSignal } from './start-all.ts'
import { version } from './version.ts'

// D22: `server`, `scheduler` and `start-all` start the same process
export const run: CommandModule['run'] = (args, context) =>
  serveUntilSignal(args, context, { open: healthPort, greeting, waits: true })

const greeting = ({ config }: Engine, address: string) =>
  `Troupe ${version()} follows its schedules
  definitions  ${config.dagsDir}
${address && `  health       ${address}/health\n`}`

/** Limits of a slow request: a health check is one packet. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 }

/** Serves only `GET /health`. With `scheduler.port: 0` there is no port and no address. */
async function healthPort(_: CliContext, engine: Engine): Promise<Served> {
  const { host, schedulerPort: port, trustedProxies } = engine.config
  if (port === 0) return { address: '', close: async () => {} }
  const server = createServer(LIMITS, async ({ method = '', url }, response) => {
    const isHealth = /^(GET|HEAD)$/.test(method) && /^\/health(\?|$)/.test(url ?? '')
    const { healthy, error } = isHealth ? await engine.health() : { healthy: false, error: undefined }
    const body = !isHealth
      ? { code: 'not_found', message: 'wanted GET /health' }
      : { status: healthy ? 'healthy' : 'unhealthy', ...(error ? { error } : {}) }
    response.writeHead(isHealth ? (healthy ? 200 : 503) : 404, { 'content-type': 'application/json' })
    response.end(method === 'HEAD' ? undefined : JSON.stringify(body))
  })
  // Open to everyone: no client may take all connections.
  const { isTrusted } = proxiesOf(trustedProxies)
  limitConnections(server, { isTrusted, isLocal: isLoopback, refuse: (socket) => socket.destroy() })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  }).catch((error) => {
    throw portInUse(error, { host, port }, 'choose another with scheduler.port; 0 opens none')
  })
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
