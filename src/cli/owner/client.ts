/** The engine in another process that owns the home, over its socket. Loads nothing of an engine. */
import { LINES } from '../../api/contract/owner-operations.ts'
import { PROTOCOL } from '../../api/owner/calling-step.ts'
import type { OwnedHome } from '../../api/owner/home.ts'
import type { Transport } from '../../client/index.ts'
import type { Clock } from '../../clock.ts'
import type { CallingStep } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { Gone } from './gone.ts'
import type { Outside } from './held-run.ts'
import { type HomeClient, homeClient } from './home-client.ts'
import { overNode } from './over-node.ts'

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

/** @param apiPath at which the API begins */
const overSocket = (socketPath: string, apiPath = ''): Transport =>
  overNode({
    to(url, { Accept: accept }) {
      const path = /^\/(owner|local)\//.test(url) ? url : apiPath + url
      // A run may be silent for long.
      const isStream = accept === LINES || url.split('?', 1)[0]?.endsWith('/events')
      return { socketPath, path, ...(isStream ? {} : { timeout: ANSWER_MS }) }
    },
    failed: (cause) => (cause instanceof TroupeError ? cause : new Gone(cause)),
    silent: () =>
      new TroupeError(
        'service_unavailable',
        `the engine of this home does not answer on ${socketPath}; is its process stopped?`
      )
  })
