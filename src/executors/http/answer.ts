/** Formats a response for stdout. Source: execution-semantics 10.4.3-10.4.5. */
import { parse, stringify } from 'lossless-json'
import type { masksIn } from '../frame/masked-json.ts'
import { type Answer, canonicalName } from './messages.ts'

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status <= 299

/** `<code> <reason>`, then a line for each header value, sorted by name. */
export const headerLines = (answer: Answer): string =>
  [
    `${answer.status} ${answer.reason}`,
    ...headersOf(answer).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`)),
    ''
  ].join('\n')

/** Names as they are usually written, sorted. */
const headersOf = ({ headers }: Answer): [string, string[]][] =>
  Object.entries(headers)
    .flatMap(([name, value]): [string, string[]][] =>
      value === undefined ? [] : [[canonicalName(name), Array.isArray(value) ? value : [value]]]
    )
    .sort(([a], [b]) => (a < b ? -1 : 1))

/** The body as JSON, with all digits of its numbers; other text as a string. */
export async function jsonBody({ body }: Answer): Promise<unknown> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  try {
    return parse(text.replace(/^\uFEFF/, '')) // RFC 8259 8.1
  } catch {
    return text
  }
}

/** @param answer undefined: a silent success omits status and headers @param masks the secrets to mask in its texts */
export const asJson = (answer: Answer | undefined, body: unknown, masks: ReturnType<typeof masksIn>): string =>
  stringify(
    { status_code: answer?.status ?? 0, headers: answer ? Object.fromEntries(headersOf(answer)) : null, body },
    masks,
    1
  ) ?? ''
