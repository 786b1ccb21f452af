/** One request to a remote node, and the beginning of its answer. Redirects are not followed. Source: api-semantics 8 R7, R9. */
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import { createSecureContext } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import type { Clock } from '../../clock.ts'
import type { RemoteNode } from '../../config.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { readAuthorities, readPem } from '../tls.ts'

export interface RemoteRequest {
  method: string
  /** Below the API of the node, with the query. */
  path: string
  headers: OutgoingHttpHeaders
  body?: Buffer
  /** Aborts when the caller is gone. */
  gone: AbortSignal
}

export interface Exchange {
  response: IncomingMessage
  isEvents: boolean
  /** The whole body, or its first part when it is long; empty for events. */
  start: Buffer
  isWhole: boolean
  /** The body from its beginning, once. @throws TroupeError remote_node_error when it breaks off */
  parts(): AsyncGenerator<Buffer, void, undefined>
  /** Closes the connection. */
  end(): void
}

/** Limit of an answer that is held in memory. */
const HELD_BYTES = 64 * 1024
/** A stream of events is silent for up to 15 s. */
const EVENTS_SILENCE_MS = 60_000
const EVENTS = /^text\/event-stream\b/i

// D223: nothing is sent to a remote node twice
/** @throws TroupeError bad_request naming the certificate that cannot be used */
export function connectorOf(node: RemoteNode, clock: Clock): (request: RemoteRequest) => Promise<Exchange> {
  const { url, name, timeoutMs } = node
  const { pathname } = new URL(url)
  const target = urlToHttpOptions(new URL(url))
  const prefix = pathname === '/' ? '' : pathname
  // Connections are not reused: one that the other side has just closed would fail a request that must not be sent twice.
  const agent = target.protocol === 'https:' ? new https.Agent(certificatesOf(node)) : new http.Agent()

  return async ({ method, path, headers, body, gone }) => {
    let failure: TroupeError | undefined
    let end = () => {}
    const late = (ms: number) => () => {
      failure = new TroupeError('remote_node_error', `${name}: no answer within ${ms} ms`, detailsOf(node))
      end()
    }
    gone.addEventListener('abort', () => end(), { once: true })
    const cancel = clock.after(timeoutMs, late(timeoutMs))
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = { ...target, path: prefix + path, method, headers: { ...headers, ...lengthOf(body) }, agent }
        const request = (target.protocol === 'https:' ? https : http).request(options, resolve)
        request.on('error', reject)
        end = () => void request.destroy()
        if (gone.aborted) end()
        request.end(body)
      })
      end = () => void response.destroy()
      response.on('error', () => {}) // the reader gets it
      return await begun(response)
    } catch (cause) {
      end()
      if (gone.aborted) throw cause
      throw failure ?? failureOf(node, cause)
    } finally {
      cancel()
    }

    async function begun(response: IncomingMessage): Promise<Exchange> {
      const isEvents = EVENTS.test(response.headers['content-type'] ?? '')
      const silenceMs = isEvents ? Math.max(timeoutMs, EVENTS_SILENCE_MS) : timeoutMs
      const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]()
      const first: Buffer[] = []
      let size = 0
      let isWhole = false
      while (!isEvents && !isWhole && size <= HELD_BYTES) {
        const { done, value } = await chunks.next()
        if (done) isWhole = true
        else first.push(value)
        size += done ? 0 : value.length
      }

      async function next(): Promise<Buffer | undefined> {
        // Only the node's silence counts, not that of a slow caller.
        const cancel = clock.after(silenceMs, late(silenceMs))
        try {
          const { done, value } = await chunks.next()
          return done ? undefined : value
        } catch (cause) {
          throw failure ?? failureOf(node, cause)
        } finally {
          cancel()
        }
      }

      const start = Buffer.concat(first)
      return {
        response,
        isEvents,
        start,
        isWhole,
        async *parts() {
          try {
            if (start.length > 0) yield start
            for (let part = isWhole ? undefined : await next(); part; part = await next()) yield part
          } finally {
            end()
          }
        },
        end: () => end()
      }
    }
  }
}

const lengthOf = (body: Buffer | undefined) => (body ? { 'Content-Length': body.length } : {})

export const detailsOf = ({ name }: RemoteNode) => ({ details: { remoteNode: name } })

/** Without addresses: the caller knows the name. */
function failureOf(node: RemoteNode, cause: unknown): TroupeError {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const error: NodeJS.ErrnoException = first instanceof Error ? first : new Error(String(first))
  const { code = '', syscall } = error
  const isSpeech = code.startsWith('HPE_')
  const what = isSpeech ? `answered with something else than HTTP (${code})` : [syscall, code].filter(Boolean).join(' ')
  return new TroupeError(isSpeech ? 'bad_gateway' : 'remote_node_error', `${node.name}: ${what || 'no answer'}`, {
    cause,
    ...detailsOf(node)
  })
}

function certificatesOf({ name, tls: { verify, certFile, keyFile, caFile } }: RemoteNode): https.AgentOptions {
  const settingOf = (member: string) => `remoteNodes: ${name}: tlsConfig.${member}`
  const certificates = {
    ...(certFile && keyFile
      ? { cert: readPem(settingOf('certFile'), certFile), key: readPem(settingOf('keyFile'), keyFile) }
      : {}),
    ...(caFile ? { ca: readAuthorities(settingOf('caFile'), caFile) } : {}),
    rejectUnauthorized: verify,
    minVersion: 'TLSv1.2' as const
  }
  try {
    createSecureContext(certificates)
  } catch (cause) {
    const found = messageOf(cause)
    throw new TroupeError('bad_request', `remoteNodes: ${name}: tlsConfig cannot be used: ${found}`, { cause })
  }
  return certificates
}
