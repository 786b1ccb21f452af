/** Requests a run with the text and params of an earlier one in any state. Source: execution-semantics 13.2, api-semantics 4.8. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunRequest } from '../../actors/root/system.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import type { Store } from '../../store/open.ts'
import type { Rescheduled } from '../engine.ts'
import { recordOf } from '../views/run-view.ts'
import { restartRequest } from './restart-run.ts'

// D218: reschedule answers `max_run_reached` for every obstacle
/** A singleton, also among queued runs, unless it is unlimited. @throws TroupeError not_found, bad_request, service_unavailable */
export async function rescheduleRequest(
  store: Store,
  key: RunKey,
  { dagRunId, dagName, params, unlimited = false, ...requested }: Rescheduled,
  config: Config,
  clock: Clock
): Promise<RunRequest> {
  if (key.dagRunId === 'latest' || recordOf(store, key)?.caller)
    throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`)
  const names = {
    ...(dagRunId ? { dagRunId } : {}),
    ...(dagName ? { dagName } : {}),
    ...(params ? { params } : {}),
    ...requested
  }
  const wanted = await restartRequest(store, key, names, config, clock, 'reschedule')
  return { ...wanted, exclusive: !unlimited, unlimited }
}
