/** A text as one word of a sh-like shell, which expands nothing in it: for scripts, and for lines that people paste. Imports nothing. */

export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

// D1591: lines that people paste
/** A word for a shell, without quotes where none are needed. */
export const shellWord = (text: string): string => (/^[\w./:@%+=,-]+$/.test(text) ? text : shellQuote(text))
