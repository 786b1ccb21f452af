/** Makes the HTTP servers of this process lose patience earlier, or never. Node lets its own modules be patched; nothing of the API is. */
import http, { type Server, type ServerOptions } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'

const LIMITS = ['headersTimeout', 'requestTimeout', 'keepAliveTimeout', 'connectionsCheckingInterval'] as const

/** From now on. @param times so many times earlier; Infinity would be at once, 0 is never */
export function hurryServers(times: number): void {
  const { createServer } = http
  const sooner = (ms: number) => (times === 0 ? 0 : Math.round(ms / times))
  const hurried = (options: ServerOptions): Server => {
    const limits = { ...options }
    for (const name of LIMITS) {
      const given = limits[name]
      if (given === undefined) continue
      // Node takes no 0 for the distance of its looks.
      limits[name] = times === 0 && name === 'connectionsCheckingInterval' ? given : sooner(given)
    }
    const server = createServer(limits)
    // Set after it was made.
    let timeout = server.timeout
    Object.defineProperty(server, 'timeout', {
      get: () => timeout,
      set: (ms: number) => {
        timeout = sooner(ms)
      }
    })
    return server
  }
  http.createServer = hurried as typeof createServer
  syncBuiltinESMExports()
}
