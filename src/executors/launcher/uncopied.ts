/** A step that succeeded fails when a file did not get its copy, and its record says which. Source: execution-semantics 4.5.2. */
import { notesIn } from '../processes/state-file.ts'

/** Exit code of a step without its copy: EX_IOERR of sysexits.h. */
export const UNCOPIED = 74

export type Stream = 'stdout' | 'stderr'

interface Uncopied {
  stream: Stream
  path: string
}

// D8: `tee` makes the copies of `stdout:` and `stderr:`
/** The line for its record. It may be lost on a full disk, the exit code is not. @param path as it is shown */
export function uncopiedNote(stream: Stream, path: string): string {
  const uncopied: Uncopied = { stream, path }
  return `${JSON.stringify({ uncopied })}\n`
}

/** Why the step failed; undefined: the code is its own. @param state path of its record */
export function uncopiedIn(state: string): string | undefined {
  const { uncopied } = notesIn(state) as { uncopied?: Uncopied }
  return uncopied && `the copy of ${uncopied.stream} could not be written: ${uncopied.path}`
}
