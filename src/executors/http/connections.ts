/** Connections over HTTP, to the server or through a proxy, each for one exchange. Source: execution-semantics 10.4.6; reliability R18. */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { buildConnector, Dispatcher } from 'undici'
import { MAX_HEAD_BYTES, openAnswerHead } from './answer-head.ts'
import type { EgressGuard } from './egress.ts'

const CONNECT_MS = 30_000

export interface Connections {
  /** A new connection. */
  to(url: URL): Dispatcher
  /** Closes all of them. */
  close(): void
}

/** @param guard says where a connection may go; absent: everywhere */
export async function openConnections(skipTlsVerify: boolean, guard?: EgressGuard): Promise<Connections> {
  const { Agent, EnvHttpProxyAgent, Pool, buildConnector } = await import('undici')
  const tls = { rejectUnauthorized: !skipTlsVerify }
  // The time limits of the step apply, not those of the client.
  const limits = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: MAX_HEAD_BYTES }
  const direct = buildConnector({ ...tls, timeout: CONNECT_MS, ...(guard ? { lookup: guard.lookup } : {}) })
  const connect = tolerant(guard ? guard.guarded(direct) : direct)
  /** A proxy creates connections by a function; each of them is for one exchange, too. @param hostname that it leads to */
  const factoryFor =
    (hostname: string) =>
    (origin: string | URL, options: { connect?: unknown }): Dispatcher => {
      if (typeof options.connect !== 'function') return new Pool(origin, { ...options, ...limits, connect })
      const proxied = options.connect as buildConnector.connector
      const checked = guard ? guard.throughProxy(proxied, hostname) : proxied
      return new Pool(origin, { ...options, ...limits, connect: tolerant(checked) })
    }
  const opened: Dispatcher[] = []
  return {
    to({ hostname }) {
      const dispatcher = isLoopback(hostname)
        ? new Agent({ ...limits, connect })
        : new EnvHttpProxyAgent({ factory: factoryFor(hostname), requestTls: tls, proxyTunnel: false }) // from the server's environment, if set
      opened.push(dispatcher)
      return dispatcher
    },
    close() {
      for (const dispatcher of opened) void dispatcher.destroy().catch(() => {}) // nothing depends on it
    }
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/** Connections whose responses the client's parser accepts. */
const tolerant =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]: [Error | null, Socket | null]) => {
      if (error || !socket) callback(error ?? new Error('no connection'), null)
      // The client uses a socket only as a stream.
      else callback(null, withReadHead(socket) as unknown as Socket)
    })

/** The connection, but reading from it gives the response with a normalized head. */
function withReadHead(socket: Socket): Duplex {
  const head = openAnswerHead()
  let hasEnded = false
  const stream = new Duplex({
    allowHalfOpen: false,
    read: () => void socket.resume(),
    write: (chunk, encoding, done) => void socket.write(chunk, encoding, done),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy()
      done(error)
    }
  })
  const give = (bytes: Buffer) => {
    if (bytes.length > 0 && !stream.push(bytes)) socket.pause()
  }
  socket.on('data', (chunk: Buffer) => {
    try {
      give(head.next(chunk))
    } catch (error) {
      stream.destroy(error as Error) // of the head, by `next`
    }
  })
  socket.on('end', () => {
    hasEnded = true
    give(head.rest())
    stream.push(null)
  })
  socket.on('error', (error) => stream.destroy(error))
  socket.on('close', () => {
    if (!hasEnded) stream.destroy()
  })
  return stream
}
