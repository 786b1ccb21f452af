/** How many root runs that callers of the API have asked for wait or run. Counted as they begin and end; nothing walks the history. */
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine } from '../../engine/engine.ts'

export interface OpenRuns {
  /** Of one caller, by the name that the run's `trigger` has. */
  of(caller: string): number
  /** Counts a run that is about to begin, until it has, or until `release`. */
  expect(caller: string, requestId: string): { release(): void }
}

/** Who comes without credentials has no name in a `trigger`. */
export const NAMELESS = 'anyone'

/** @param ended ends the counting */
export function openRuns(engine: Pick<Engine, 'runs' | 'record' | 'subscribe'>, ended: AbortSignal): OpenRuns {
  const callers = new Map<string, string>()
  const counts = new Map<string, number>()
  const expected = new Map<string, Set<string>>()
  const idOf = ({ name, dagRunId }: RunKey) => `${name}/${dagRunId}`

  function change(caller: string, by: number): void {
    const count = (counts.get(caller) ?? 0) + by
    if (count > 0) counts.set(caller, count)
    else counts.delete(caller)
  }

  function forget(id: string): void {
    const caller = callers.get(id)
    if (caller === undefined) return
    callers.delete(id)
    change(caller, -1)
  }

  function note(run: RunRecord): void {
    const id = idOf(run)
    const { status, trigger, caller: parent } = run
    forget(id)
    if (parent || trigger?.type !== 'api') return
    const caller = trigger.by ?? NAMELESS
    if (trigger.requestId !== undefined) expected.get(caller)?.delete(trigger.requestId)
    if (status !== 'running' && status !== 'queued') return
    callers.set(id, caller)
    change(caller, 1)
  }

  const leave = engine.subscribe(({ run, step, status }) => {
    if (!run || step !== undefined || !status) return
    const record = engine.record(run)
    if (record) note(record)
    else forget(idOf(run))
  })
  ended.addEventListener('abort', leave, { once: true })
  for (const run of engine.runs({ status: ['running', 'queued'] })) note(run)
  return {
    of: (caller) => (counts.get(caller) ?? 0) + (expected.get(caller)?.size ?? 0),
    expect(caller, requestId) {
      const own = expected.get(caller) ?? new Set()
      expected.set(caller, own.add(requestId))
      return {
        release() {
          own.delete(requestId)
          if (own.size === 0 && expected.get(caller) === own) expected.delete(caller)
        }
      }
    }
  }
}
