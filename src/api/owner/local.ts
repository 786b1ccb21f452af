/**
 * The owner's socket: the API, and beside it `/local/...` for the command line of the same user. It is reached through a
 * file that only this user can open, so a definition may be named by path here and nowhere else. Source: api-semantics 11.
 *
 *     GET  /local/engine                  -> {protocol, home, dagsDir, holdsQueues, page, apiPath}
 *     GET  /local/tree?name=&dagRunId=    -> lines of the tree below a run, each with its place: {event, place}; at the end {ended: true}
 *
 * A request of the command line has the header `Troupe-Command`: the step in which the command runs, or nothing.
 *
 * Failures are answered with the Error object; clients go by its code, the HTTP status is always 400.
 */
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Clock, nextTurn, pause, systemClock } from '../../clock.ts'
import type { Engine } from '../../engine/engine.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { keepThere, listen } from '../socket-file.ts'
import { askersOf } from './askers.ts'
import { PROTOCOL } from './calling-step.ts'
import { type EngineClient, engineClientOf } from './engine-client.ts'
import { trustedApi } from './trusted-api.ts'

/** Time for pending answers when the server closes. */
const CLOSING_MS = 500
/** A client sends its request as soon as it has connected; a closing server waits no longer for one. */
const ASKING_MS = 200
/** A client that reads its events too slowly is disconnected at so much buffered data; it goes on without them. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024

export interface LocalServer {
  /** From now on clients are told that the web page is at this address. */
  announce(page: string): void
  /** Removes the socket file. Resolves when clients that had already connected have sent their request, or were too slow. */
  stopListening(): Promise<void>
  /** The same, and resolves when all answers are sent. Clients that follow a run are disconnected. */
  close(): Promise<void>
}

// D307: the command line's socket knows neither credentials nor switches
/**
 * Serves `engine` on a socket at `path`; only its user can connect. Replaces the file of a dead owner: the server
 * owns the home.
 * @throws TroupeError internal_error
 */
export async function serveLocal(engine: Engine, path: string, clock: Clock = systemClock): Promise<LocalServer> {
  const client: EngineClient & { page?: string } = engineClientOf(engine)
  const api = trustedApi(engine)
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    askers.heard(request.socket)
    const [path = '', query] = (request.url ?? '').split('?', 2)
    if (path.startsWith('/local/')) {
      void answer(client, engine, request, response, path, new URLSearchParams(query))
      return
    }
    api(request, response)
  })
  const askers = askersOf(server)
  await listen(server, path)
  const leave = keepThere(server, path, clock)
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  async function stopListening(): Promise<void> {
    if (!server.listening) return
    leave()
    rmSync(path, { force: true })
    for (let turn = 0; turn < 2; turn++) await nextTurn(clock) // pending connections are accepted
    const enough = new AbortController()
    await Promise.race([askers.allHeard(), pause(clock, ASKING_MS, enough.signal)])
    enough.abort()
    if (server.listening) server.close()
  }
  return {
    announce(page) {
      client.page = page
    },
    stopListening,
    async close() {
      const cancel = clock.after(CLOSING_MS, () => server.closeAllConnections())
      await stopListening()
      server.closeIdleConnections()
      await closed
      cancel()
    }
  }
}

async function answer(
  client: EngineClient,
  engine: Engine,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams
): Promise<void> {
  try {
    const route = routes[`${request.method} ${path}`]
    // A command of an older release has asked: newer ones ask operations.
    if (!route)
      throw new TroupeError(
        'not_found',
        `no such path: ${request.method} ${path}; the engine of this home is of a newer release of Troupe than this command: use its command`
      )
    await route(client, query, response, engine)
  } catch (cause) {
    fail(response, cause)
  }
}

type Route = (client: EngineClient, query: URLSearchParams, response: ServerResponse, engine: Engine) => Promise<void>

const routes: Partial<Record<string, Route>> = {
  'GET /local/engine': async ({ home, dagsDir, holdsQueues, page, apiPath }, _query, response) =>
    send(response, { protocol: PROTOCOL, home, dagsDir, holdsQueues, page, apiPath }),
  async 'GET /local/tree'(client, query, response, engine) {
    const key = { name: required(query, 'name'), dagRunId: required(query, 'dagRunId') }
    if (!engine.record(key)) throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`)
    let write = (_value: object) => {}
    const ended = client.watchTree(
      key,
      (event, place) => write({ event, place }),
      () => {
        write = lines(response)
      }
    )
    await ended
    write({ ended: true })
    response.end()
  }
}

/** @throws TroupeError bad_request */
function required(query: URLSearchParams, field: string): string {
  const value = query.get(field)
  if (value) return value
  throw new TroupeError('bad_request', `${field}: wanted a string, found none`)
}

/** Begins an answer of lines, and returns a function that writes one. */
function lines(response: ServerResponse): (value: object) => void {
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
  response.flushHeaders()
  return (value) => {
    if (response.destroyed) return
    response.write(`${JSON.stringify(value)}\n`)
    if (response.writableLength > MOST_WAITING_BYTES) response.destroy()
  }
}

function send(response: ServerResponse, value: unknown, status = 200): void {
  const body = JSON.stringify(value)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

/** Unexpected errors are reported in full: the reader is the user who runs this process. */
function fail(response: ServerResponse, cause: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { code, message, details } =
    cause instanceof TroupeError ? cause : new TroupeError('internal_error', messageOf(cause))
  send(response, { code, message, ...(details ? { details } : {}) }, 400)
}
