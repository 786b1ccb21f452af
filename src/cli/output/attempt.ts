/** An earlier attempt of a run; its logs are in their own folder. */
import { dirname } from 'node:path'
import { nodeLogFolder } from '../../actors/run/log-names.ts'
import type { HandlerView, RunView } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'

/** The root run at that attempt, rebuilt from its logs: a step with a log had begun. In the order of the definition. @throws TroupeError not_found */
export function atAttempt(view: RunView, attempt: number): RunView {
  const { run, nodes, handlers } = view
  if (attempt === run.attempt) return view
  if (attempt > run.attempt)
    throw new TroupeError(
      'not_found',
      `--attempt: run ${run.dagRunId} of ${run.name} has ${run.attempt === 1 ? 'one attempt' : `attempts 1 to ${run.attempt}`}, found ${attempt}`
    )
  const begun = ({ step, node }: HandlerView): HandlerView => ({
    step,
    node: { ...node, status: 'failed', startedAt: 0, finishedAt: 0, stdout: '' }
  })
  const called = Object.entries(handlers).map(([name, view]) => [name, begun(view)])
  return {
    ...view,
    run: { ...run, nodeLogs: nodeLogFolder(dirname(run.log), attempt, false) },
    nodes: nodes.map(begun),
    handlers: Object.fromEntries(called)
  }
}
