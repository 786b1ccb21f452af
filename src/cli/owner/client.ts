/** The engine in another process that owns the home, over its socket. Loads nothing of an engine. */
import { PROTOCOL } from '../../api/owner/calling-step.ts'
import { Gone } from '../../api/owner/gone.ts'
import type { OwnedHome } from '../../api/owner/home.ts'
import { overSocket } from '../../api/owner/over-socket.ts'
import type { Clock } from '../../clock.ts'
import type { CallingStep } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import type { Outside } from './held-run.ts'
import { type HomeClient, homeClient } from './home-client.ts'

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
