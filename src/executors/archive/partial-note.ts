/** A record of an archive's temporary file, which the next engine removes after a crash. Source: execution-semantics 10.5; D605. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Execution, Traces } from '../executor.ts'

const SUFFIX = '.partial.state'
export const isPartialNote = (file: string): boolean => file.endsWith(SUFFIX)
/** Stored beside the other records of the run. */
const notePath = ({ state }: Traces): string => state + SUFFIX

/** A path that contains a secret is not recorded. */
export function notePartial(execution: Execution, partial: string): void {
  if (execution.masking?.secrets.hidesIn(partial)) return
  try {
    writeFileSync(notePath(execution), JSON.stringify(partial), { mode: 0o600 })
  } catch {
    // The step continues without it: a crash then leaves the file behind.
  }
}

export const forgetPartial = (traces: Traces): void => rmSync(notePath(traces), { force: true })

/** Removes the temporary file after a crash; adds nothing to the error. */
export async function removePartial(traces: Traces): Promise<''> {
  try {
    await rm(JSON.parse(readFileSync(notePath(traces), 'utf8')), { force: true })
  } catch {
    // The partial file does not exist or cannot be removed: the step has failed in any case.
  }
  return ''
}
