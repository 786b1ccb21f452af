/** Syntax of references and backtick commands. Nothing is looked up here. Source: execution-semantics 3.1.1-3.1.4, 3.2.1. */

/** A reference in a text. */
export interface Reference {
  name: string
  /** The path after the name, its dot included: `.a.b`, `.stdout:0:5`. */
  path?: string
  braced: boolean
  /** Index after the name, and after the whole. */
  nameEnd: number
  end: number
  /** The whole, as written. */
  written: string
}

const BRACED = /\$\{(\w+)\}/y
/** A path holds no brace, `$` or backtick: so a text of many openings is still read in one pass. */
const BRACED_PATH = /\$\{(\w+)(\.[^{}$`\n]*)\}/y
/** Ids of steps may hold a dash (1.5.7); `${X-a.b}` is a shell form. */
const DASHED_STEP = /\$\{([\w-]+)(\.(?:stdout|stderr|exitCode|exit_code)(?::[^{}$`\n]*)?)\}/y
/**
 * Choice: without braces a path is the longest row of `.key` and `[index]`, not all up to the next blank, so that the quotes
 * and commas of `"$NAME.a",` are no part of it.
 */
const BARE = /\$(\w+)((?:\.[A-Za-z_]\w*|\.\[(?:-?\d+|-?\d*:-?\d*)\])(?:\.[A-Za-z_]\w*|\.?\[(?:-?\d+|-?\d*:-?\d*)\])*)?/y

/** The reference that begins at the `$` at `at`, or undefined: `$$`, a shell form, plain text. */
export function referenceAt(text: string, at: number): Reference | undefined {
  if (text[at + 1] === '{') {
    const found = matchAt(BRACED, text, at) ?? matchAt(BRACED_PATH, text, at) ?? matchAt(DASHED_STEP, text, at)
    if (!found) return undefined
    const [written, name = '', path] = found
    const end = at + written.length
    return { name, ...(path !== undefined && { path }), braced: true, nameEnd: end, end, written }
  }
  const [written, name = '', path] = matchAt(BARE, text, at) ?? []
  if (written === undefined) return undefined
  const nameEnd = at + 1 + name.length
  return { name, ...(path !== undefined && { path }), braced: false, nameEnd, end: at + written.length, written }
}

/** `'${X}'`: single quotes that touch a reference on both sides. */
export const isSingleQuoted = (text: string, at: number, reference: Reference): boolean =>
  text[at - 1] === "'" && text[reference.end] === "'"

const COMMAND = /`([^`\\]*(?:\\[\s\S][^`\\]*)*)`/y

/** The backtick command that begins at `at`; its own `` \` `` are unescaped. Empty for two backticks, undefined when unclosed. */
export function commandAt(text: string, at: number): { command: string; end: number } | undefined {
  const [written, inner = ''] = matchAt(COMMAND, text, at) ?? []
  return written === undefined ? undefined : { command: inner.replaceAll('\\`', '`'), end: at + written.length }
}

/** Whether a text is nothing but one reference or one backtick command. */
export function isOneReference(text: string): boolean {
  const whole = text.trim()
  return (referenceAt(whole, 0)?.end ?? commandAt(whole, 0)?.end) === whole.length
}

/** Matches a sticky expression at `at`. */
export function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}
