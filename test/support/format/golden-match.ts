/**
 * Recorded values with a part that nothing decides: `<any>` within an expected text stands for any text, alone for any
 * value or none.
 */

const ANY = '<any>'

/** What was found, with every text that fits its expected one replaced by it, so that the two can be compared. */
export function aligned(found: unknown, expected: unknown): unknown {
  if (expected === ANY) return ANY
  if (typeof found === 'string' && typeof expected === 'string') return fits(found, expected) ? expected : found
  if (Array.isArray(found) && Array.isArray(expected)) return found.map((item, index) => aligned(item, expected[index]))
  if (isObject(found) && isObject(expected))
    return Object.fromEntries(
      [...new Set([...Object.keys(found), ...Object.keys(expected).filter((key) => expected[key] === ANY)])].map(
        (key) => [key, aligned(found[key], expected[key])]
      )
    )
  return found
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function fits(text: string, expected: string): boolean {
  const [first = '', ...others] = expected.split(ANY)
  if (others.length === 0 || !text.startsWith(first)) return false
  const last = others.pop() ?? ''
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
