/** The archive of the home of a server elsewhere. With `fetch` an answer has to begin within minutes, and a copy takes as long as it takes. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { errorOf as refusalIn } from '../../client/api-error.ts'
import { UnexpectedAnswer } from '../../client/index.ts'
import { codeOf, messageOf, TroupeError } from '../../errors.ts'
import type { Remote } from '../context.ts'
import { errorOf } from './api.ts'

/** A connection of which nothing is heard is tried after so long. */
const ALIVE_MS = 30_000
const MOST_REFUSAL_BYTES = 1024 ** 2

/**
 * Its bytes, as they come.
 * @param signal ends it @throws TroupeError: what the server refuses; service_unavailable: it does not answer, or has broken off; bad_gateway
 */
export async function* archiveFrom(
  remote: Remote,
  { withLogs }: { withLogs: boolean },
  signal: AbortSignal
): AsyncGenerator<Buffer> {
  const { url } = remote
  const response = await answered(remote, JSON.stringify(withLogs ? {} : { logs: false }), signal)
  const { statusCode: status = 0, headers } = response
  if (status !== 200) {
    const type = headers['content-type']
    const refusal = new Response(await textOf(response), {
      status,
      ...(type ? { headers: { 'content-type': type } } : {})
    })
    throw errorOf(status >= 400 ? await refusalIn(refusal) : unexpected(status, String(status)), url)
  }
  if (headers['content-type'] !== 'application/x-tar') {
    response.destroy()
    throw errorOf(unexpected(status, headers['content-type'] ?? 'none'), url)
  }
  try {
    for await (const chunk of response) yield chunk
  } catch (cause) {
    const why = codeOf(cause) ?? messageOf(cause)
    throw new TroupeError('service_unavailable', `${url} has broken off, and nothing was kept: ${why}`, { cause })
  }
}

const unexpected = (status: number, found: string) => new UnexpectedAnswer(status, `wanted an archive, found ${found}`)

function answered({ baseUrl, url, token, basic }: Remote, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  const credentials =
    token === undefined
      ? basic && `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`
      : `Bearer ${token}`
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...(credentials === undefined ? {} : { Authorization: credentials })
  }
  const place = new URL(`${baseUrl}/services/backup`)
  const send = place.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = send(place, { method: 'POST', headers, signal, agent: false }, resolve)
    request.setSocketKeepAlive(true, ALIVE_MS)
    request.on('error', (cause) => {
      const why = cause.message || codeOf(cause) || 'no reason is known'
      reject(new TroupeError('service_unavailable', `no server answers at ${url}: ${why}`, { cause }))
    })
    request.end(body)
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk
    if (text.length > MOST_REFUSAL_BYTES) break
  }
  return text
}
