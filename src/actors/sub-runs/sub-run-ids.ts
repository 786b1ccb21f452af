/**
 * Ids of sub DAG runs. An id is derived from the id of the caller (9.5.1), which another DAG may use for one of its own runs, and
 * from the step name and params, whose concatenation may be ambiguous; and sub runs are stored by name and id. A sub run whose id is
 * taken gets another one, which also depends on the creation time of the caller, so that a retry of the caller finds it again, even
 * after a rename.
 */
import { runId } from '../../../machines/engine.ts'
import { type ChurnMap, churnMap } from '../../../machines/tables/churn-map.ts'
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import { subRunId } from '../../definition/steps/sub-run-id.ts'
import { planOf, runRecord, subRunOf } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import type { StoredPlan } from '../../store/stored.ts'
import type { OpenRun } from '../root/open-run.ts'

export interface SubRunIds {
  /** The id that the caller's sub run has or gets. It is reserved until the sub run has started. */
  idOf(caller: RunKey, step: string, name: string, params: string, repetition?: string): string
  /** Reserves the ids that a call got before a restart. */
  keep(caller: RunKey, step: string, items: readonly RunKey[]): void
  /** The first sub run of a caller; undefined: there is none. */
  found(caller: RunKey, step: string, name: string, params: string): RunRecord | undefined
  /** The workflow that a sub run with these parameters ran, under any name: one of this caller, or of the run that it retries. */
  before(caller: RunKey, step: string, params: string, repetition?: string): StoredPlan | undefined
  /** @throws Error when the id belongs to a run of another caller */
  checkOwn(caller: RunKey, item: RunKey): void
  /** The sub run has started: from now on its record names its caller. */
  begun(item: RunKey): void
}

/** Up to this many reserved ids are kept without checking whether their callers are still open. */
const HELD = 10_000

/** A run by `runId`, empty for none, and one of its steps. */
interface Holder {
  run: string
  step: string
}

// D50, D53: handlers of a later attempt call new sub runs
/** @param runs open runs by `runId` */
export function openSubRunIds(store: Store, runs: ChurnMap<OpenRun>): SubRunIds {
  /** Callers, by `runId` of the sub run. */
  const aside = churnMap<Holder>()
  let held = 0
  let looksAt = HELD

  function set(item: RunKey, caller: RunKey, step: string): void {
    aside.set(runId(item), { run: runId(caller), step })
    if (++held <= looksAt) return
    for (const id of aside.keys()) if (!runs.has(aside.get(id)?.run ?? '')) aside.delete(id)
    held = aside.keys().length
    looksAt = Math.max(HELD, 2 * held)
  }

  const recordOf = (key: RunKey) => runs.get(runId(key))?.record ?? runRecord(store, key)

  /** The caller of a sub run. */
  function holderOf(item: RunKey): Holder | undefined {
    const record = recordOf(item)
    if (record) return { run: record.caller ? runId(record.caller.parent) : '', step: record.caller?.step ?? '' }
    const holder = aside.get(runId(item))
    return holder && runs.has(holder.run) ? holder : undefined
  }

  function* idsOf(caller: RunKey, step: string, params: string, repetition?: string): Generator<string, never> {
    const { dagRunId } = caller
    yield subRunId(dagRunId, step, params, repetition)
    const { createdAt = 0 } = recordOf(caller) ?? {}
    for (let at = createdAt; ; at++) yield subRunId(dagRunId, step, params, repetition, `at ${at}`)
  }

  /** The caller's own id, otherwise the first free one. The first may have become free since the caller got the second. */
  function pick(
    caller: RunKey,
    step: string,
    name: string,
    ids: Iterator<string, never>
  ): { key: RunKey; isOwn: boolean } {
    let free: RunKey | undefined
    for (let looked = 1; ; looked++) {
      const key = { name, dagRunId: ids.next().value }
      const holder = holderOf(key)
      if (holder?.run === runId(caller) && holder.step === step) return { key, isOwn: true }
      if (holder === undefined) free ??= key
      if (free && looked > 1) return { key: free, isOwn: false }
    }
  }

  return {
    idOf(caller, step, name, params, repetition) {
      const { key, isOwn } = pick(caller, step, name, idsOf(caller, step, params, repetition))
      if (!isOwn) set(key, caller, step)
      return key.dagRunId
    },
    keep(caller, step, items) {
      for (const item of items) if (holderOf(item) === undefined) set(item, caller, step)
    },
    found(caller, step, name, params) {
      const { key, isOwn } = pick(caller, step, name, idsOf(caller, step, params))
      return isOwn ? recordOf(key) : undefined
    },
    before(caller, step, params, repetition) {
      const { retryOf } = recordOf(caller) ?? {}
      const callers = retryOf && repetition === undefined ? [caller, retryOf] : [caller]
      for (const one of callers) {
        const root = recordOf(one)?.caller?.root ?? one
        const ids = idsOf(one, step, params, repetition)
        for (const dagRunId of [ids.next().value, ids.next().value]) {
          const sub = subRunOf(store, root, dagRunId)
          const record = sub && recordOf(sub)
          if (record?.caller?.step === step && runId(record.caller.parent) === runId(one))
            return planOf(store, record.plan)
        }
      }
      return undefined
    },
    checkOwn(caller, item) {
      const holder = holderOf(item)
      if (holder !== undefined && holder.run !== runId(caller))
        throw new Error(
          `there is a run ${item.dagRunId} of ${item.name} already, and it is none of this run's: retry the step`
        )
    },
    begun(item) {
      if (aside.delete(runId(item))) held--
    }
  }
}
