/** The engine in another process that owns the home, over its socket. Loads nothing of an engine. */
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { LINES } from '../../api/contract/owner-operations.ts'
import { bodyOf } from '../../api/owner/body-reader.ts'
import { PROTOCOL } from '../../api/owner/calling-step.ts'
import type { OwnedHome } from '../../api/owner/home.ts'
import type { Answer, Transport } from '../../client/index.ts'
import type { Clock } from '../../clock.ts'
import type { CallingStep } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { Gone } from './gone.ts'
import type { Outside } from './held-run.ts'
import { type HomeClient, homeClient } from './home-client.ts'

/** An owner that does not answer in this time is stuck. */
const ANSWER_MS = 10_000

/**
 * Connects to the process behind the socket. Undefined: there is none.
 * @param end called when the owner is gone: it may have ended its runs before it left
 * @param step in which the command runs; absent: in none
 * @throws TroupeError service_unavailable when it does not answer
 */
export async function connectToOwner(
  socketPath: string,
  clock: Clock,
  end: Outside['end'] = async () => undefined,
  step?: CallingStep
): Promise<HomeClient | undefined> {
  try {
    const answer = await overSocket(socketPath)('/local/engine', { method: 'GET', headers: {} })
    const { protocol, ...home }: OwnedHome & { protocol?: number } = JSON.parse(await answer.text()) // the same program
    if (protocol !== PROTOCOL)
      throw new TroupeError(
        'service_unavailable',
        `the engine of the home ${home.home} is of ${(protocol ?? 1) < PROTOCOL ? 'an older' : 'a newer'} release of Troupe than this command: restart it, or use its command`
      )
    const isBack = async () => (await connectToOwner(socketPath, clock)) !== undefined
    return homeClient(home, overSocket(socketPath, home.apiPath), { clock, step, outside: { isBack, end } })
  } catch (error) {
    if (error instanceof Gone) return undefined
    throw error
  }
}

// D1700: `fetch` takes longer to load than most commands take
/** @param apiPath at which the API begins */
const overSocket =
  (socketPath: string, apiPath = ''): Transport =>
  (url, { body, headers, ...options }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
      // A run may be silent for long.
      const isStream = headers.Accept === LINES || url.split('?', 1)[0]?.endsWith('/events')
      const path = /^\/(owner|local)\//.test(url) ? url : apiPath + url
      // A new connection for each request: an idle one would keep this process alive.
      const connection = { socketPath, path, agent: false, ...(isStream ? {} : { timeout: ANSWER_MS }) }
      const sent = request({ ...options, ...connection, headers: { ...headers, ...length } }, (response) =>
        resolve(answerOf(response))
      )
      sent.on('timeout', () => sent.destroy(stuck(socketPath)))
      sent.on('error', (cause) => reject(gone(cause)))
      sent.end(body)
    })

const answerOf = (response: IncomingMessage): Answer => ({
  status: response.statusCode ?? 0,
  headers: { get: (name) => response.headers[name.toLowerCase()]?.toString() ?? null },
  text: () =>
    text(response).catch((cause) => {
      throw gone(cause)
    }),
  get body() {
    return bodyOf(response, gone)
  }
})

const gone = (cause: unknown) => (cause instanceof TroupeError ? cause : new Gone(cause))

const stuck = (socketPath: string) =>
  new TroupeError(
    'service_unavailable',
    `the engine of this home does not answer on ${socketPath}; is its process stopped?`
  )
