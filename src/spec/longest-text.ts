/** How long one argument or one variable of a process may be. */

/** Linux: MAX_ARG_STRLEN is 131,072 bytes with the NUL at the end. */
const LONGEST = 131_071

/** Whether no process can be given it: of a variable with its name and `=`. */
export const isTooLong = (text: string): boolean => Buffer.byteLength(text) > LONGEST

/** @param what which text that is */
export const tooLong = (what: string, text: string): Error =>
  new Error(
    `${what} has ${Buffer.byteLength(text)} bytes with its values, and a process takes at most ${LONGEST} in one text: use a \`script\` instead`
  )
