/** How many root runs that callers of the API have asked for wait or run. Counted as they begin and end; nothing walks the history. */
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine } from '../../engine/engine.ts'

export interface OpenRuns {
  /** Number of open runs of one caller, by the name in their `trigger`; at least `most` when there are that many. */
  of(caller: string, most: number): number
  /** Counts a run that is about to begin, until it has, or until `release`. */
  expect(caller: string, requestId: string): { release(): void }
}

/** A caller without credentials has no name in a `trigger`. */
export const NAMELESS = 'anyone'

const isOpen = ({ status }: RunRecord) => status === 'running' || status === 'queued' || status === 'not_started'

/** @param ended ends the counting */
export function openRuns(engine: Pick<Engine, 'runs' | 'record' | 'subscribe'>, ended: AbortSignal): OpenRuns {
  /** By caller, then by run. */
  const open = new Map<string, Map<string, RunKey>>()
  const callers = new Map<string, string>()
  const expected = new Map<string, Set<string>>()
  const idOf = ({ name, dagRunId }: RunKey) => `${name}/${dagRunId}`

  function forget(id: string): void {
    const caller = callers.get(id)
    const own = caller === undefined ? undefined : open.get(caller)
    callers.delete(id)
    own?.delete(id)
    if (caller !== undefined && own?.size === 0) open.delete(caller)
  }

  function note({ name, dagRunId, ...run }: RunRecord): void {
    const id = idOf({ name, dagRunId })
    forget(id)
    if (run.caller || run.trigger?.type !== 'api') return
    const { by: caller = NAMELESS, requestId } = run.trigger
    if (requestId !== undefined) expected.get(caller)?.delete(requestId)
    if (!isOpen({ name, dagRunId, ...run })) return
    const own = open.get(caller) ?? new Map<string, RunKey>()
    open.set(caller, own.set(id, { name, dagRunId }))
    callers.set(id, caller)
  }

  /** No event tells that a run was taken from its queue. */
  function prune(caller: string): void {
    for (const [id, key] of [...(open.get(caller) ?? [])]) {
      const record = engine.record(key)
      if (!record || !isOpen(record)) forget(id)
    }
  }

  const count = (caller: string) => (open.get(caller)?.size ?? 0) + (expected.get(caller)?.size ?? 0)
  const leave = engine.subscribe(({ run, step }) => {
    if (!run || step !== undefined) return
    const record = engine.record(run)
    if (record) note(record)
    else forget(idOf(run))
  })
  ended.addEventListener('abort', leave, { once: true })
  for (const run of engine.runs({ status: ['running', 'queued'] })) note(run)
  return {
    of(caller, most) {
      if (count(caller) >= most) prune(caller)
      return count(caller)
    },
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
