/** Listens for the API, with limits against slow and many clients. Source: reliability 5.1, F24. */
import { chmod, lstat, rm } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type ListenOptions } from 'node:net'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import { systemClock } from '../clock.ts'
import { isAuthenticated } from '../config.ts'
import type { Engine } from '../engine/engine.ts'
import { codeOf, TroupeError } from '../errors.ts'
import { isLoopback } from '../platform/loopback.ts'
import { createApp } from './app.ts'
import { proxiesOf } from './client-address.ts'
import { limitConnections } from './connections.ts'
import type { AnsweredRequest } from './rules/answered.ts'
import type { RequestFields } from './rules/request-id.ts'
import { type Certificates, certificatesOf, reloadOnHangUp } from './tls.ts'

export interface ServeOptions {
  /** Default: as configured. */
  host?: string
  /** 0: any free port. Default: as configured. */
  port?: number
  /** Listens on this local socket, for the owner only, instead of host and port. */
  socketPath?: string
  /** Gets the cause of an internal error. */
  log?: (message: string, cause: unknown, fields?: RequestFields) => void
  /** Told of each request that was answered. Default: nobody is. */
  answered?: (request: AnsweredRequest) => void
}

/** Time for pending answers when the server closes. */
const CLOSING_MS = 5_000
/** Time for a refused client to read the reason. */
const REFUSED_MS = 2_000

// D237: an answer may take as long as its reader goes on reading
/**
 * Serves the API of `engine` until `close`. `address` is a URL such as `http://127.0.0.1:8080`, or the path of the socket.
 * @throws TroupeError bad_request for an address beyond loopback, service_unavailable when the address cannot be bound
 */
export async function serve(
  engine: Engine,
  options: ServeOptions = {}
): Promise<{ address: string; close(): Promise<void> }> {
  const { config } = engine
  const { host = config.host, port = config.port, socketPath, log, answered } = options
  const isOpen = !isAuthenticated(config.auth) && !config.allowUnauthenticated
  if (socketPath === undefined && !isLoopback(host) && isOpen) {
    throw new TroupeError(
      'bad_request',
      `refused to listen on ${host || 'all addresses'}: without authentication, anyone who reaches the port could run commands. ` +
        'Listen on a loopback address such as 127.0.0.1, set up authentication (ENGINE_AUTH_TOKEN, ENGINE_AUTH_BASIC_USERNAME ' +
        'and ENGINE_AUTH_BASIC_PASSWORD), or allow it with ENGINE_ALLOW_UNAUTHENTICATED=1'
    )
  }
  const tls = socketPath === undefined ? config.tls : undefined
  const closing = new AbortController()
  const { isTrusted } = proxiesOf(config.trustedProxies)
  const app = createApp(engine, {
    host,
    trusted: socketPath !== undefined,
    closing: closing.signal,
    ...(log ? { log } : {}),
    ...(answered ? { answered } : {})
  })
  const server = limitedServer(app, { certificates: tls && certificatesOf(tls), isTrusted })
  if (socketPath === undefined) await listen(server, { host, port })
  else await listenOnSocket(server, socketPath)
  const endReloading = tls ? reloadOnHangUp(server, tls, log) : () => {}
  let closed: Promise<void> | undefined
  return {
    address: socketPath ?? urlOf(server, tls ? 'https' : 'http'),
    close() {
      closing.abort()
      endReloading()
      closed ??= close(server)
      return closed
    }
  }
}

export interface LimitOptions {
  /** Serves HTTPS. */
  certificates?: Certificates | undefined
  /** Whether an address is that of a trusted proxy, which has many clients. Default: none is. */
  isTrusted?: (address: string) => boolean
  /** Whether an address is this machine's own. Default: one of loopback is. */
  isLocal?: (address: string) => boolean
}

/** An HTTP server with all limits set, not listening yet. */
export function limitedServer(app: Koa, options: LimitOptions = {}): Server {
  const { certificates, isTrusted = () => false, isLocal = isLoopback } = options
  const limits = {
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 120_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 16 * 1024,
    // A missing Host is answered with an Error object like everything else.
    requireHostHeader: false
  }
  const server = certificates
    ? createSecureServer({ ...limits, ...certificates, handshakeTimeout: limits.headersTimeout })
    : createServer(limits)
  server.timeout = 120_000
  limitConnections(server, {
    isTrusted,
    isLocal,
    refuse: (socket, { status, message }) => {
      // An answer would need a TLS handshake, which costs too much.
      if (certificates) socket.destroy()
      else {
        socket.on('error', () => {}) // it has hung up, which is what is wanted
        socket.resume() // so that it hears when the client hangs up
        say(socket, answerText(status, message, { 'Retry-After': '1' }))
      }
    }
  })
  server.on('request', app.callback())
  const answers = new WeakMap<object, ServerResponse>()
  server.on('request', ({ socket }, response) => {
    answers.set(socket, response)
    // A server that has stopped listening only waits for pending answers.
    response.once('close', () => server.listening || server.closeIdleConnections())
  })
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const { body, headers } = refusalOf(417, STATUS_CODES[417])
    response.writeHead(417, headers).end(body)
  })
  server.on('clientError', (cause, socket) => {
    const answer = answers.get(socket)
    const end = () => say(socket, refusal(codeOf(cause)))
    if (!socket.writable) socket.destroy()
    else if (!answer || answer.writableFinished || !(answer.req.complete || answer.headersSent)) end()
    // The error is in what follows a complete request: that one is answered first.
    else answer.once('finish', end)
  })
  return server
}

/** Answer to a malformed or slow HTTP request. */
function refusal(cause: string | undefined): string {
  const status = cause === 'HPE_HEADER_OVERFLOW' ? 431 : cause === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  return answerText(status, STATUS_CODES[status])
}

/** An answer of the server itself, without the application. */
function answerText(status: number, message: string | undefined, more: Record<string, string> = {}): string {
  const { body, headers } = refusalOf(status, message)
  const lines = Object.entries({ ...headers, ...more }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

/** Sends the last answer on a connection. */
function say(socket: Duplex, text: string): void {
  socket.end(text)
  // The client may keep sending, and never close.
  const cancel = systemClock.after(REFUSED_MS, () => socket.destroy())
  socket.once('close', cancel)
}

/** The Error object of such an answer. */
function refusalOf(status: number, message: string | undefined) {
  const code = status === 429 || status >= 500 ? 'service_unavailable' : 'bad_request'
  const body = JSON.stringify({ code, message })
  const headers = {
    Connection: 'close',
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length
  }
  return { body, headers }
}

function listen(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error) => {
      const place = where.path ?? `${where.host}:${where.port}`
      const reason = codeOf(cause) ?? cause.message
      reject(new TroupeError('service_unavailable', `cannot listen on ${place}: ${reason}`, { cause }))
    }
    server.once('error', failed)
    server.listen({ ...where, exclusive: true }, () => {
      server.off('error', failed)
      resolve()
    })
  })
}

async function listenOnSocket(server: Server, path: string): Promise<void> {
  // A socket file outlives a killed process; one without a listener may be replaced.
  const isSocket = await lstat(path).then(
    (found) => found.isSocket(),
    () => false
  )
  if (isSocket && !(await isAnswered(path))) await rm(path, { force: true })
  await listen(server, { path })
  await chmod(path, 0o600)
}

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', (cause) => resolve(codeOf(cause) !== 'ECONNREFUSED'))
  })

function urlOf(server: Server, scheme: string): string {
  // A server that listens on a port has an AddressInfo.
  const { address, family, port } = server.address() as AddressInfo
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cancel = systemClock.after(CLOSING_MS, () => server.closeAllConnections())
    server.close(() => {
      cancel()
      resolve()
    })
    server.closeIdleConnections()
  })
}
