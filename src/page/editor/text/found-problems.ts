/** Problems of a text as the server words them, at the places that they are about, with the word that was probably meant. */

export interface TextProblem {
  message: string
  /** From 1; absent: it is about the whole. */
  line?: number
  column?: number
  isWarning: boolean
  /** `comand` was found where `command` was meant. */
  fixes: Fix[]
}

export interface Fix {
  /** Undefined: what stands at the place of the problem. */
  found?: string
  meant: string
}

const PLACED = /^(.*) \(line (\d+)(?:, column (\d+))?\)$/s
const MEANT = /did you mean (\S+?)(?: instead of (\S+?))?\?/g

/** @param text a member of `errors` or `warnings` of `POST /dags/validate` */
export function problemOf(text: string, isWarning = false): TextProblem {
  const [, placed, line, column] = PLACED.exec(text) ?? []
  const message = placed ?? text
  const fixes = [...message.matchAll(MEANT)].map(([, meant = '', found]) =>
    found === undefined ? { meant } : { found, meant }
  )
  return {
    message,
    ...(line === undefined ? {} : { line: Number(line) }),
    ...(column === undefined ? {} : { column: Number(column) }),
    isWarning,
    fixes
  }
}

export interface Range {
  from: number
  to: number
}

const WORD = /[\w.-]+/y

/** The text that a problem marks: from its column to the end of that word, or its whole line. @param offset where the line begins */
export function rangeOf({ column }: Pick<TextProblem, 'column'>, line: string, offset: number): Range {
  const first = line.length - line.trimStart().length
  const from = Math.min(column === undefined ? first : column - 1, line.length)
  WORD.lastIndex = from
  const word = column === undefined ? undefined : WORD.exec(line)?.[0]
  return { from: offset + from, to: offset + (word === undefined ? line.length : from + word.length) }
}

/** Where the word of a fix is: at the problem, or as a key in the lines below it. Undefined: it is not there any more. */
export function placeOfFix(fix: Fix, text: string, problem: Range): Range | undefined {
  const at = text.slice(problem.from, problem.to)
  if (fix.found === undefined || at === fix.found) return isWord(at) ? problem : undefined
  const rest = text.slice(problem.from)
  const found = new RegExp(`(^|[\\s{,"'-])(${escaped(fix.found)})(?=["']?\\s*:)`, 'm').exec(rest)
  if (!found) return undefined
  const from = problem.from + found.index + (found[1]?.length ?? 0)
  return { from, to: from + fix.found.length }
}

const isWord = (text: string) => /^[\w.-]+$/.test(text)
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
