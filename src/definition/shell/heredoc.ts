/** Here-documents of a shell text: their openings, and where their bodies end. */
import { matchAt } from '../text/reference.ts'
import { splitWords } from './words.ts'

/** An opening `<<WORD` or `<<-WORD` whose body begins at the next line. */
export interface Heredoc {
  delimiter: string
  /** The word was quoted: the shell expands nothing in the body. */
  literal: boolean
  /** `<<-`: the shell drops leading tabs. */
  dropsTabs: boolean
  /** Index after the opening. */
  end: number
}

const OPENING = /<<(-?)[ \t]*((?:\\[^\n]|'[^'\n]*'|"[^"\n]*"|[^\s'"\\;&|<>()`$])+)/y

// D508: a value in a here-document is escaped
/** The opening at `at`, or undefined: `<<<`, a shift, plain text. */
export function heredocAt(text: string, at: number): Heredoc | undefined {
  const [whole, dash, word = ''] = matchAt(OPENING, text, at) ?? []
  if (whole === undefined) return undefined
  const delimiter = splitWords(word).join('')
  return { delimiter, literal: /['"\\]/.test(word), dropsTabs: dash === '-', end: at + whole.length }
}

/** Index of the line that ends a body which begins at `from`; without one the body is the rest of the text, as for a shell. */
export function bodyEnd(text: string, from: number, { delimiter, dropsTabs }: Heredoc): number {
  for (let start = from; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(start, end)
    if ((dropsTabs ? line.replace(/^\t+/, '') : line) === delimiter) return start
    start = end + 1
  }
  return text.length
}
