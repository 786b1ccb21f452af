/** An earlier attempt of a run; its logs are in their own folder. */
import { dirname } from 'node:path'
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { nodeFiles, nodeLogFolder } from '../../actors/run/log-names.ts'
import { TroupeError } from '../../errors.ts'
import type { HandlerView, RunView } from '../run-views.ts'

/** @param asked how the caller writes the number, for the message @throws TroupeError not_found */
export function mustHaveAttempt(
  run: Pick<RunRecord, 'name' | 'dagRunId' | 'attempt'>,
  attempt: number,
  asked: string
): void {
  if (attempt <= run.attempt) return
  const all = run.attempt === 1 ? 'one attempt' : `attempts 1 to ${run.attempt}`
  throw new TroupeError('not_found', `${asked}: run ${run.dagRunId} of ${run.name} has ${all}, found ${attempt}`)
}

/**
 * The root run at that attempt, rebuilt from its logs: a step with a log had begun. In the order of the definition.
 * @throws TroupeError not_found
 */
export function atAttempt(view: RunView, attempt: number): RunView {
  const { run, nodes, handlers } = view
  if (attempt === run.attempt) return view
  mustHaveAttempt(run, attempt, 'attempt')
  const nodeLogs = nodeLogFolder(dirname(run.log), attempt, false)
  const begun = ({ step, node }: HandlerView): HandlerView => {
    const { stdout, stderr } = nodeFiles(nodeLogs, step.name)
    return { step, node: { ...node, status: 'failed', exitCode: -1, startedAt: 0, finishedAt: 0, stdout, stderr } }
  }
  const called = Object.entries(handlers).map(([name, view]) => [name, begun(view)])
  return {
    ...view,
    run: { ...run, nodeLogs },
    nodes: nodes.map(begun),
    handlers: Object.fromEntries(called)
  }
}
