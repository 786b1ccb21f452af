/** All problems of one text, collected while it is read. Source: execution-semantics 1.6.3. */
import type { LineCounter } from 'yaml'
import type { Problem } from './definition.ts'
import { type Field, toJson } from './yaml/value.ts'

/** Problems and warnings kept of one text; for more, the number that was left out is reported. */
const MAX_PROBLEMS = 100

const LONGEST_VALUE = 100

export interface Problems {
  /** @param at offset in the text */
  add(message: string, path: string, at?: number): void
  /** A required part of a field is missing; in a base file it may come from the definitions. */
  lacks(message: string, path: string, at?: number): void
  warn(message: string): void
  /** In the order of the text; problems without a place come first. */
  list(): Problem[]
  warnings(): string[]
  found(): boolean
  /** Further problems are only counted. */
  full(): boolean
}

export interface ProblemOptions {
  /** The text is completed by another one. */
  isPart?: boolean
}

/** @param lines line starts of the text, known at the latest when `list` is called */
export function collectProblems(lines: LineCounter, { isPart }: ProblemOptions = {}): Problems {
  const kept: (Problem & { at: number })[] = []
  const warnings: string[] = []
  let omitted = 0
  let silenced = 0
  const placed = ({ at, message, path }: Problem & { at: number }): Problem => {
    if (at < 0) return { message, path }
    const { line, col } = lines.linePos(at)
    return { message, path, line, column: col }
  }
  function add(message: string, path: string, at = -1): void {
    if (kept.length < MAX_PROBLEMS) kept.push({ message, path, at })
    else omitted++
  }
  return {
    add,
    lacks(message, path, at) {
      if (!isPart) add(message, path, at)
    },
    warn(message) {
      if (warnings.length < MAX_PROBLEMS) warnings.push(message)
      else silenced++
    },
    list() {
      const all = kept.toSorted((a, b) => a.at - b.at).map(placed)
      return omitted ? [...all, { message: `${omitted} more problems are not shown`, path: '' }] : all
    },
    warnings: () => (silenced ? [...warnings, `${silenced} more warnings are not shown`] : warnings),
    found: () => kept.length > 0,
    full: () => kept.length >= MAX_PROBLEMS
  }
}

/** Reports `field '<name>': <reason>` at a field. */
export function wrong(problems: Problems, { name, path, value }: Field, reason: string): void {
  problems.add(name ? `field '${name}': ${reason}` : reason, path, value.at)
}

/** Reports a wrong value with what was found, as JSON. */
export function wrongValue(problems: Problems, field: Field, reason: string): void {
  wrong(problems, field, `${reason} (value: ${shortened(toJson(field.value))})`)
}

/** Reports `field '<name>': <reason>` for a field that a mapping lacks. */
export function lacking(problems: Problems, { path, value }: Field, name: string, reason: string): void {
  problems.lacks(`field '${name}': ${reason}`, path ? `${path}.${name}` : name, value.at)
}

/** A text cut to a length that fits a message. */
export const shortened = (text: string): string =>
  text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}...` : text
