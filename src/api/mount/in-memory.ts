/**
 * Requests and answers as the web has them, for a handler of Node's: through a server of Node that listens nowhere, whose connections are
 * streams in memory. So an answer is read, awaited and given up exactly as over a network.
 */
import { createServer, type IncomingMessage, request as nodeRequest, type ServerResponse } from 'node:http'
import { type Duplex, duplexPair, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

type Take = (request: Request, req: IncomingMessage, res: ServerResponse) => void

/** Headers that belong to one connection. */
export const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length' // the body is passed on as it comes
])
const WITHOUT_BODY = new Set([204, 304])

const MOST_HEADER_BYTES = 64 * 1024

// D1094: `fetchHandler` answers through a server of Node that listens nowhere
export function inMemory(take: Take): (request: Request) => Promise<Response> {
  const server = createServer({ requireHostHeader: false, maxHeaderSize: MOST_HEADER_BYTES })
  const requests = new WeakMap<object, Request>()
  server.on('request', (req, res) => {
    const request = requests.get(req.socket)
    if (request) take(request, req, res)
  })
  function connect(request: Request): Duplex {
    const [near, far] = duplexPair()
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
    server.emit('connection', far)
    requests.set(far, request)
    return near
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const { host, pathname, search } = new URL(request.url)
      const { method, signal, body } = request
      const sent = nodeRequest({
        createConnection: () => connect(request),
        method,
        path: pathname + search,
        headers: { host, ...headersOf(request.headers) },
        maxHeaderSize: MOST_HEADER_BYTES
      })
      const giveUp = () => sent.destroy()
      signal.addEventListener('abort', giveUp, { once: true })
      sent.once('close', () => signal.removeEventListener('abort', giveUp))
      sent.once('error', (cause) => reject(signal.aborted ? signal.reason : cause))
      sent.once('response', (response) => resolve(responseOf(response, method)))
      if (signal.aborted) giveUp()
      // The class is the same, and its types are in two places.
      else if (body)
        Readable.fromWeb(body as ReadableStream)
          .on('error', giveUp)
          .pipe(sent)
      else sent.end()
    })
}

/** Several values of one name are one text here, as the headers of a request are. */
const headersOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !OF_CONNECTION.has(name)))

function responseOf(response: IncomingMessage, method: string): Response {
  const { statusCode: status = 500, statusMessage: statusText = '', rawHeaders } = response
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!OF_CONNECTION.has(name.toLowerCase()) || name.toLowerCase() === 'content-length') headers.append(name, value)
  }
  const isEmpty = WITHOUT_BODY.has(status) || method === 'HEAD'
  if (isEmpty) response.resume()
  const body = isEmpty ? null : Readable.toWeb(response)
  return new Response(body, { status, statusText, headers })
}
