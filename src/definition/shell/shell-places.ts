/** Places of a text that a sh-like shell reads, with their rules, and the marks between them. Source: execution-semantics 3.1. */

/** A place with its own rules. `command` is the top, `( )` or `$( )`; `ansi` is `$'...'`; `literal` a body without expansion. */
export type Place = 'command' | 'ticks' | 'single' | 'ansi' | 'double' | 'brace' | 'heredoc' | 'literal'

/** A place that has been entered and not left. */
export interface Frame {
  place: Place
  /** Inside `${...}`: references are left to the shell. */
  leave: boolean
  /** Inside `(( ))`: `#` and `<<` are operators. So it is in double quotes there. */
  arithmetic: boolean
  /** How many `case` are open: the `)` after a pattern ends nothing. */
  cases: number
  /** A brace inside double quotes, where a single quote is text. */
  quoted: boolean
  /** In quotes that are the text of another shell (`sh -c "..."`): where it begins. */
  inner: number | undefined
}

// D509: references in comments and inside `${X:-...}` are the shell's
/** Signs that change anything in each kind of place. */
export const SPECIAL: Record<Place, RegExp> = {
  command: /[\\'"$`#()<\n]/g,
  ticks: /[\\'"$`#()<\n]/g,
  single: /[\\'$]/g,
  ansi: /[\\'$]/g,
  double: /[\\"$`]/g,
  brace: /[\\'"$`}]/g,
  heredoc: /[\\$`]/g,
  literal: /[\\$]/g
}

/** Signs that matter in a text that may hold a `case`, which few do. */
export const SPECIAL_OR_CASE: Record<Place, RegExp> = {
  ...SPECIAL,
  command: /[\\'"$`#()<\n]|\b(?:case|esac)\b/g
}

/** A name without braces before what may be replaced by a value: it would take up the letters and digits of that. */
export const BARE_NAME = /\$([A-Za-z_]\w*|\d)(?=[$`])/y

/** Characters before a mark that are looked at. */
const BEFORE = 64
const before = (text: string, at: number) => text.slice(Math.max(0, at - BEFORE), at)

const COMMAND_BEGINS = /(?:^|[\n;&|(){}!`]|(?:^|[\s;&|(){}!`])(?:if|then|elif|else|while|until|do|time))[ \t\n]*$/
const ESAC_FITS = new RegExp(`${COMMAND_BEGINS.source}|\\sin\\s+$`)

/** Whether the word at `at` is the shell's: elsewhere it is text. */
export const beginsCase = (text: string, at: number): boolean => COMMAND_BEGINS.test(before(text, at))
export const endsCase = (text: string, at: number): boolean => ESAC_FITS.test(before(text, at))

/** Length of the comment that begins at `at`, or 1. The first line of a script is expanded though it is a comment (4.3.3). */
export function commentAt(text: string, at: number, inTicks: boolean): number {
  const isComment = at === 0 ? text[1] !== '!' : /[\s;&|(]/.test(text[at - 1] ?? '')
  if (!isComment) return 1
  const end = inTicks ? /[\n`]/g : /\n/g
  end.lastIndex = at
  return (end.exec(text)?.index ?? text.length) - at
}

const SHELL_TEXT = /(?:^|[\s;&|(/])(?:sh|bash|dash|ash|ksh|zsh)(?:\s+-[\w-]+)*\s+-\w*c\s+$/

/** Whether what begins at `at` is a text for another shell: `sh -c "..."`. */
export const isShellText = (text: string, at: number): boolean => SHELL_TEXT.test(before(text, at))

/** A longer one is not read again for each reference in it. */
export const MAX_INNER = 65_536

/** Deeper here-documents stay as written. */
export const MAX_DEPTH = 8
