/**
 * The owner's socket: the API, and beside it `/local/...` for the command line of the same user. It is reached through a
 * file that only this user can open, so a definition may be named by path here and nowhere else. Source: api-semantics 11.
 *
 *     GET  /local/engine                         -> {home, dagsDir, holdsQueues, page, apiPath}
 *     POST /local/start {file | fromRun, params, dagRunId, dagName, noQueue, waitWhenFull, unlimited}
 *                                                -> a line {key, queued, after, warnings}, then a line {event} for each; at the end {ended: RunDetails}
 *     POST /local/retry {name, dagRunId, stepName, unlimited} -> the same
 *     POST /local/enqueue {file, params, dagRunId, dagName, queue} -> the key
 *     GET  /local/tree?name=&dagRunId=           -> lines of the tree below a run, each with its place: {event, place}; at the end {ended: true}
 *     POST /local/stop {name, dagRunId, force}          -> the keys of the runs that were asked to stop
 *     GET  /local/stalled                        -> whether nothing can be stored
 *     POST /local/definition {file}              -> {name, problems}
 *     POST /local/enter {entry}                  -> null; it is in the audit log, if one is kept
 *
 * A request of the command line has the header `Troupe-Command`: the step in which the command runs, or nothing.
 *
 * Failures are answered with the Error object; clients go by its code, the HTTP status is always 400.
 */
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { type Clock, nextTurn, pause, systemClock } from '../../clock.ts'
import type { Engine, EngineEvent } from '../../engine/engine.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { keepThere, listen } from '../socket-file.ts'
import { askersOf } from './askers.ts'
import { ownersClientOf } from './audited-client.ts'
import { COMMAND_HEADER, stepOf } from './calling-step.ts'
import type { ClientStart, EngineClient, OwnersEntry, StartedRun } from './engine-client.ts'
import { type Input, inputOf, required } from './input.ts'
import { trustedApi } from './trusted-api.ts'

/** Time for pending answers when the server closes. */
const CLOSING_MS = 500
/** A client sends its request as soon as it has connected; a closing server waits no longer for one. */
const ASKING_MS = 200
/** A client that reads its events too slowly is disconnected at so much buffered data; it can resume with /local/events. */
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
  const client: EngineClient & { page?: string } = ownersClientOf(engine)
  const clientFor = ({ headers }: IncomingMessage): EngineClient => {
    const step = stepOf(headers[COMMAND_HEADER])
    return step === undefined ? client : { ...client, ...ownersClientOf(engine, step) }
  }
  const api = trustedApi(engine)
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    askers.heard(request.socket)
    const [path = '', query] = (request.url ?? '').split('?', 2)
    if (path.startsWith('/local/')) {
      void answer(() => clientFor(request), engine, request, response, path, new URLSearchParams(query))
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
  clientOf: () => EngineClient,
  engine: Engine,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams
): Promise<void> {
  try {
    const route = routes[`${request.method} ${path}`]
    if (!route) throw new TroupeError('not_found', `no such path: ${request.method} ${path}`)
    await route(clientOf(), await inputOf(request, query), response, engine)
  } catch (cause) {
    fail(response, cause)
  }
}

type Route = (client: EngineClient, input: Input, response: ServerResponse, engine: Engine) => Promise<void>

const routes: Partial<Record<string, Route>> = {
  'GET /local/engine': async ({ home, dagsDir, holdsQueues, page, apiPath }, _input, response) =>
    send(response, { home, dagsDir, holdsQueues, page, apiPath }),
  'POST /local/start': async (client, input, response, engine) =>
    report(engine, await client.start(startOf(input)), response),
  async 'POST /local/retry'(client, input, response, engine) {
    const options = { stepName: input.text('stepName'), unlimited: input.is('unlimited') }
    await report(engine, await client.retry(keyOf(input), options), response)
  },
  'POST /local/enqueue': async (client, input, response) => send(response, await client.enqueue(startOf(input))),
  'GET /local/stalled': async (client, _input, response) => send(response, await client.stalled()),
  async 'GET /local/tree'(client, input, response, engine) {
    const key = keyOf(input)
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
  },
  async 'POST /local/stop'(client, input, response) {
    send(response, await client.stop(required(input, 'name'), input.text('dagRunId'), { force: input.is('force') }))
  },
  async 'POST /local/definition'(client, input, response) {
    send(response, await client.definition(required(input, 'file')))
  },
  async 'POST /local/enter'(client, input, response) {
    const entry: OwnersEntry = JSON.parse(required(input, 'entry')) // written by `client.ts` of the command line
    await client.enter?.(entry)
    send(response, null)
  }
}

const keyOf = (input: Input): RunKey => ({ name: required(input, 'name'), dagRunId: required(input, 'dagRunId') })

function startOf(input: Input): ClientStart {
  const texts = (['params', 'dagRunId', 'dagName', 'queue'] as const).flatMap((field) => {
    const text = input.text(field)
    return text === undefined ? [] : [[field, text] as const]
  })
  const switches = (['noQueue', 'waitWhenFull', 'unlimited'] as const).filter((field) => input.is(field))
  const earlier = input.within('fromRun')
  return {
    ...(earlier ? { fromRun: keyOf(earlier) } : { file: required(input, 'file') }),
    ...Object.fromEntries(texts),
    ...Object.fromEntries(switches.map((field) => [field, true]))
  }
}

/** Answers with what was started, and goes on with its events: an engine that is about to leave takes no other request. */
async function report(engine: Engine, started: StartedRun, response: ServerResponse): Promise<void> {
  const write = lines(response)
  write(started)
  if (!started.queued) await follow(engine, started, write)
  response.end()
}

/** Events that are read at once. */
const AT_A_TIME = 1_000

async function follow(engine: Engine, { key, after }: StartedRun, write: (line: object) => void): Promise<void> {
  const [{ eventShape, runDetails }, { timeTextOf }] = await Promise.all([
    import('../shapes/shapes.ts'),
    import('../shapes/time-text.ts')
  ])
  const time = timeTextOf(engine.config)
  let last = after
  const tell = (event: EngineEvent) => {
    if (event.seq <= last) return
    last = event.seq
    write({ event: eventShape(event, time) })
  }
  const end = engine.subscribe(tell, key)
  try {
    for (let isMore = true; isMore; ) {
      const records = engine.journal(key, last, AT_A_TIME)
      for (const record of records) tell(record)
      isMore = records.length === AT_A_TIME
    }
    write({ ended: runDetails(await engine.result(key), time) })
  } finally {
    end()
  }
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
