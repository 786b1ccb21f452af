/** When definitions run next by their schedules; suspended ones do not. Source: api-semantics 3.2 (nextRun), execution-semantics 11.18. */
import { nextRunsIn } from '../../definition/dag/next-run.ts'
import type { StoredDefinition } from '../../definitions/stored-definition.ts'
import type { Engine } from '../../engine/engine.ts'

/** Epoch ms; undefined: never. */
export type NextRunOf = (stored: Pick<StoredDefinition, 'definition' | 'suspended'>) => number | undefined

// D210: suspended DAGs have no `nextRun`
export function nextRunsOf(engine: Engine): NextRunOf {
  const next = nextRunsIn(() => engine.config.tz)
  return ({ definition: { plan }, suspended }) =>
    plan && !suspended ? next(plan.schedule.start, engine.now()) : undefined
}
