/**
 * Search through definition texts: a regular expression, whatever the case, line by line. It runs in linear time: no
 * pattern can hold the engine. Source: api-semantics 3.3 (GET /dags/search).
 */
import { RE2JS } from 're2js'

/** Characters of a pattern. */
const LONGEST_PATTERN = 256
/** Time for one text, ms. */
const BUDGET_MS = 250
/** Lines shown before and after a hit. */
const AROUND = 2
/** Characters of one shown block; a longer one is cut. */
const LONGEST_BLOCK = 10_000

/** Source: http-api "Search match". Line numbers count from 1. */
export interface SearchMatch {
  /** The hit with the lines around it. */
  line: string
  lineNumber: number
  startLine: number
}
export interface SearchResult {
  matches: SearchMatch[]
  /** Why not every line was looked at. */
  cut?: string
}

/** Looks through one text. `most`: matches wanted at most. */
export type TextSearch = (text: string, most: number) => SearchResult

/** @param elapsed monotonic milliseconds @returns the search, or a sentence about what is wrong with the pattern */
export function textSearch(pattern: string, elapsed: () => number): TextSearch | { wrong: string } {
  if (pattern.length > LONGEST_PATTERN)
    return { wrong: `invalid search pattern: wanted at most ${LONGEST_PATTERN} characters, found ${pattern.length}` }
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
  } catch (cause) {
    return { wrong: `invalid search pattern: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
  return (text, most) => {
    const until = elapsed() + BUDGET_MS
    const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
    const matches: SearchMatch[] = []
    for (const [index, line] of lines.entries()) {
      if (elapsed() > until) return { matches, cut: `the search was ended at line ${index + 1}, after ${BUDGET_MS} ms` }
      if (!compiled.test(line)) continue
      if (matches.length === most)
        return { matches, cut: `the search was ended at line ${index + 1}: too many matches` }
      const start = Math.max(0, index - AROUND)
      const block = lines.slice(start, index + AROUND + 1).join('\n')
      matches.push({ line: block.slice(0, LONGEST_BLOCK), lineNumber: index + 1, startLine: start + 1 })
    }
    return { matches }
  }
}
