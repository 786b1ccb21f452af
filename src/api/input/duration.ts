/** Durations in queries: numbers with units, such as `1h30m`. Source: api-semantics 3.1. */
const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds; undefined: it is not a duration above 0. */
export function durationOf(text: string): number | undefined {
  if (text.length > 100 || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    total += Number(amount) * (UNITS_MS[unit] ?? 0)
  return total > 0 ? total : undefined
}
