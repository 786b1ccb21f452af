/** Durations as a host writes them. */
import { TroupeError } from '../errors.ts'
import { thing } from './host-values.ts'

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
}
const PARTS = /^(\d+(?:\.\d+)?(?:ms|s|m|h|d|w)\s*)+$/
const WANTED = 'a duration such as 90s, 5m, 2h30m or 7d'
/** No test lasts longer, and nobody waits longer: ten years. */
const LONGEST_MS = 3_660 * 86_400_000

/** Length of a duration, ms. @param what is named in the refusal @throws TroupeError bad_request */
export function durationMs(written: string | number, what: string): number {
  const ms = lengthOf(written)
  if (ms === undefined || !Number.isFinite(ms) || ms < 0)
    throw new TroupeError('bad_request', `${what}: wanted ${WANTED}, or milliseconds, found ${JSON.stringify(written)}`)
  if (ms > LONGEST_MS) throw new TroupeError('bad_request', `${what}: wanted at most ten years, found ${written}`)
  return Math.round(ms)
}

/** An option that is a duration. */
export const duration = thing(
  `${WANTED}, or milliseconds above 0`,
  (value) =>
    (typeof value === 'string' || typeof value === 'number') &&
    Number(lengthOf(value)) > 0 &&
    Number(lengthOf(value)) <= LONGEST_MS
)

const lengthOf = (written: string | number): number | undefined =>
  typeof written === 'number' ? written : sumOf(written.trim())

function sumOf(text: string): number | undefined {
  if (!PARTS.test(text)) return undefined
  let sum = 0
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g))
    sum += Number(count) * (UNITS[unit] ?? 0)
  return sum
}
