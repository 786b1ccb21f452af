/** A line between a client and a server, which tests cut. */
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'

/** Stands between a client and a server: counts connections, and can cut them or fall silent. */
export interface Line {
  port: number
  connections: number
  open: number
  cut(): void
  freeze(): void
  /** Ends silence: new connections reach the server. */
  speak(): void
  close(): void
}

/** @param isSilent connections are accepted, and get no answer */
export async function lineTo(to: NetConnectOpts, isSilent = false): Promise<Line> {
  let silent = isSilent
  const pairs = new Set<[Socket, Socket]>()
  const server: Server = createServer((client) => {
    if (silent) {
      line.connections++
      client.on('error', () => {}) // the client is gone
      return
    }
    const target = connect(to)
    const pair: [Socket, Socket] = [client, target]
    pairs.add(pair)
    line.connections++
    line.open++
    const end = () => {
      if (pairs.delete(pair)) line.open--
      for (const socket of pair) socket.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    client.pipe(target).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const line: Line = {
    port: typeof address === 'object' && address ? address.port : 0,
    connections: 0,
    open: 0,
    cut() {
      for (const [client] of pairs) client.destroy()
    },
    freeze() {
      for (const pair of pairs)
        for (const socket of pair) {
          socket.unpipe()
          socket.removeAllListeners('data').pause()
        }
    },
    speak() {
      silent = false
    },
    close() {
      line.cut()
      server.close()
    }
  }
  return line
}

/** A workflow of one ssh step that reaches no further than a silent line. */
export const connectingTo = ({ port }: Line): string => {
  const ssh = { user: 'u', host: '127.0.0.1', port: String(port), password: 'p', strictHostKey: false }
  return `name: connecting\nssh: ${JSON.stringify(ssh)}\nsteps: [{name: there, command: echo there}]\n`
}
