/** What a simulation has found: rules of the specification that did not hold. */
export interface Finding {
  /** The rule, in the specification's words. */
  rule: string
  /** What was seen instead. */
  seen: string
}

export interface Findings {
  readonly all: readonly Finding[]
  add(rule: string, seen: string): void
}

export function openFindings(now: () => number): Findings {
  const all: Finding[] = []
  return { all, add: (rule, seen) => void all.push({ rule, seen: `${new Date(now()).toISOString()} ${seen}` }) }
}
