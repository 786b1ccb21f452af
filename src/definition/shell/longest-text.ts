/** How long one argument or one variable of a process may be. */

/** Linux: MAX_ARG_STRLEN is 131,072 bytes with the NUL at the end. */
const LONGEST = 131_071

// D44: a command that is too long for an argument runs from a file
/** Whether a text, of a variable with its name and `=`, is too long for a process. Looked at for each variable of each step. */
export function isTooLong(...parts: string[]): boolean {
  const characters = parts.reduce((sum, { length }) => sum + length, 0)
  if (characters * MOST_BYTES <= LONGEST) return false
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0) > LONGEST
}
/** Bytes of UTF-8 for one unit of a JavaScript text. */
const MOST_BYTES = 3

/** How a message shows a text that is too long. */
export const beginningOf = (text: string): string => `${text.slice(0, SHOWN)}...`
const SHOWN = 40

/** @param what which text that is */
export const tooLong = (what: string, text: string): Error =>
  new Error(
    `${what} has ${Buffer.byteLength(text)} bytes with its values, and a process takes at most ${LONGEST} in one text: use a \`script\` instead`
  )
