/** The runs of a period by DAG: how many have which status, the first and the last one. */
import type { RunCounts, RunPlace } from '../../engine.ts'
import { type Asked, AT_ONCE, type CountedRuns } from './counts.ts'

export interface RunGroup {
  name: string
  runs: RunCounts
  /** When they were created, epoch ms. */
  first: number
  last: number
}

/** One answer looks at so many runs. */
const MOST_LOOKED_AT = 20_000

/**
 * By their first run, equal ones by name.
 * @param giveWay awaited now and then
 * @returns with the instant (epoch ms) before which none was looked at; undefined: all were
 */
export async function runGroups(
  engine: Pick<CountedRuns, 'statusesPart'>,
  { from, to }: { from: number; to: number },
  { name, sees }: Asked,
  giveWay: () => Promise<void> | undefined
): Promise<{ groups: RunGroup[]; since?: number }> {
  const groups = new Map<string, RunGroup>()
  let before: RunPlace | undefined
  for (let left = MOST_LOOKED_AT; left > 0; left -= AT_ONCE) {
    const part = engine.statusesPart({ ...(name === undefined ? {} : { name }), from, to }, before, AT_ONCE)
    for (const run of part) {
      if (sees && !sees(run)) continue
      const group = groups.get(run.name) ?? { name: run.name, runs: {}, first: run.createdAt, last: run.createdAt }
      groups.set(run.name, group)
      group.runs[run.status] = (group.runs[run.status] ?? 0) + 1
      group.first = run.createdAt
    }
    if (part.length < AT_ONCE) return { groups: ordered(groups) }
    before = part.at(-1)
    await giveWay()
  }
  return { groups: ordered(groups), ...(before ? { since: before.createdAt } : {}) }
}

const ordered = (groups: ReadonlyMap<string, RunGroup>) =>
  [...groups.values()].sort((a, b) => a.first - b.first || (a.name < b.name ? -1 : 1))
