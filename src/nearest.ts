/** The known word that was probably meant: a mistyped field, command or flag. Imports nothing. */

/** The word of `known` with the fewest typing slips to `found`; undefined when none is near. */
export function nearest(found: string, known: readonly string[]): string | undefined {
  const wanted = found.toLowerCase()
  let best: string | undefined
  let limit = Math.max(1, Math.floor(found.length / 3))
  for (const word of known) {
    if (Math.abs(word.length - wanted.length) > limit) continue // cheaper than to count
    const count = slips(wanted, word.toLowerCase())
    if (count > limit) continue
    best = word
    limit = count - 1
  }
  return best
}

/** Letters to insert, drop, replace or swap with their neighbour to get from `a` to `b`. */
function slips(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] && !same
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      )
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
