/** The engine that answers for a home, now or next: each request waits for one, and is sent again where an answer was lost. */
import { existsSync } from 'node:fs'
import type { Transport } from '../../api/contract/transport.ts'
import { HOST_HEADER } from '../../api/owner/calling-step.ts'
import { Gone } from '../../api/owner/gone.ts'
import { overSocket } from '../../api/owner/over-socket.ts'
import { isTrusted, socketPath } from '../../api/owner/socket-path.ts'
import { ApiError, UnexpectedAnswer } from '../../client/api-error.ts'
import { type Client, createClient } from '../../client/index.ts'
import type { ClientOptions } from '../../client/request.ts'
import { type Clock, pause } from '../../clock.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { claimedBy } from '../../store/disk/home-owner.ts'

export interface WayToOwner {
  /** Absent: there is a `url`. */
  home?: { home: string; dataDir: string }
  url?: string | undefined
  token?: string | undefined
  /** How long a request waits for an owner. */
  waitMs: number
  clock: Clock
  /** The client is closed. */
  closed: AbortSignal
}

export interface Owner {
  clock: Clock
  closed: AbortSignal
  /** Options of its streams. */
  options: ClientOptions
  api: Client
  /** The same for who acts, as the host says. @throws TroupeError bad_request: over a URL it is the caller that the token is of */
  as(by: string | undefined): Client
  /**
   * The answer of an owner; while there is none, it is asked for again.
   * @param send `isRepeated`: an earlier request may have been carried out
   * @throws TroupeError what the owner refuses; service_unavailable: none has answered in time, or the client was closed; the reason of `signal`
   */
  ask<T>(send: (isRepeated: boolean) => Promise<T>, how?: Asking): Promise<T>
  /** Resolves when an owner answers. @throws TroupeError service_unavailable */
  ready(): Promise<unknown>
}

interface Asking {
  /** What is not known when requests were sent and none was answered, as a clause. */
  unknown?: string
  signal?: AbortSignal | undefined
}

const FIRST_WAIT_MS = 10
const LONGEST_WAIT_MS = 100

export function openOwner({ home, url = '', token, waitMs, clock, closed }: WayToOwner): Owner {
  const optionsFor = (by?: string): ClientOptions =>
    home
      ? { baseUrl: '', fetch: overHome(home.dataDir), headers: { [HOST_HEADER]: encodeURIComponent(by ?? '') } }
      : { baseUrl: url, token }
  const options = optionsFor()
  const api = createClient(options)
  const nobodyAnswers = (error: unknown, unknown = ''): TroupeError => {
    const why = home ? silenceOf(home, error) : messageOf(error instanceof TypeError ? error.cause : error)
    const message = `no engine has answered at ${home?.home ?? url} in ${waitMs} ms: ${why}`
    return new TroupeError('service_unavailable', unknown === '' ? message : `${message}; ${unknown}`, { cause: error })
  }

  const owner: Owner = {
    clock,
    closed,
    options,
    api,
    as(by) {
      if (by === undefined) return api
      if (home) return createClient(optionsFor(by))
      throw new TroupeError('bad_request', 'by: wanted none with url: it is the caller that the token is of')
    },
    ready: () => owner.ask(() => api.getLiveness()),
    async ask(send, { unknown, signal } = {}) {
      const ends = clock.elapsed() + waitMs
      let isRepeated = false
      for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
        if (closed.aborted) throw new TroupeError('service_unavailable', 'this client has been closed')
        signal?.throwIfAborted()
        try {
          return await send(isRepeated)
        } catch (error) {
          if (closed.aborted || signal?.aborted) continue
          if (!isAway(error)) throw refused(error)
          isRepeated ||= !(error instanceof Gone && error.unsent)
          if (clock.elapsed() + wait > ends) throw nobodyAnswers(error, isRepeated ? unknown : '')
          await pause(clock, wait, closed)
        }
      }
    }
  }
  return owner
}

/** Aborted with the first of them, or to be done with them: `AbortSignal.any` would be remembered by those that live long. */
export function firstOf(...signals: readonly AbortSignal[]): AbortController {
  const first = new AbortController()
  const abort = () => first.abort()
  for (const one of signals) {
    if (one.aborted) abort()
    one.addEventListener('abort', abort, { signal: first.signal })
  }
  return first
}

/** Each request goes to the present owner, whose API may begin elsewhere than that of the one before. */
function overHome(dataDir: string): Transport {
  let apiPath: string | undefined
  return async (url, request) => {
    const path = await socketPath(dataDir)
    if (!existsSync(path)) throw new Gone({ syscall: 'connect', code: 'ENOENT' })
    if (!isTrusted(path, dataDir))
      throw new TroupeError('forbidden', `${path} may be of another user: its folder is not this user's alone`)
    try {
      if (apiPath === undefined) {
        const answer = await overSocket(path)('/local/engine', { method: 'GET', headers: {} })
        const known: { apiPath?: string } = JSON.parse(await answer.text()) // of the same package
        apiPath = known.apiPath ?? ''
      }
      return await overSocket(path, apiPath)(url, request)
    } catch (error) {
      apiPath = undefined
      throw error
    }
  }
}

/** There is no owner, it is about to end, or what is between cannot reach it. */
export const isAway = (error: unknown): boolean =>
  error instanceof Gone ||
  (error instanceof ApiError && error.code === 'service_unavailable') ||
  (error instanceof UnexpectedAnswer && error.status >= 500) ||
  (error instanceof TroupeError && error.code === 'service_unavailable') ||
  (error instanceof TypeError && error.cause !== undefined) // of `fetch`

/** What an owner refuses, as an engine of this process would. */
export const refused = (error: unknown): unknown =>
  error instanceof ApiError
    ? new TroupeError(error.code, error.message, {
        cause: error,
        ...(Object.keys(error.details).length > 0 ? { details: { ...error.details } } : {})
      })
    : error instanceof UnexpectedAnswer
      ? new TroupeError('bad_gateway', `no engine of Troupe answers there: ${error.message}`, { cause: error })
      : error

/** Why nobody answers for a home, as a clause. */
function silenceOf({ dataDir }: { dataDir: string }, error: unknown): string {
  if (!(error instanceof Gone && error.unsent)) return messageOf(error)
  const pid = claimedBy(dataDir)
  return pid === undefined
    ? 'no process has it open'
    : `process ${pid} owns it, and has no socket: it is about to end, or was opened without createEngine({ clients: true })`
}
