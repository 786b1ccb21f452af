/**
 * Texts and `re:` patterns against lines, for `expected` and `continueOn.output`. Patterns run in linear time.
 * Source: execution-semantics 4.5.7, 5.4, 5.6.2, 5.6.3.
 *
 * Choice: of a line longer than the limit only its beginning is searched, and it equals no `expected`; an empty text
 * matches no line.
 */
import { RE2JS } from 're2js'
import { messageOf, TroupeError } from '../../errors.ts'

/** Whether a line matches. */
export type LineTest = (line: string) => boolean

const isPattern = (text: string) => text.startsWith('re:')

/** @throws TroupeError bad_request */
function searched(pattern: string): LineTest {
  try {
    const compiled = RE2JS.compile(pattern.slice('re:'.length))
    return (line) => compiled.test(line)
  } catch (cause) {
    const reason = messageOf(cause)
    throw new TroupeError('bad_request', `invalid regular expression "${pattern}": ${reason}`, { cause })
  }
}

// D511: long lines are searched in their beginning
/**
 * Whether a line of `value` equals `expected`, or matches it when it begins with `re:` (unanchored). An empty value is one
 * empty line; a newline at the end begins no further line.
 * @param maxLine bytes of one line
 * @throws TroupeError bad_request for an invalid pattern
 */
export function matchesExpected(value: string, expected: string, maxLine = Number.POSITIVE_INFINITY): boolean {
  const lines = (value.endsWith('\n') ? value.slice(0, -1) : value).split('\n')
  if (!isPattern(expected)) return Buffer.byteLength(expected) <= maxLine && expected !== '' && lines.includes(expected)
  const test = searched(expected)
  return lines.some((line) => test(beginning(line, maxLine)))
}

/**
 * Whether a line contains one of the texts or matches one of the `re:` patterns.
 * @param maxLine bytes of one line
 * @throws TroupeError bad_request for an invalid pattern
 */
export function linePatterns(patterns: string[], maxLine = Number.POSITIVE_INFINITY): LineTest {
  const tests = patterns
    .filter((text) => text !== '')
    .map((text): LineTest => (isPattern(text) ? searched(text) : (line) => line.includes(text)))
  return (line) => {
    const start = beginning(line, maxLine)
    return tests.some((test) => test(start))
  }
}

/** At most `maxLine` bytes; UTF-8 takes at most three bytes per UTF-16 unit. */
const beginning = (line: string, maxLine: number) =>
  line.length * 3 <= maxLine ? line : Buffer.from(line).subarray(0, maxLine).toString()

const NEWLINE = 0x0a

/**
 * Searches lines of any number of bytes; holds at most `maxLine` of them.
 * @throws TroupeError bad_request for an invalid pattern
 */
export function lineSearch(patterns: string[], maxLine: number) {
  const test = linePatterns(patterns)
  let held: Buffer[] = []
  let heldBytes = 0
  let matched = false
  const hold = (bytes: Buffer) => {
    const part = bytes.subarray(0, maxLine - heldBytes)
    if (part.length > 0) held.push(Buffer.from(part)) // a copy: the caller may fill its buffer again
    heldBytes += part.length
  }
  const release = () => {
    const line = Buffer.concat(held).toString()
    held = []
    heldBytes = 0
    return line
  }
  return {
    /** Takes the next bytes. @returns whether a whole line has matched by now */
    push(chunk: Buffer): boolean {
      let from = 0
      for (let to = chunk.indexOf(NEWLINE); to >= 0 && !matched; to = chunk.indexOf(NEWLINE, from)) {
        if (heldBytes > 0) {
          hold(chunk.subarray(from, to))
          matched = test(release())
        } else matched = test(chunk.toString('utf8', from, Math.min(to, from + maxLine)))
        from = to + 1
      }
      if (!matched) hold(chunk.subarray(from))
      return matched
    },
    /** Takes the last line when no newline ended it. @returns whether any line has matched */
    end(): boolean {
      if (!matched && heldBytes > 0) matched = test(release())
      return matched
    }
  }
}
