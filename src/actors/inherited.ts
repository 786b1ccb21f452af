/** What a sub DAG run sees of its caller while it is loaded; its steps receive none of it. Source: execution-semantics 3.5.5. */
import { runId } from '../../machines/engine.ts'
import type { NodePlace } from '../../machines/node.ts'
import type { Caller, Plan } from '../../machines/vocabulary.ts'
import type { Secrets } from '../masking/secrets.ts'
import type { Hands } from './hands.ts'
import { viewOf } from './lookups.ts'
import type { OpenRun } from './open-run.ts'
import { stepAt } from './run-scope.ts'

/** The caller's DAG `env`, params, outputs and the calling step's `env`, but no secret; nothing when the caller is not open. */
export async function inheritedFrom(
  hands: Hands,
  runs: ReadonlyMap<string, OpenRun>,
  caller: Caller | undefined,
  signal: AbortSignal
): Promise<Record<string, string>> {
  const parent = caller && runs.get(runId(caller.parent))
  const place = parent && placeOf(parent.plan, caller.step)
  if (!caller || !parent?.scope || place === undefined) return {}
  const { variables } = await viewOf(
    hands,
    parent.scope,
    { run: caller.parent, place, attempt: caller.attempt },
    stepAt(parent.plan, place),
    signal
  )
  return withoutSecrets(variables.all, parent.scope.secrets)
}

function withoutSecrets(values: Record<string, string>, { none, hidesIn }: Secrets): Record<string, string> {
  return none ? values : Object.fromEntries(Object.entries(values).filter(([, value]) => !hidesIn(value)))
}

function placeOf({ steps, handlers }: Plan, name: string): NodePlace | undefined {
  const index = steps.findIndex((step) => step.name === name)
  if (index >= 0) return index
  return Object.values(handlers).some((step) => step.name === name) ? (name as NodePlace) : undefined
}
