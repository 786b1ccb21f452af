/** Sends one event to its target, and tells how that ended. Decides nothing. Source: docs/notifications.md "What is sent". */
import { createHmac } from 'node:crypto'
import type { Dispatcher } from 'undici'
import type { PostOutcome } from '../../../machines/policy/delivery.ts'
import type { Clock } from '../../clock.ts'
import { codeOf, messageOf } from '../../errors.ts'
import type { NotifyTarget } from './target.ts'

/** Sends a body under an id. Never throws. @param signal lets go of it: the outcome is not wanted any more */
export type Post = (id: string, body: string, signal: AbortSignal) => Promise<PostOutcome>

export interface Posting {
  post: Post
  close(): Promise<void>
}

/** Bytes of an answer that are read, so that its connection ends in order; the rest is not waited for. */
const MOST_BYTES = 64 * 1024
const REST_MS = 1_000
const MOST_HEAD_BYTES = 32 * 1024

export function openPosting(target: NotifyTarget, clock: Clock): Posting {
  let dispatcher: Promise<Dispatcher> | undefined
  const { timeoutMs, secrets } = target
  const url = new URL(target.url.reveal())

  async function post(id: string, body: string, signal: AbortSignal): Promise<PostOutcome> {
    const late = new AbortController()
    const cancel = clock.after(timeoutMs, () => late.abort())
    try {
      dispatcher ??= connections(url, timeoutMs)
      const { request } = await import('undici')
      const answer = await request(url, {
        dispatcher: await dispatcher,
        method: 'POST',
        headers: {
          ...Object.fromEntries(Object.entries(target.headers).map(([name, value]) => [name, value.reveal()])),
          'content-type': 'application/cloudevents+json; charset=utf-8',
          'user-agent': 'Troupe',
          ...signedHeaders(
            id,
            clock.now(),
            body,
            secrets.map((secret) => secret.reveal())
          )
        },
        body,
        signal: AbortSignal.any([signal, late.signal])
      })
      // The status is the answer, whatever becomes of the rest.
      const enough = new AbortController()
      const cancelRest = clock.after(REST_MS, () => enough.abort())
      await answer.body.dump({ limit: MOST_BYTES, signal: enough.signal }).catch(() => {})
      cancelRest()
      const asked = retryAfter(answer.headers['retry-after'], clock.now())
      return { status: answer.statusCode, ...(asked === undefined ? {} : { retryAfterMs: asked }) }
    } catch (error) {
      if (late.signal.aborted) return { error: `no answer within ${timeoutMs / 1_000} s` }
      return { error: faultText(error) }
    } finally {
      cancel()
    }
  }
  return {
    post,
    async close() {
      await (await dispatcher?.catch(() => undefined))?.destroy()
    }
  }
}

// D1521: a connection for each request, and redirects are not followed
/** Each request has a connection of its own: one that is kept may be closed by the other side when it is used again. */
async function connections({ hostname }: URL, timeoutMs: number): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import('undici')
  const options = {
    pipelining: 0,
    headersTimeout: 0, // the limit of the target counts
    bodyTimeout: 0,
    maxHeaderSize: MOST_HEAD_BYTES,
    connect: { timeout: timeoutMs }
  }
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ? new Agent(options) : new EnvHttpProxyAgent(options)
}

/** ms; undefined: nothing that could be read. */
function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const at = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** Without the address, which may contain a credential. */
function faultText(error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : []
  const code = codeOf(first) ?? codeOf(error)
  const text = FAULTS[code ?? ''] ?? messageOf(first)
  return text === '' ? (code ?? 'it could not be reached') : text
}

const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections (ECONNREFUSED)',
  ECONNRESET: 'the connection was cut off (ECONNRESET)',
  ENOTFOUND: 'its name is not known (ENOTFOUND)',
  EAI_AGAIN: 'its name cannot be looked up now (EAI_AGAIN)',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too large'
}

/** The bytes of a secret: what follows `whsec_` is Base64; any other text counts as it is. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)

/** Header lines of one attempt. @param at epoch ms @param secrets each signs; without one there is no signature */
export function signedHeaders(
  id: string,
  at: number,
  body: string,
  secrets: readonly string[]
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000))
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 ? { 'webhook-signature': signatures.join(' ') } : {})
  }
}
