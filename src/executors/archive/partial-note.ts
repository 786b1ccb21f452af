/** What an archive is until it is whole, written down for an engine that comes after a crash: nobody goes on with it. Source: execution-semantics 10.5; D605. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Execution, Traces } from '../executor.ts'

const SUFFIX = '.partial.state'
export const isPartialNote = (file: string): boolean => file.endsWith(SUFFIX)
/** Goes with the other records of the run. */
const notePath = ({ state }: Traces): string => state + SUFFIX

/** A path with a secret in it is not written down. */
export function notePartial(execution: Execution, partial: string): void {
  if (execution.masking?.secrets.hidesIn(partial)) return
  try {
    writeFileSync(notePath(execution), JSON.stringify(partial), { mode: 0o600 })
  } catch {
    // A step goes on without it: only more stays after a crash.
  }
}

export const forgetPartial = (traces: Traces): void => rmSync(notePath(traces), { force: true })

/** Removes what a crash has left of one, and has nothing to say of it. */
export async function removePartial(traces: Traces): Promise<''> {
  try {
    await rm(JSON.parse(readFileSync(notePath(traces), 'utf8')), { force: true })
  } catch {
    // There was none, or it cannot be removed: the step has failed all the same.
  }
  return ''
}
