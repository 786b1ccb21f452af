/** Labels of the steps in a tree of runs. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { TreePlace } from '../../api/tree-events.ts'
import type { Client } from '../../client/index.ts'
import { runOf } from '../owner/known-runs.ts'
import { nodesOf } from '../view/nodes.ts'
import { oneLine } from '../view/text.ts'
import type { OutputStep } from './listener.ts'

/** Labels of the runs below a root. The label of a `parallel` run has its number, so each call needs one read of its caller. */
export function treeLabels(api: Client, root: RunKey) {
  const idOf = ({ name, dagRunId }: RunKey) => `${name}/${dagRunId}`
  /** By run: the prefix of its steps, and the step of the root run. */
  const known = new Map<string, { prefix: string; top?: string }>([[idOf(root), { prefix: '' }]])

  async function lookAtCaller({ parent, step }: NonNullable<TreePlace['caller']>): Promise<void> {
    const above = known.get(idOf(parent)) ?? { prefix: '' }
    const run = await runOf(api, parent)
    const caller = run && nodesOf(run).find((node) => node.step.name === step)
    const { subRuns = [], subRunsRepeated = [] } = caller ?? {}
    const name = `${above.prefix}${oneLine(step)}`
    const top = above.top ?? step
    for (const sub of subRunsRepeated) if (!known.has(idOf(sub))) known.set(idOf(sub), { prefix: `${name}/`, top })
    for (const [index, sub] of subRuns.entries())
      known.set(idOf(sub), { prefix: `${name}${caller?.step.parallel ? `#${index + 1}` : ''}/`, top })
  }

  return {
    async stepOf({ key, caller }: TreePlace, step: string): Promise<OutputStep> {
      const id = idOf(key)
      if (!known.has(id) && caller) {
        await lookAtCaller(caller).catch(() => {})
        // The run is no longer listed: another call of the step has begun.
        if (!known.has(id)) known.set(id, { prefix: `${oneLine(caller.step)}/`, top: caller.step })
      }
      const { prefix, top = step } = known.get(id) ?? { prefix: '' }
      return { run: key, step, label: `${prefix}${oneLine(step)}`, top }
    }
  }
}
