/** A record of what runs on remote hosts, for the next engine after a crash. Imports no client. Source: execution-semantics 13.5.3. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Execution, Traces } from '../executor.ts'

/** Stored beside the other records of the run. */
const notePath = ({ state }: Traces): string => `${state}.remote.state`

// D625, D644: after a crash, a command that was sent has an unknown outcome
/** @param group id of the remote process group */
export function note(execution: Execution, machine: string, group: number): void {
  const masked = execution.masking?.secrets.mask(machine) ?? machine
  try {
    writeFileSync(notePath(execution), `${group} ${masked}\n`, { mode: 0o600 })
  } catch {
    // The step continues without it: less is known after a crash.
  }
}

export const forgetNote = (traces: Traces): void => rmSync(notePath(traces), { force: true })

/** What may still run after a crash, appended to `interrupted: outcome unknown`; empty: unknown. */
export function leftBehind(traces: Traces): string {
  try {
    const [, group, machine] = /^(\d+) (.*)\n/.exec(readFileSync(notePath(traces), 'utf8')) ?? []
    return group ? ` (its process group ${group} on ${machine} may still be running)` : ''
  } catch {
    return ''
  }
}
