/** What becomes of a step that succeeded when a file did not get its copy: it fails, and its record says which. Source: execution-semantics 4.5.2. */
import { shellQuote } from '../../definition/shell/words.ts'
import { notesIn } from '../processes/state-file.ts'

/** Its exit code: EX_IOERR of sysexits.h. */
export const UNCOPIED = 74

interface Uncopied {
  stream: 'stdout' | 'stderr'
  path: string
}

// D8
/**
 * Shell text, for after the end of a step with `$code`: one of its own stays. The note may be lost on a full disk, the code is not.
 * @param path as it is shown
 */
export function failUncopied(stream: 'stdout' | 'stderr', path: string): string {
  const uncopied: Uncopied = { stream, path }
  return `[ $code = 0 ] && code=${UNCOPIED} && printf '%s\\n' ${shellQuote(JSON.stringify({ uncopied }))} >>"$state"`
}

/** Why it failed; undefined: the code is the step's own. @param state path of its record */
export function uncopiedIn(state: string): string | undefined {
  const { uncopied } = notesIn(state) as { uncopied?: Uncopied }
  return uncopied && `the copy of ${uncopied.stream} could not be written: ${uncopied.path}`
}
