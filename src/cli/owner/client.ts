/** Client of the engine in another process that owns the home, over its socket. Loads nothing of an engine. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Operation } from '../../api/contract/operation.ts'
import { LINES, OWNER_OPERATIONS, type StartedRun } from '../../api/contract/owner-operations.ts'
import { COMMAND_HEADER, PROTOCOL, stepText } from '../../api/owner/calling-step.ts'
import type { EngineClient } from '../../api/owner/engine-client.ts'
import type { TreePlace } from '../../api/tree-events.ts'
import type { JournalEvent, RunDetails } from '../../client/index.ts'
import { type CallArguments, placeOf } from '../../client/request.ts'
import type { Clock } from '../../clock.ts'
import type { CallingStep, EngineEvent } from '../../engine/engine.ts'
import { type ErrorCode, TroupeError } from '../../errors.ts'
import { type Acts, type OwnersApi, ownersActs } from './acts.ts'
import { Gone } from './gone.ts'
import { type Hearing, hearing, throughRestarts, toItsEnd } from './held-run.ts'
import type { OpenClient } from './opened.ts'
import { overSocket } from './over-node.ts'
import { apiBy, ownersApiBy } from './owned-api.ts'

/** An owner that does not answer in this time is stuck. */
const ANSWER_MS = 10_000

/** No event was received, and no earlier one is wanted. */
const UNHEARD = hearing(() => {})

export interface SocketClient extends EngineClient, Acts, Pick<OpenClient, 'api' | 'follow'> {
  readonly owner: OwnersApi
  /** Lets go of everything that is being waited for. */
  close(): void
}

/** How a run has ended, from the store, after its last events; undefined: it has not, or that is unknown. */
export type EndOf = (key: RunKey, heard: Hearing) => Promise<RunDetails | undefined>

/**
 * Connects to the process behind the socket. Undefined: there is none.
 * @param endOf called when the owner is gone: it may have ended its runs before it left
 * @param step in which the command runs; absent: in none
 * @throws TroupeError service_unavailable when it does not answer
 */
export async function connectToOwner(
  socketPath: string,
  clock: Clock,
  endOf: EndOf = async () => undefined,
  step?: CallingStep
): Promise<SocketClient | undefined> {
  const closing = new AbortController()
  const place: Place = { socketPath, signal: closing.signal, ...(step === undefined ? {} : { step }) }
  try {
    const { protocol, ...owner } = await ask<Owner & { protocol?: number }>({ ...place, path: '/local/engine' })
    if (protocol !== PROTOCOL)
      throw new TroupeError(
        'service_unavailable',
        `the engine of the home ${owner.home} is of ${(protocol ?? 1) < PROTOCOL ? 'an older' : 'a newer'} release of Troupe than this command: restart it, or use its command`
      )
    return socketClient(place, owner, clock, closing, endOf)
  } catch (error) {
    if (error instanceof Gone) return undefined
    throw error
  }
}

type Owner = Pick<EngineClient, 'home' | 'dagsDir' | 'holdsQueues' | 'page' | 'apiPath'>

function socketClient(place: Place, owner: Owner, clock: Clock, closing: AbortController, endOf: EndOf): SocketClient {
  const { socketPath, signal } = place
  const silent = { afterMs: ANSWER_MS, error: () => stuck(socketPath) }
  const socket = { path: socketPath, gone, silent }
  const api = apiBy(overSocket({ ...socket, apiPath: owner.apiPath }), owner, place.step)
  const isBack = async () => (await connectToOwner(socketPath, clock)) !== undefined
  /** The answers that began with the start of a run, by its id: its events follow. */
  const begun = new Map<string, AsyncIterable<string>>()
  async function begin({ path: template }: Operation, { path = {}, body = {} }: CallArguments): Promise<StartedRun> {
    const lines = linesOf(await open({ ...place, path: placeOf(template, path), accept: LINES, body }))
    const first = await lines.next()
    if (first.done) throw new Gone()
    const started: StartedRun = JSON.parse(first.value) // as its schema has it
    begun.set(started.key.dagRunId, lines)
    return started
  }
  const ownersApi = ownersApiBy(overSocket({ ...socket, apiPath: '' }), owner, place.step, {
    startDag: (input = {}) => begin(OWNER_OPERATIONS.startDag, input),
    retryRun: (input) => begin(OWNER_OPERATIONS.retryRun, input)
  })
  return {
    ...owner,
    follow(key, listen, { after, say } = {}) {
      const heard = hearing(listen, after)
      const again = () => toItsEnd({ api, clock, signal }, key, heard)
      const lines = begun.get(key.dagRunId)
      begun.delete(key.dagRunId)
      const first = lines ? toTheEnd<JournalEvent>(lines, heard.hear) : again()
      return throughRestarts(first, { again, isBack, end: () => endOf(key, heard), clock, signal, say })
    },
    watchTree(key, listen, joined) {
      const watch = async (): Promise<unknown> => {
        const path = `/local/tree?${new URLSearchParams({ name: key.name, dagRunId: key.dagRunId })}`
        const lines = linesOf(await open({ ...place, path }))
        joined() // the engine sends the head once it has subscribed
        return toTheEnd<EngineEvent>(lines, listen)
      }
      return throughRestarts(watch(), { again: watch, isBack, end: () => endOf(key, UNHEARD), clock, signal })
    },
    ...ownersActs(api, ownersApi),
    api,
    owner: ownersApi,
    close: () => closing.abort()
  }
}

/** Where requests go, until when, and for which step. */
interface Place {
  socketPath: string
  signal: AbortSignal
  step?: CallingStep
}

interface Question extends Place {
  path: string
  /** Makes it a POST. */
  body?: object
  /** Media type of the answer. */
  accept?: string
  /** Longest silence, ms; absent: unlimited. */
  timeout?: number
}

const gone = (cause: unknown) => (cause instanceof TroupeError ? cause : new Gone(cause))

/** A successful response, body unread. @throws Gone, or the TroupeError of the response */
async function open({ path, body, timeout, accept, ...place }: Question): Promise<IncomingMessage> {
  const { socketPath, signal } = place
  const text = body && JSON.stringify(body)
  const headers = {
    [COMMAND_HEADER]: stepText(place.step),
    ...(accept === undefined ? {} : { Accept: accept }),
    ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  }
  const method = body ? 'POST' : 'GET'
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // A new connection for each request: an idle one would keep this process alive.
    const options = { socketPath, method, path, headers, signal, agent: false, ...(timeout ? { timeout } : {}) }
    const request = httpRequest(options, resolve)
    request.on('timeout', () => request.destroy(stuck(socketPath)))
    request.on('error', (cause) => reject(gone(cause)))
    request.end(text)
  })
  if (response.statusCode === 200) return response
  type Refused = { code: ErrorCode; message: string; details?: Record<string, unknown> }
  const { code, message, details }: Refused = JSON.parse(await textOf(response)) // written by `local.ts`
  throw new TroupeError(code, message, details ? { details } : {})
}

const stuck = (socketPath: string) =>
  new TroupeError(
    'service_unavailable',
    `the engine of this home does not answer on ${socketPath}; is its process stopped?`
  )

async function ask<T>(question: Question): Promise<T> {
  const response = await open({ ...question, timeout: ANSWER_MS })
  return JSON.parse(await textOf(response)) // the other side is the same program
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const line of linesOf(response)) text += `${line}\n`
  return text
}

/** The lines of a response, an unfinished last one included. @throws Gone when it broke off */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string, void> {
  response.setEncoding('utf8')
  let rest = ''
  try {
    for await (const chunk of response) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (cause) {
    throw new Gone(cause)
  }
  if (rest) yield rest
}

/** @throws Gone when the lines end before the run does */
async function toTheEnd<E>(
  lines: AsyncIterable<string>,
  listen: (event: E, place: TreePlace) => void
): Promise<RunDetails> {
  for await (const line of lines) {
    // Written by `local.ts`: a place is sent to listeners that use it.
    const { event, place, ended }: { event?: E; place: TreePlace; ended?: RunDetails } = JSON.parse(line)
    if (ended) return ended
    if (event) listen(event, place)
  }
  throw new Gone()
}
