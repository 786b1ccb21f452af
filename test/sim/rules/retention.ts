/** What may be removed, and what must be. Source: execution-semantics 14.1, 12.13. */
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { Changes } from '../../../src/store/changes.ts'
import type { Store } from '../../../src/store/open.ts'
import { ON_ITS_WAY_MS } from '../../../src/testing/memory/memory-ahead.ts'
import type { Findings } from '../findings.ts'
import { idOf } from './queues.ts'
import { hasEnded, type Known } from './runs.ts'

export interface RetentionRules {
  /** Called before the runs are notified. */
  committed(changes: Changes): void
  /** The power was out: what is restarted is what the store says. */
  lost(store: Store): void
  /** A queued run is being taken out of its queue. */
  dequeuing(key: RunKey): void
  /** An engine that was opened at this instant has looked at all DAGs. */
  looked(openedAt: number): void
  readonly counts: { removed: number }
}

const DAY_MS = 86_400_000
const READABLE_MS = 5_000

/** @param daysOf histRetentionDays by plan hash */
export function openRetentionRules(
  findings: Findings,
  runs: () => ReadonlyMap<string, Known>,
  daysOf: ReadonlyMap<string, number>,
  now: () => number
): RetentionRules {
  const leaving = new Set<string>()
  const restarted = new Set<string>()
  const counts = { removed: 0 }

  /** Days of the newest run of the name, as readers may see it: the latest ones may be on their way to a slow disk. */
  function daysFor(name: string): number[] {
    const roots = Array.from(runs().values(), ({ record }) => record).filter((run) => run.name === name && !run.caller)
    const newestFirst = roots.sort((a, b) => b.createdAt - a.createdAt || (a.dagRunId < b.dagRunId ? -1 : 1))
    const stored = newestFirst.findIndex(({ createdAt }) => createdAt <= now() - ON_ITS_WAY_MS)
    const seen = newestFirst.slice(0, stored < 0 ? undefined : stored + 1)
    return seen.length === 0 ? [30] : seen.map(({ plan }) => daysOf.get(plan) ?? 30)
  }
  const dueAt = (days: number, { finishedAt = 0 }: RunRecord) =>
    days < 0 ? Number.POSITIVE_INFINITY : finishedAt + (days === 0 ? READABLE_MS : days * DAY_MS)

  return {
    counts,
    committed({ removed, scheduling: { restarts } }) {
      const together = new Set(removed.map(idOf))
      for (const record of removed) {
        const id = idOf(record)
        const known = runs().get(id)?.record
        if (!known) findings.add('14.1 what is removed was there', id)
        else if (record.status === 'queued' && leaving.has(id)) continue
        else if (!hasEnded(known)) findings.add('14.1.2 active runs are never removed', `${id} is ${known.status}`)
        else if (known.caller) {
          if (!together.has(idOf(known.caller.root)))
            findings.add('14.1.4 sub runs go with their root', `${id} without ${idOf(known.caller.root)}`)
        } else {
          counts.removed++
          const days = daysFor(known.name)
          if (days.every((each) => now() < dueAt(each, known)))
            findings.add('14.1.1 runs are kept for histRetentionDays', `${id}, ${days} days, ended ${known.finishedAt}`)
          if (restarted.has(id)) findings.add('14.1.2 a run that is being restarted is not removed', id)
          for (const { record: sub } of runs().values())
            if (sub.caller && idOf(sub.caller.root) === id && !together.has(idOf(sub)))
              findings.add('14.1.4 sub runs go with their root', `${id} leaves ${idOf(sub)}`)
        }
      }
      for (const { key, value } of restarts.values())
        if (value) restarted.add(key.join('/'))
        else restarted.delete(key.join('/'))
    },
    lost(store) {
      restarted.clear()
      for (const key of store.restarts.getKeys()) restarted.add(key.join('/'))
    },
    dequeuing: (key) => void leaving.add(idOf(key)),
    looked(openedAt) {
      for (const [id, { record }] of runs()) {
        // One that was created before the clock was set back has ended before it was created. Its age is that of the later instant.
        const finishedAt = Math.max(record.createdAt, record.finishedAt ?? 0)
        if (
          !record.caller &&
          hasEnded(record) &&
          daysFor(record.name).every((days) => dueAt(days, { ...record, finishedAt }) < openedAt)
        )
          findings.add(
            '14.1.3 what is old enough goes once a day',
            `${id}, ${daysFor(record.name)} days, ended ${record.finishedAt}`
          )
      }
    }
  }
}
