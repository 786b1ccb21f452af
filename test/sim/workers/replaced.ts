/**
 * Runs in whose place on a worker others go on, and that go on nevertheless, beside them: the one exception to the rule about slots. Read off
 * what is committed, not off the table of the engine. Source: docs/decisions/workers.md (D1210).
 */
import type { Plan, RunRecord } from '../../../machines/vocabulary.ts'
import type { Changes } from '../../../src/store/changes.ts'
import { idOf } from '../rules/queues.ts'
import type { Known } from '../rules/runs.ts'

export interface Replaced {
  /** To be told of each commit, after the rules of runs. */
  committed(changes: Changes): void
  /** Those of a worker that go on, by what holds their slot. */
  goOn(home: string, slots: number): Set<string>
}

// D1228: the judge of the simulation knows when two runs may be at work in one slot
/** A run has its worker so long before its record says so, at most: a slow disk. */
const PLACED_MS = 10_000

export function openReplaced(
  now: () => number,
  runs: () => ReadonlyMap<string, Known>,
  planOf: (record: RunRecord) => Plan | undefined,
  /** Whose slot a run uses, and what its own would be called. */
  slots: { holderOf(record: RunRecord): string; ownOf(record: RunRecord): string }
): Replaced {
  /** When a call of a run was out of time at last, by attempt. */
  const outOfTime = new Map<string, number>()
  const attemptOf = (record: RunRecord) => `${idOf(record)}#${record.attempt}`

  return {
    committed({ journal }) {
      for (const { run, actor, to } of journal) {
        const known = run && to.startsWith('attempting.expiring') ? runs().get(idOf(run)) : undefined
        if (!known) continue
        const step = planOf(known.record)?.steps.find(({ name }) => actor.endsWith(`/node/${name}`))
        if (step?.call !== undefined) outOfTime.set(attemptOf(known.record), now())
      }
    },
    goOn(home, most) {
      const open = [...runs().values()].filter(
        ({ record }) =>
          record.status === 'running' &&
          record.placement?.home === home &&
          slots.holderOf(record) === slots.ownOf(record)
      )
      const leaseOf = ({ record }: Known) => record.placement?.lease ?? 0
      const extras = open.filter(({ record }) => record.placement?.extra)
      const count = Math.max(0, Math.min(open.length - most, extras.length))
      const since = Math.min(...extras.map(({ record }) => record.startedAt ?? 0)) - PLACED_MS
      const replaced = open.sort((one, other) => leaseOf(one) - leaseOf(other)).slice(0, count)
      const goesOn = ({ record, isAsked, isStopped }: Known) =>
        isAsked || isStopped || (outOfTime.get(attemptOf(record)) ?? Number.NEGATIVE_INFINITY) >= since
      return new Set(replaced.filter(goesOn).map(({ record }) => slots.ownOf(record)))
    }
  }
}
