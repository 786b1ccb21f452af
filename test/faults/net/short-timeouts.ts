/** Shortens the timeouts of the HTTP servers in this process, or disables them. Patches a module of Node, nothing of the API. */
import http, { type Server, type ServerOptions } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'

const LIMITS = ['headersTimeout', 'requestTimeout', 'keepAliveTimeout', 'connectionsCheckingInterval'] as const

/** Applies to servers created later. @param times divisor of the timeouts; 0 disables them */
export function shortenTimeouts(times: number): void {
  const { createServer } = http
  const shorter = (ms: number) => (times === 0 ? 0 : Math.round(ms / times))
  const withShortTimeouts = (options: ServerOptions): Server => {
    const limits = { ...options }
    for (const name of LIMITS) {
      const before = limits[name]
      if (before === undefined) continue
      // Node accepts no 0 for its checking interval.
      limits[name] = times === 0 && name === 'connectionsCheckingInterval' ? before : shorter(before)
    }
    const server = createServer(limits)
    // The API sets it after the creation.
    let timeout = server.timeout
    Object.defineProperty(server, 'timeout', {
      get: () => timeout,
      set: (ms: number) => {
        timeout = shorter(ms)
      }
    })
    return server
  }
  http.createServer = withShortTimeouts as typeof createServer
  syncBuiltinESMExports()
}
