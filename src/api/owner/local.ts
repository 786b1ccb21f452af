/**
 * The owner's socket: the API, and beside it `/local/...` for the command line of the same user. It is reached through a
 * file that only this user can open, so a definition may be named by path here and nowhere else. Source: api-semantics 11.
 *
 *     GET  /local/engine                         -> {home, dagsDir, holdsQueues}
 *     POST /local/start {file | fromRun, params, dagRunId, dagName, noQueue, waitWhenFull, unlimited}
 *                                                -> a line {key, queued, warnings}, then as /local/events from the first event on
 *     POST /local/retry {name, dagRunId, stepName, unlimited} -> the same
 *     POST /local/enqueue {file, params, dagRunId, dagName, queue} -> the key
 *     POST /local/dequeue {name, dagRunId} or {queue} -> the key
 *     GET  /local/queues                         -> the queues with their runs
 *     GET  /local/queued?name=, /local/running?name= -> the records of these runs
 *     GET  /local/events?name=&dagRunId=         -> a line {event} for each from now on; at the end a line {ended: RunView}
 *     GET  /local/tree?name=&dagRunId=           -> the same of the tree below a run, each line with its place: {event, place}
 *     GET  /local/with-id?part=                  -> the keys of root runs whose id contains it
 *     GET  /local/names                          -> the DAG names that are known
 *     GET  /local/run?name=&dagRunId=            -> RunView; without an id the newest
 *     GET  /local/facts?ask=&name=&dagRunId=...   -> what `answerTo` in `fact-door.ts` answers
 *     POST /local/stop {name, dagRunId, force}          -> the keys of the runs that were asked to stop
 *     POST /local/definition {file}              -> {name, problems}
 *
 * Failures are answered with the Error object; its code tells, the HTTP status is 400 for all of them.
 */
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { type Clock, nextTurn, pause, systemClock } from '../../clock.ts'
import type { Engine } from '../../engine/engine.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { keepThere, listen } from '../socket-file.ts'
import { askersOf } from './askers.ts'
import { type Door, type DoorStart, doorOf, type StartedRun } from './door.ts'
import { answerTo } from './fact-door.ts'
import { type Given, givenBy, needed } from './given.ts'

/** Answers that are not given when the server closes have this long. */
const CLOSING_MS = 500
/** Who has connected asks at once; who does not ask for so long is not waited for. */
const ASKING_MS = 200
/** A client that reads its events too slowly is disconnected with so much waiting; it can come back with /local/events. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024

export interface LocalServer {
  /** Is not found any more. Resolves when those who had found it are answered, or were too slow to ask. */
  stopListening(): Promise<void>
  /** The same, and resolves when all answers are given. Runs that are still being followed are followed no longer. */
  close(): Promise<void>
}

// D307
/**
 * Serves `engine` on a socket at `path`; only its user can connect. Replaces what a dead owner left there: whoever serves
 * owns the home.
 * @throws TroupeError internal_error
 */
export async function serveLocal(engine: Engine, path: string, clock: Clock = systemClock): Promise<LocalServer> {
  const door = doorOf(engine)
  let api: Promise<RequestListener> | undefined
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    askers.heard(request.socket)
    const [path = '', query] = (request.url ?? '').split('?', 2)
    if (path.startsWith('/local/')) {
      void answer(door, request, response, path, new URLSearchParams(query))
      return
    }
    // Most owners are never asked: the API is loaded with the first request.
    api ??= import('../app.ts').then(({ createApp }) => createApp(engine, { trusted: true }).callback())
    api.then(
      (listener) => listener(request, response),
      (cause) => fail(response, cause)
    )
  })
  const askers = askersOf(server)
  await listen(server, path)
  const leave = keepThere(server, path, clock)
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  async function stopListening(): Promise<void> {
    if (!server.listening) return
    leave()
    rmSync(path, { force: true })
    for (let turn = 0; turn < 2; turn++) await nextTurn(clock) // they are accepted
    const enough = new AbortController()
    await Promise.race([askers.allHeard(), pause(clock, ASKING_MS, enough.signal)])
    enough.abort()
    if (server.listening) server.close()
  }
  return {
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
  door: Door,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams
): Promise<void> {
  try {
    const route = routes[`${request.method} ${path}`]
    if (!route) throw new TroupeError('not_found', `no such path: ${request.method} ${path}`)
    await route(door, await givenBy(request, query), response)
  } catch (cause) {
    fail(response, cause)
  }
}

type Route = (door: Door, given: Given, response: ServerResponse) => Promise<void>

const routes: Partial<Record<string, Route>> = {
  'GET /local/engine': async ({ home, dagsDir, holdsQueues }, _given, response) =>
    send(response, { home, dagsDir, holdsQueues }),
  'POST /local/start': async (door, given, response) => tell(await door.start(startOf(given)), response),
  async 'POST /local/retry'(door, given, response) {
    const options = { stepName: given.text('stepName'), unlimited: given.is('unlimited') }
    await tell(await door.retry(keyOf(given), options), response)
  },
  'POST /local/enqueue': async (door, given, response) => send(response, await door.enqueue(startOf(given))),
  async 'POST /local/dequeue'(door, given, response) {
    const queue = given.text('queue')
    send(response, await door.dequeue(queue === undefined ? keyOf(given) : { queue }))
  },
  'GET /local/facts': async ({ facts }, given, response) => send(response, await answerTo(given, facts)),
  'GET /local/queues': async (door, _given, response) => send(response, await door.queues()),
  'GET /local/queued': async (door, given, response) => send(response, await door.queued(needed(given, 'name'))),
  'GET /local/running': async (door, given, response) => send(response, await door.running(needed(given, 'name'))),
  async 'GET /local/events'(door, given, response) {
    const key = keyOf(given)
    if (!(await door.run(key.name, key.dagRunId)))
      throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`)
    const write = lines(response)
    write({ ended: await door.watch(key, (event) => write({ event })) })
    response.end()
  },
  async 'GET /local/tree'(door, given, response) {
    const key = keyOf(given)
    if (!(await door.run(key.name, key.dagRunId)))
      throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`)
    let write = (_value: object) => {}
    const ended = door.watchTree(
      key,
      (event, place) => write({ event, place }),
      () => {
        write = lines(response)
      }
    )
    write({ ended: await ended })
    response.end()
  },
  'GET /local/with-id': async (door, given, response) => send(response, await door.withId(needed(given, 'part'))),
  'GET /local/names': async (door, _given, response) => send(response, await door.names()),
  async 'GET /local/run'(door, given, response) {
    const [name, dagRunId] = [needed(given, 'name'), given.text('dagRunId')]
    const view = await door.run(name, dagRunId)
    if (!view)
      throw new TroupeError('not_found', dagRunId ? `there is no run ${dagRunId} of ${name}` : `${name} never ran`)
    send(response, view)
  },
  async 'POST /local/stop'(door, given, response) {
    send(response, await door.stop(needed(given, 'name'), given.text('dagRunId'), { force: given.is('force') }))
  },
  async 'POST /local/definition'(door, given, response) {
    send(response, await door.definition(needed(given, 'file')))
  }
}

const keyOf = (given: Given): RunKey => ({ name: needed(given, 'name'), dagRunId: needed(given, 'dagRunId') })

function startOf(given: Given): DoorStart {
  const texts = (['params', 'dagRunId', 'dagName', 'queue'] as const).flatMap((field) => {
    const text = given.text(field)
    return text === undefined ? [] : [[field, text] as const]
  })
  const switches = (['noQueue', 'waitWhenFull', 'unlimited'] as const).filter((field) => given.is(field))
  const earlier = given.within('fromRun')
  return {
    ...(earlier ? { fromRun: keyOf(earlier) } : { file: needed(given, 'file') }),
    ...Object.fromEntries(texts),
    ...Object.fromEntries(switches.map((field) => [field, true]))
  }
}

/** Answers with the run's key, and with its events when it was started. */
async function tell(started: StartedRun, response: ServerResponse): Promise<void> {
  const { key, queued, warnings } = started
  const write = lines(response)
  write({ key, queued, ...(warnings ? { warnings } : {}) })
  if (!started.queued) write({ ended: await started.follow((event) => write({ event })) })
  response.end()
}

/** Begins an answer of lines, and returns what writes one. */
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

/** What was not foreseen is told in full: the reader is the user who runs this process. */
function fail(response: ServerResponse, cause: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { code, message, details } =
    cause instanceof TroupeError ? cause : new TroupeError('internal_error', messageOf(cause))
  send(response, { code, message, ...(details ? { details } : {}) }, 400)
}
