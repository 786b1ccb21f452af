/** One exchange over HTTP, with its redirects. Source: execution-semantics 10.4.6; reliability R18. */
import type { Dispatcher } from 'undici'
import { isCredentialName } from '../../masking/credential-names.ts'
import { openConnections } from './connections.ts'
import type { Answer, Request } from './messages.ts'
import { redirected, redirectOf, withoutUserInfo } from './redirect.ts'

export interface Exchange {
  /** @param trace told of each request and answer, without credentials. @throws Error of the transport, or after 10 redirects */
  send(request: Request, signal: AbortSignal, trace: (line: string) => Promise<void>): Promise<Answer>
  /** Ends its connections. */
  close(): void
}

const MAX_REDIRECTS = 10

export async function openExchange(skipTlsVerify: boolean): Promise<Exchange> {
  const { request } = await import('undici')
  const connections = await openConnections(skipTlsVerify)
  return {
    async send(first, signal, trace) {
      let next = withoutUserInfo(first)
      for (let redirects = 0; ; redirects++) {
        const { method, url, shown = urlText(url), headers, body } = next
        await trace(`> ${method} ${shown}`)
        for (const [name, value] of headers) await trace(`> ${name}: ${isCredentialName(name) ? '*******' : value}`)
        const answer = await request(url, {
          method: method as Dispatcher.HttpMethod, // any token is one: the client refuses what is none
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

/** A header's text in UTF-8, one character for each byte: so the client takes it, and gives it. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The other way round; what is no UTF-8 stays as it is. */
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

/** The same of a text that is one, as it is written: what a URL makes of a secret in its path, no mask would find. */
export const shownUrl = (address: string): string => address.replace(/[?#].*$/s, '').replace(/^(\w+:\/*)[^/]*@/, '$1')
