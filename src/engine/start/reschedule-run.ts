/** From a run of any state to a fresh candidate run of the same workflow text and the same params. Source: execution-semantics 13.2, api-semantics 4.8. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Candidate } from '../../actors/root/system.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import type { Store } from '../../store/open.ts'
import type { Rescheduled } from '../engine.ts'
import { recordOf } from '../views/run-view.ts'
import { relaunchCandidate } from './relaunch-run.ts'

// D218
/** Always a singleton, those that wait included. @throws TroupeError not_found, bad_request, service_unavailable */
export async function rescheduleCandidate(
  store: Store,
  key: RunKey,
  { dagRunId, dagName }: Rescheduled,
  config: Config,
  clock: Clock
): Promise<Candidate> {
  if (key.dagRunId === 'latest' || recordOf(store, key)?.caller)
    throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`)
  const names = { ...(dagRunId ? { dagRunId } : {}), ...(dagName ? { dagName } : {}) }
  return { ...(await relaunchCandidate(store, key, names, config, clock)), exclusive: true }
}
