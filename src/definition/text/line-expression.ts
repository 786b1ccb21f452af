/**
 * A regular expression for the lines of a log, whatever its size: case does not matter, and it runs in linear time. How long one line may
 * take is bounded by the size of the expression and by how much of a line is looked at. Source: docs/http-api.md "Logs".
 */
import { RE2JS } from 're2js'
import { messageOf } from '../../errors.ts'
import { foldedText, neededText } from './search.ts'

/** Characters of an expression. */
const LONGEST_PATTERN = 256
/** What a repetition repeats counts each time. */
const MOST_PARTS = 250
/** Characters of a line: with the costliest expression this long takes about 0.1 s. */
const LONGEST_LINE = 4_000

interface LineExpression {
  /** False: none of the lines has a match. Much cheaper than to try each of them. */
  mayMatch(lines: string): boolean
  /** Whether a line has a match in its first 4,000 characters. @param line without its break */
  matches(line: string): boolean
}

// D1366: a regular expression is tried on each line of a log, in the process of the API
/** @returns the expression, or a sentence about what is wrong with it */
export function lineExpression(pattern: string): LineExpression | { wrong: string } {
  if (pattern.length > LONGEST_PATTERN)
    return { wrong: `wanted a regular expression of at most ${LONGEST_PATTERN} characters, found ${pattern.length}` }
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
  } catch (cause) {
    const reason = messageOf(cause).replace('error parsing regexp: ', '').replace('`(?i)', '`')
    return { wrong: `invalid regular expression: ${reason}` }
  }
  if (compiled.programSize() > MOST_PARTS)
    return { wrong: 'the regular expression is too large to search a log with: repeat less in it' }
  const needed = neededText(pattern)
  return {
    mayMatch: (lines) => needed === '' || foldedText(lines).includes(needed),
    matches: (line) => compiled.test(line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line)
  }
}
