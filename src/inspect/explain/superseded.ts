/** Why a run of another version waits, and its steps with it. Source: machines/run/run-superseded.ts, docs/embedding/upgrades.md. */
import type { PlacedStep } from '../contexts.ts'
import { instant, type Said, type Situation } from './situation.ts'

const runActor = ({ state, address }: Situation) => state.actors.get(address)

/** Undefined: it does not wait for that. */
export function supersededRun(situation: Situation): Said | undefined {
  const actor = runActor(situation)
  if (actor?.path !== 'superseded') return undefined
  const { version = 'unknown', wanted = 'unknown' } = Object(actor.memory.superseded) as Record<string, unknown>
  return {
    cause: 'run_superseded',
    text: `the run was started by version ${wanted} of ${situation.plan.release?.dag ?? situation.plan.name}, and the application on this home has version ${version} (onDrift: fail)`,
    since: instant(actor.since),
    blockedBy: [{ kind: 'engine', name: `version ${wanted}` }],
    unblock: `It continues when an application with version ${wanted} opens the home. Or stop it, and start it with the version of today.`
  }
}

/** The reason of a step that has not ended. */
export function supersededStep(situation: Situation, { step }: PlacedStep): Said | undefined {
  const actor = runActor(situation)
  if (actor?.path !== 'superseded') return undefined
  return {
    cause: 'step_superseded',
    text: `${step.name} waits: its run does not go on with another version of its code`,
    since: instant(actor.since),
    blockedBy: [{ kind: 'run', name: situation.record.name, dagRunId: situation.record.dagRunId }],
    unblock: 'See the reason of the run.'
  }
}
