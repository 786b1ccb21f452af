/** Tells a run that the engine has another version of its definition, or the one that it waits for. Source: docs/embedding/upgrades.md. */
import { runId } from '../../../machines/engine.ts'
import { isSuperseded } from '../../../machines/policy/drift.ts'
import type { Plan, RunKey } from '../../../machines/vocabulary.ts'
import { todayOf } from '../recovery/superseded-runs.ts'
import type { RootParts } from './root-parts.ts'

/** Within a transaction, when its actor is there: it waits for its version, or goes on. */
export function tellRelease({ parts, runs, send }: RootParts, key: RunKey, plan: Plan): void {
  const { clock, releaseOf } = parts
  const today = todayOf(plan, releaseOf)
  const { release } = plan
  if (!today || !release) return
  const at = clock.now()
  const held = runs.get(runId(key))?.held
  if (isSuperseded(plan, today)) {
    if (held?.version !== today.version)
      send({ type: 'release.differs', key, at, version: today.version, wanted: release.version })
  } else if (held) send({ type: 'release.opened', key, at })
}
