/** What runs where on other machines, written down for an engine that comes after a crash. Imports no client. Source: execution-semantics 13.5.3. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Execution, Traces } from '../executor.ts'

/** Goes with the other records of the run. */
const notePath = ({ state }: Traces): string => `${state}.remote.state`

// D625, D644
/** @param group id of the process group there */
export function note(execution: Execution, machine: string, group: number): void {
  const masked = execution.masking?.secrets.mask(machine) ?? machine
  try {
    writeFileSync(notePath(execution), `${group} ${masked}\n`, { mode: 0o600 })
  } catch {
    // A step goes on without it: only less is known after a crash.
  }
}

export const forgetNote = (traces: Traces): void => rmSync(notePath(traces), { force: true })

/** What a crash may have left at work, to follow `interrupted: outcome unknown`; empty: the command had not said so. */
export function leftBehind(traces: Traces): string {
  try {
    const [, group, machine] = /^(\d+) (.*)\n/.exec(readFileSync(notePath(traces), 'utf8')) ?? []
    return group ? ` (its process group ${group} on ${machine} may still be running)` : ''
  } catch {
    return ''
  }
}
