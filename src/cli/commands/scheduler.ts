/**
 * `troupe scheduler`: an engine that follows schedules and serves queues without the API. Others can ask after its health on a
 * port of its own. On a home that is in use it waits. Source: api-semantics 6.4, 11, execution-semantics 11.19.
 */
import { createServer } from 'node:http'
import { proxiesOf } from '../../api/client-address.ts'
import { limitConnections } from '../../api/connections.ts'
import { isLoopback } from '../../api/rules/loopback.ts'
import type { Engine } from '../../engine/engine.ts'
import type { CommandRoom } from '../input/command.ts'
import type { Served, Surroundings } from '../surroundings.ts'
import { portInUse, serveUntilTold } from './start-all.ts'
import { version } from './version.ts'

// D22
export const run: CommandRoom['run'] = (args, surroundings) =>
  serveUntilTold(args, surroundings, { open: healthPort, greeting, waits: true })

const greeting = ({ config }: Engine, address: string) =>
  `Troupe ${version()} follows its schedules
  definitions  ${config.dagsDir}
${address && `  health       ${address}/health\n`}`

/** How slow a request may be: a question after the health is one packet. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 }

/** Answers `GET /health`, and nothing else. With `scheduler.port: 0` there is no port, and no address. */
async function healthPort(_: Surroundings, engine: Engine): Promise<Served> {
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
  // Anybody may ask here: nobody may hold all there is.
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
