/** Runs of definitions in code that have another version now: they are restored without their nodes. Source: docs/embedding/upgrades.md. */
import { isSuperseded } from '../../../machines/policy/drift.ts'
import type { RunContext } from '../../../machines/run.ts'
import type { Plan, Release } from '../../../machines/vocabulary.ts'
import type { OpenState } from '../../store/stored.ts'
import { pathOf } from '../journal/recorded.ts'
import type { OpenRun } from '../root/open-run.ts'

/** The release of a definition in code that the engine has today; undefined: it does not have the definition. */
export type ReleaseOf = (dag: string) => Release | undefined
/** The state as `runOpenState` took it apart. */
type Held = NonNullable<RunContext['superseded']>
const heldBy = ({ context }: OpenState) => context.superseded as Held | undefined

/** States in which a run is still kept from going on. Later it only ends. */
const KEPT: ReadonlySet<string> = new Set<Held['from']>(['preparing', 'checking', 'delaying', 'working'])

export const isSupersededState = ({ value }: OpenState): boolean => value === 'superseded'

/** The state that it is in, or goes back to. */
export const stateBefore = (open: OpenState): string => heldBy(open)?.from ?? pathOf(open.value)

/** Whether a run is about to become superseded. */
export const isLeft = (plan: Plan, open: OpenState, releaseOf: ReleaseOf | undefined): boolean =>
  KEPT.has(pathOf(open.value)) && isSuperseded(plan, todayOf(plan, releaseOf))

export const todayOf = ({ release }: Plan, releaseOf: ReleaseOf | undefined): Release | undefined =>
  release && releaseOf?.(release.dag)

/**
 * What a run and its nodes are restored from: of a run that is held, the nodes apart, and what it has begun to do left out.
 * Only the alarm of its time limit stays.
 */
export function leftAlone(
  persisted: unknown,
  open: OpenState,
  isHeld: boolean
): Pick<OpenRun, 'stored' | 'storedNodes' | 'held'> {
  if (!isHeld) return { stored: persisted }
  const held = heldBy(open)
  const { children, ...run } = persisted as { children: Record<string, { src: string; snapshot: unknown }> } // by `persistedRun`
  const entries = Object.entries(children)
  return {
    stored: { ...run, children: Object.fromEntries(entries.filter(([id]) => id === 'timeout')) },
    storedNodes: new Map(entries.filter(([, { src }]) => src === 'node').map(([id, { snapshot }]) => [id, snapshot])),
    ...(held ? { held } : {})
  }
}
