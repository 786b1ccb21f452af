/** What a restart schedule promises: the run is stopped, a wait, a new run. Source: execution-semantics 11.11. */
import type { Changes } from '../../../src/store/changes.ts'
import type { Store } from '../../../src/store/open.ts'
import type { Findings } from '../findings.ts'
import { idOf } from './queues.ts'
import { hasEnded, type Known } from './runs.ts'

interface Restart {
  waitMs: number
  /**
   * Once it has. A retry in the wait may let it run again: that is not waited for. An engine that comes after counts from the end that is
   * on record by then; the earliest of both, as the retry may seem to have ended before when the clock was set back.
   */
  endedAt?: number
}

export function openRestartRules(findings: Findings, runs: () => ReadonlyMap<string, Known>) {
  let count = 0
  const restarts = new Map<string, Restart>()

  return {
    get count() {
      return count
    },
    /** Called before the runs are notified. */
    committed({ scheduling, runs: changed }: Changes): void {
      for (const { fileName, kind, outcome, dagRunId } of scheduling.decisions.values()) {
        const isKept = [...scheduling.restarts.values()].some(({ value }) => value?.dagRunId === dagRunId)
        if (kind === 'restart' && outcome === 'fired' && !isKept)
          findings.add('11.11 a restart outlives the engine', `${fileName} ${dagRunId} is not stored`)
      }
      for (const { key, value } of scheduling.restarts.values()) {
        if (!value) continue
        count++
        const old = runs().get(key.join('/'))?.record
        const ended = old && hasEnded(old) ? { endedAt: old.finishedAt ?? 0 } : {}
        restarts.set(key.join('/'), { waitMs: value.waitMs, ...ended })
      }
      for (const { value } of changed.values()) {
        const known = restarts.get(idOf(value.record))
        if (known && hasEnded(value.record))
          known.endedAt = Math.min(known.endedAt ?? Number.POSITIVE_INFINITY, value.record.finishedAt ?? 0)
      }
      for (const { key, value } of scheduling.restarts.values()) {
        if (value) continue
        const [name, dagRunId] = key
        const known = restarts.get(key.join('/'))
        restarts.delete(key.join('/'))
        const { endedAt } = known ?? {}
        const begun = [...changed.values()]
          .map(({ value: { record } }) => record)
          .filter((record) => record.name === name)
        const fresh = begun.find((record) => record.dagRunId !== dagRunId && !runs().has(idOf(record)))
        if (!fresh || !known) findings.add('11.11 restart: a new run begins', key.join('/'))
        else if (endedAt === undefined) findings.add('11.11 restart: wait until it ended', key.join('/'))
        else if (fresh.createdAt < endedAt + known.waitMs)
          findings.add('11.11 restart: wait restartWaitSec', `${key.join('/')} ${fresh.createdAt} ${endedAt}`)
      }
    },
    /** A power loss: the restarts that are due are those that are stored. */
    lost(store: Store): void {
      const owed = Array.from(store.restarts.getRange(), ({ key: [name, dagRunId], value: { waitMs } }) => {
        const old = store.runs.get([name, dagRunId])?.record
        const ended = old && hasEnded(old) ? { endedAt: old.finishedAt ?? 0 } : {}
        return [`${name}/${dagRunId}`, { waitMs, ...ended }] as const
      })
      restarts.clear()
      for (const [id, restart] of owed) restarts.set(id, restart)
    },
    over(): void {
      for (const id of restarts.keys()) findings.add('11.11 restart: a new run begins', `${id}: none has begun`)
    }
  }
}
