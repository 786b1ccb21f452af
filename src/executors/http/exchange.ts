/** One exchange over HTTP, with its redirects. Source: execution-semantics 10.4.6; reliability R18. */
import type { Dispatcher } from 'undici'
import { isCredentialName } from '../../masking/credential-names.ts'
import { openConnections } from './connections.ts'
import type { EgressGuard } from './egress.ts'
import type { Answer, Request } from './messages.ts'
import { redirected, redirectOf, withoutUserInfo } from './redirect.ts'

export interface Exchange {
  /** @param trace receives each request and response, without credentials. @throws Error of the transport, or after 10 redirects */
  send(request: Request, signal: AbortSignal, trace: (line: string) => Promise<void>): Promise<Answer>
  /** Closes its connections. */
  close(): void
}

const MAX_REDIRECTS = 10

/** @param guard says where it may go; absent: everywhere */
export async function openExchange(skipTlsVerify: boolean, guard?: EgressGuard): Promise<Exchange> {
  const { request } = await import('undici')
  const connections = await openConnections(skipTlsVerify, guard)
  return {
    async send(first, signal, trace) {
      let next = withoutUserInfo(first)
      for (let redirects = 0; ; redirects++) {
        const { method, url, shown = urlText(url), headers, body } = next
        await trace(`> ${method} ${shown}`)
        for (const [name, value] of headers) await trace(`> ${name}: ${isCredentialName(name) ? '*******' : value}`)
        const answer = await request(url, {
          method: method as Dispatcher.HttpMethod, // any token is valid: the client refuses the rest
          headers: Object.fromEntries([...headers].map(([name, value]) => [name, asBytes(value)])),
          body: body ?? null,
          signal,
          dispatcher: connections.to(url)
        })
        await trace(`< ${answer.statusCode} ${answer.statusText}`)
        const received = Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]) => [name, asTexts(value)])
        )
        const target = redirectOf({ status: answer.statusCode, headers: received }, url)
        if (!target)
          return { status: answer.statusCode, reason: answer.statusText, headers: received, body: answer.body }
        if (redirects === MAX_REDIRECTS) throw new Error(`stopped after ${MAX_REDIRECTS} redirects`)
        await answer.body.dump()
        next = redirected(next, answer.statusCode, target)
      }
    },
    close: connections.close
  }
}

/** The UTF-8 bytes of a header's text, one character per byte, as the client expects. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The inverse; invalid UTF-8 is unchanged. */
const asText = (bytes: string): string => {
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return bytes
  }
}
const asTexts = (value: Answer['headers'][string]): Answer['headers'][string] =>
  Array.isArray(value) ? value.map(asText) : value === undefined ? value : asText(value)

/** A URL for messages: without query and password, which may be secret. */
const urlText = ({ origin, pathname }: URL): string => `${origin}${pathname}`

/** A URL text as written, without its secrets: no mask would find one that `URL` has percent-encoded. */
export const shownUrl = (address: string): string => address.replace(/[?#].*$/s, '').replace(/^(\w+:\/*)[^/]*@/, '$1')
