/** All problems of one text, collected while it is read. Source: execution-semantics 1.6.3. */
import type { LineCounter } from 'yaml'
import type { Problem } from './definition.ts'
import { type Field, toJson } from './value.ts'

/** Problems kept of one text; a text with more is told how many were left out. */
const MAX_PROBLEMS = 100

const LONGEST_VALUE = 100

export interface Problems {
  /** @param at offset in the text */
  add(message: string, path: string, at?: number): void
  warn(message: string): void
  /** In the order of the text; problems without a place come first. */
  list(): Problem[]
  warnings(): string[]
  found(): boolean
  /** Further problems are only counted. */
  full(): boolean
}

/** @param lines line starts of the text, known at the latest when `list` is called */
export function collectProblems(lines: LineCounter): Problems {
  const kept: (Problem & { at: number })[] = []
  const warnings: string[] = []
  let omitted = 0
  const placed = ({ at, message, path }: Problem & { at: number }): Problem => {
    if (at < 0) return { message, path }
    const { line, col } = lines.linePos(at)
    return { message, path, line, column: col }
  }
  return {
    add(message, path, at = -1) {
      if (kept.length < MAX_PROBLEMS) kept.push({ message, path, at })
      else omitted++
    },
    warn: (message) => void warnings.push(message),
    list() {
      const all = kept.toSorted((a, b) => a.at - b.at).map(placed)
      return omitted ? [...all, { message: `${omitted} more problems are not shown`, path: '' }] : all
    },
    warnings: () => warnings,
    found: () => kept.length > 0,
    full: () => kept.length >= MAX_PROBLEMS
  }
}

/** Reports `field '<name>': <reason>` at a field. */
export function wrong(problems: Problems, { name, path, value }: Field, reason: string): void {
  problems.add(name ? `field '${name}': ${reason}` : reason, path, value.at)
}

/** The same with the value that was found, as JSON. */
export function wrongValue(problems: Problems, field: Field, reason: string): void {
  wrong(problems, field, `${reason} (value: ${shortened(toJson(field.value))})`)
}

/** A text cut to a length that fits a message. */
export const shortened = (text: string): string =>
  text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}...` : text
