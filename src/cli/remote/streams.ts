/** What a server elsewhere sends as it comes: the archive of its home, and its audit log. */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { Operation } from '../../api/contract/operation.ts'
import { OPERATIONS } from '../../api/contract/operations.ts'
import { overNode } from '../../api/owner/over-node.ts'
import type { PlacedLine } from '../../audit/read.ts'
import { type Answer, UnexpectedAnswer } from '../../client/index.ts'
import { bytesIn, type CallArguments, type ClientOptions, send, textIn } from '../../client/request.ts'
import { codeOf, messageOf, TroupeError } from '../../errors.ts'
import type { Remote } from '../context.ts'
import { errorOf } from './api.ts'

/** A connection of which nothing is heard is tried after so long. */
const TRIED = { keepAlive: true, keepAliveInitialDelay: 30_000 }

/**
 * The bytes of the archive. With `fetch` an answer has to begin within minutes, and a copy takes as long as it takes.
 * @param signal ends it @throws TroupeError: what the server refuses; service_unavailable: it does not answer, or has broken off; bad_gateway
 */
export async function* archiveFrom(
  remote: Remote,
  { withLogs }: { withLogs: boolean },
  signal: AbortSignal
): AsyncGenerator<Buffer> {
  const { url, baseUrl } = remote
  const fetch = overNode({
    request: baseUrl.startsWith('https:') ? httpsRequest : httpRequest,
    to: (address) => ({ ...urlToHttpOptions(new URL(address)), ...TRIED }),
    failed(cause) {
      const why = messageOf(cause) || codeOf(cause) || 'no reason is known'
      return new TroupeError('service_unavailable', `no server answers at ${url}: ${why}`, { cause })
    },
    broken: (cause) => cause
  })
  const body = withLogs ? {} : { logs: false }
  const answer = await asked(remote, OPERATIONS.backUpHome, { body, signal }, { fetch })
  const { status } = answer
  const found = status === 200 ? (answer.headers.get('content-type') ?? 'none') : String(status)
  if (found === 'application/x-tar') {
    const parts = arriving(bytesIn(answer), `${url} has broken off, and nothing was kept`)
    for await (const part of parts) yield Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    return
  }
  answer.body?.cancel()
  throw errorOf(new UnexpectedAnswer(status, `wanted an archive, found ${found}`), url)
}

/** The audit log. @throws TroupeError: what the server refuses; service_unavailable: it does not answer, or has broken off */
export async function* auditFrom(
  remote: Remote,
  query: Readonly<Record<string, string | number>>
): AsyncGenerator<string> {
  const answer = await asked(remote, OPERATIONS.exportAudit, { query })
  yield* arriving(textIn(answer), `${remote.url} has broken off`)
}

const asked = (
  { url, ...options }: Remote,
  operation: Operation,
  input: CallArguments,
  more: Pick<ClientOptions, 'fetch'> = {}
): Promise<Answer> =>
  send({ ...options, ...more }, operation, input).catch((cause: unknown) => {
    throw errorOf(cause, url)
  })

async function* arriving<T>(parts: AsyncIterable<T>, broken: string): AsyncGenerator<T> {
  try {
    yield* parts
  } catch (cause) {
    throw new TroupeError('service_unavailable', `${broken}: ${codeOf(cause) ?? messageOf(cause)}`, { cause })
  }
}

export async function* linesFrom(chunks: AsyncIterable<string>): AsyncGenerator<PlacedLine> {
  let rest = ''
  let number = 0
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) yield { text, place: `line ${++number}`, isWhole: true }
  }
  if (rest !== '') yield { text: rest, place: `line ${++number}`, isWhole: false }
}
