/**
 * Search through definition texts: a case-insensitive regular expression, line by line. It runs in linear time: no
 * pattern can block the engine. Source: api-semantics 3.3 (GET /dags/search).
 */
import { RE2JS } from 're2js'
import { messageOf } from '../../errors.ts'

/** Characters of a pattern. */
const LONGEST_PATTERN = 256
/** Time for one text, ms. */
const BUDGET_MS = 250
/** Lines shown before and after a hit. */
const AROUND = 2
// D217: a search ends at 5,000 matches
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
  /** Why not every line was searched. */
  cut?: string
}

export interface TextSearch {
  /** False: a text has no match. A cheap check before the search. @param folded by `foldedText` */
  mayMatch(folded: string): boolean
  /** Searches one text. `most`: maximum of matches. */
  matches(text: string, most: number): SearchResult
}

/** @param elapsed monotonic milliseconds @returns the search, or a sentence about what is wrong with the pattern */
export function textSearch(pattern: string, elapsed: () => number): TextSearch | { wrong: string } {
  if (pattern.length > LONGEST_PATTERN)
    return { wrong: `invalid search pattern: wanted at most ${LONGEST_PATTERN} characters, found ${pattern.length}` }
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
  } catch (cause) {
    return { wrong: `invalid search pattern: ${messageOf(cause)}` }
  }
  const needed = neededText(pattern)
  const matches: TextSearch['matches'] = (text, most) => {
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
  return { mayMatch: (folded) => folded.includes(needed), matches }
}

/** A text with every character that a caseless pattern takes for the same made the same. */
// U+017F is the one character that is not lower case's business and still equals an ASCII letter.
export const foldedText = (text: string): string => text.toLowerCase().replaceAll('\u017f', 's')

/**
 * The longest plain text, folded, that every match of a pattern holds; empty: none is known. What is not plain enough to be
 * sure about is not taken: a group, an alternative at the top, a class, a character that may be absent.
 */
export function neededText(pattern: string): string {
  let longest = ''
  let run = ''
  const end = () => {
    if (run.length > longest.length) longest = run
    run = ''
  }
  let depth = 0
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? ''
    if (char === '\\') {
      const next = pattern[++at] ?? ''
      // An escaped sign is that sign; an escaped letter or digit is a class, a position or a quotation.
      if (/[A-Za-z0-9]/.test(next)) {
        if (!/[bBdDsSwWAz]/.test(next)) return ''
        end()
      } else if (depth === 0) run += next
      continue
    }
    if (char === '[') {
      end()
      at = classEnd(pattern, at)
    } else if (char === '(') {
      end()
      depth++
    } else if (char === ')') depth--
    else if (depth > 0) continue
    else if (char === '|') return ''
    else if (char === '?' || char === '*' || char === '{') {
      run = run.slice(0, -1) // it may be absent
      end()
      if (char === '{') at = Math.max(at, pattern.indexOf('}', at))
    } else if ('.+^$'.includes(char)) end()
    else if (/[\x20-\x7e]/.test(char)) run += char.toLowerCase()
    else end()
  }
  end()
  return longest
}

/** Place of the bracket that closes a class. */
function classEnd(pattern: string, start: number): number {
  let at = start + 1
  if (pattern[at] === '^') at++
  if (pattern[at] === ']') at++
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    if (pattern[at] === '\\') at++
    else if (pattern.startsWith('[:', at)) at = Math.max(at, pattern.indexOf(':]', at) + 1)
  }
  return at
}
