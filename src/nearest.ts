/** The known word that was probably meant: a mistyped field, command or flag. Imports nothing. */

/** More of them are no slips any more, and nobody types a longer word by hand. */
const MOST_SLIPS = 4
const LONGEST = 100
/** Words that are compared, the first ones: whoever sends a text decides how many there are, and a hint is worth some milliseconds. */
const MOST_WORDS = 1_000

// D437: suggestions are limited
/** The word of `known` with the fewest typing slips to `found`; undefined when none is near. */
export function nearest(found: string, known: readonly string[]): string | undefined {
  if (found.length > LONGEST) return undefined
  const wanted = found.toLowerCase()
  let best: string | undefined
  let limit = Math.min(MOST_SLIPS, Math.max(1, Math.floor(found.length / 3)))
  for (const word of known.slice(0, MOST_WORDS)) {
    if (Math.abs(word.length - wanted.length) > limit) continue // cheaper than to count
    const count = slips(wanted, word.toLowerCase(), limit)
    if (count > limit) continue
    best = word
    limit = count - 1
  }
  return best
}

/** Names of one or two letters are all near to each other. */
const SHORTEST = 3

/** What to add to a refusal: `; did you mean docker?`; empty when no word of `known` is near. */
export function didYouMean(found: string, known: readonly string[]): string {
  const near = found.length < SHORTEST ? undefined : nearest(found, known)
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** The hint in brackets, for a problem that others may follow: those are joined by `; `. */
export function didYouMeanInBrackets(found: string, known: readonly string[]): string {
  const hint = didYouMean(found, known)
  return hint === '' ? '' : ` (${hint.slice('; '.length)})`
}

const FAR = Number.POSITIVE_INFINITY

/**
 * Letters to insert, drop, replace or swap with their neighbour to get from `a` to `b`; more than `limit`: nobody knows how many.
 * A row is of one letter of `a`, and has the letters of `b` that are at most `limit` places from it.
 */
function slips(a: string, b: string, limit: number): number {
  const width = 2 * limit + 1
  let before: number[] = []
  let last = Array.from({ length: width }, (_, place) => (place < limit ? FAR : place - limit))
  for (let i = 1; i <= a.length; i++) {
    const row: number[] = []
    let least = FAR
    for (let place = 0; place < width; place++) {
      const j = i + place - limit
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] && !isSame
      const count =
        j < 0 || j > b.length
          ? FAR
          : j === 0
            ? i
            : Math.min(
                (last[place + 1] ?? FAR) + 1,
                (row[place - 1] ?? FAR) + 1,
                (last[place] ?? FAR) + (isSame ? 0 : 1),
                isSwapped ? (before[place] ?? FAR) + 1 : FAR
              )
      row.push(count)
      least = Math.min(least, count)
    }
    if (least > limit) return FAR
    before = last
    last = row
  }
  return last[b.length - a.length + limit] ?? FAR
}
