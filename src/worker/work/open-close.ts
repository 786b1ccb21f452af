/** Opens a run on this worker, and closes it. Source: distribution 5. */
import type { StepServices } from '../../actors/root/step-services.ts'
import { openRunContainer, releaseRunContainer, runLabel } from '../../actors/run/run-container.ts'
import type { OpenJob } from '../../bus/jobs.ts'
import { messageOf } from '../../errors.ts'
import type { TaskServices } from './text-tasks.ts'

/** Opens a run, unless it is open: an engine that was killed asks for it again. */
export async function openRun(work: TaskServices, job: OpenJob): Promise<object> {
  const { id, runs, logs, abandoned } = work
  if (runs.has(id)) return {}
  const scope = await runs.make(id, job, logs, abandoned.signal)
  logs.mask(scope.secrets.mask)
  try {
    await openRunContainer(work.servicesOf(scope), scope, abandoned.signal)
    await runs.keep(id, job)
  } catch (error) {
    runs.unmake(id)
    throw new Error(scope.secrets.mask(messageOf(error)), { cause: error })
  }
  return {}
}

/** What cannot be removed is told, and is no reason to keep the rest. */
export async function closeRun(work: TaskServices, services: Pick<StepServices, 'containers'>): Promise<object> {
  const { id, runs } = work
  const job = runs.job(id)
  if (job?.plan.container) await releaseContainer(work, services, job)
  if (job) await runs.close(id)
  return {}
}

async function releaseContainer(
  work: TaskServices,
  { containers }: Pick<StepServices, 'containers'>,
  { run }: OpenJob
): Promise<void> {
  try {
    const scope = await work.scope()
    await releaseRunContainer(work.servicesOf(scope), scope.key)
  } catch {
    // The container cannot be evaluated any more. What Docker says may hold what nobody can mask then.
    const left = () => work.logs.write(work.runs.logOf(work.id), 'WARN', 'the container of the run may be left')
    await containers.release(runLabel(run)).catch(left)
  }
}
