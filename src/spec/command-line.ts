/** Splits the text form of `shell` into words. Source: execution-semantics 4.2.3. */

/** Blanks, or a piece of a word: bare, an escaped character, 'literal', or "with escapes". */
const PIECE = /\s+|[^\s'"\\]+|\\[\s\S]|'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/gy

/** The words as a shell would split them; nothing is expanded. Undefined: a quote is not closed or a backslash ends the text. */
export function splitCommandLine(text: string): string[] | undefined {
  const words: string[] = []
  let inWord = false
  let end = 0
  for (const [piece] of text.matchAll(PIECE)) {
    end += piece.length
    const blank = /^\s/.test(piece)
    if (!blank && !inWord) words.push('')
    if (!blank) words.push(`${words.pop() ?? ''}${unquoted(piece)}`)
    inWord = !blank
  }
  return end === text.length ? words : undefined
}

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1)
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\(["\\$`])/g, '$1')
  return piece.startsWith('\\') ? piece.slice(1) : piece
}
