/** Which entries somebody wants to see. */
import type { Entry } from './entry.ts'

export interface AuditFilter {
  /** Part of the caller, written as `token:ci`. */
  principal?: string | undefined
  /** Id of an operation. */
  operation?: string | undefined
  /** File name of a definition, or DAG name. */
  dag?: string | undefined
  /** Id of a run, or of a sub DAG run. */
  run?: string | undefined
  /** `done`, `refused` (anything else), or an error code. */
  outcome?: string | undefined
  /** Epoch ms; entered then or later. */
  from?: number | undefined
  /** Epoch ms; entered before. */
  to?: number | undefined
}

export function matcher({ principal, operation, dag, run, outcome, from, to }: AuditFilter): (entry: Entry) => boolean {
  const part = principal?.toLowerCase()
  return (entry) => {
    const { target = {} } = entry
    const { kind, name } = entry.principal
    if (part !== undefined && !`${kind}:${name}`.toLowerCase().includes(part)) return false
    if (operation !== undefined && entry.operation !== operation) return false
    if (dag !== undefined && target.fileName !== dag && target.name !== dag) return false
    if (run !== undefined && target.dagRunId !== run && target.subDAGRunId !== run) return false
    if (outcome === 'refused' ? entry.outcome === 'done' : outcome !== undefined && entry.outcome !== outcome)
      return false
    const at = from === undefined && to === undefined ? 0 : Date.parse(entry.at)
    return (from === undefined || at >= from) && (to === undefined || at < to)
  }
}
