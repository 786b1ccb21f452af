/** The API of the engine of a home of this machine, wherever that runs, and what only the owner of a home may ask of it. */
import { COMMAND_HEADER, stepText } from '../../api/owner/calling-step.ts'
import { trustedCalls } from '../../api/owner/trusted-api.ts'
import type { Client, Transport } from '../../client/index.ts'
import type { CallingStep, Engine } from '../../engine/engine.ts'
import { apiOf, loaded } from '../remote/api.ts'
import { type Acts, type OwnersApi, ownersActs } from './acts.ts'

/**
 * @param fetch gets URLs that begin below the base path
 * @param step in which the command runs; absent: in none
 */
export const apiBy = (fetch: Transport, { home }: { home: string }, step?: CallingStep): Client =>
  apiOf({ url: home, ...optionsOf(fetch, step) })

/** @param fetch gets whole URLs @param others asked another way */
export const ownersApiBy = (
  fetch: Transport,
  { home }: { home: string },
  step?: CallingStep,
  others: Partial<OwnersApi> = {}
): OwnersApi =>
  loaded(home, async () => {
    const [{ callsTo }, { OWNER_OPERATIONS }] = await Promise.all([
      import('../../client/request.ts'),
      import('../../api/contract/owner-operations.ts')
    ])
    const calls = callsTo(optionsOf(fetch, step), Object.entries(OWNER_OPERATIONS))
    return { ...(calls as OwnersApi), ...others } // each function is made of its operation
  })

/** Both of an engine in this process. */
export function ownApi(engine: Engine, step?: CallingStep): { api: Client } & Acts {
  const calls = trustedCalls(engine)
  const api = apiBy(calls, engine, step)
  return { api, ...ownersActs(api, ownersApiBy(calls, engine, step)) }
}

const optionsOf = (fetch: Transport, step: CallingStep | undefined) => ({
  baseUrl: '',
  headers: { [COMMAND_HEADER]: stepText(step) },
  fetch
})
