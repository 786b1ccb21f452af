/** Which worker drains, or takes runs again. Source: distribution 8, D16. */
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { WorkerView } from './worker-views.ts'

/** @throws TroupeError not_found; already_leaving: nobody can keep it */
export function drainable(workers: readonly WorkerView[], id: string, drain: boolean): WorkerView {
  const named = workers.filter((worker) => worker.id === id)
  const worker = named.find(({ status }) => status !== 'incompatible')
  if (worker?.isLeaving && !drain)
    throw new TroupeError(
      'already_leaving',
      `the worker ${id} was told on its own machine to leave: it ends what it has`
    )
  if (worker) return worker
  const [refused] = named
  const why = refused ? `it was refused: ${refused.refusal}` : 'none of that name is connected'
  const known = workers.map((one) => one.id)
  throw new TroupeError('not_found', `there is no worker ${id}: ${why}${refused ? '' : didYouMean(id, known)}`)
}
