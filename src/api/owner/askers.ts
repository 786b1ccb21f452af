/** Clients that have connected to a server without sending a request yet. A closing server hears them first: nobody else would. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Askers {
  heard(socket: Socket): void
  /** Resolves when all connected clients were heard, or are gone. */
  allHeard(): Promise<void>
}

export function askersOf(server: Server): Askers {
  const silent = new Set<Socket>()
  let waiting: (() => void)[] = []
  function heard(socket: Socket): void {
    silent.delete(socket)
    if (silent.size > 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => heard(socket))
  })
  return {
    heard,
    allHeard: () => (silent.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)))
  }
}
