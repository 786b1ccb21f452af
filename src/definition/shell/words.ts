/** Command lines as words. Source: execution-semantics 1.7 (`shell`), 4.1.6, 4.1.7. */

/** Blanks, a backslash pair, quoted stretches (an unclosed one runs to the end), a pipe, a plain stretch. */
const TOKEN =
  /(\s+)|\\([\s\S]?)|'([^']*)'?|"([^"\\]*(?:\\[\s\S]?[^"\\]*)*)"?|(`[^`\\]*(?:\\[\s\S]?[^`\\]*)*`?)|(\|+)|([^\s\\'"`|]+)/g

/**
 * Splits a command line into words without expanding anything: quotes are removed, a pipe is a word, a backtick command
 * belongs to one word with its backticks.
 */
export function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  const finish = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  for (const [, blank, escaped, single, double, command, pipe, plain] of text.matchAll(TOKEN)) {
    if (blank !== undefined) finish()
    else if (pipe !== undefined) {
      finish()
      words.push(pipe)
    } else word = (word ?? '') + (escaped ?? single ?? double?.replace(/\\([\\"$`])/g, '$1') ?? command ?? plain ?? '')
  }
  finish()
  return words
}
