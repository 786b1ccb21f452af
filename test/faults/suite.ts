/** What a fault suite is: how it is asked, what it answers, and the bugs that can be planted to see it fail. Source: reliability 4. */

/** One broken promise. */
export interface Found {
  /** `P1` to `P23`, or with workers `D1` to `D15`, of docs/reliability.md. */
  promise: string
  /** What was wanted, what was seen, and of which run, point or text. */
  what: string
}

export interface Asked {
  /** Equal seed and size: equal faults in an equal order. When they hit is up to the machine. */
  seed: number
  size: number
  /** Name of a bug to plant, a key of the suite's `plants`. */
  plant?: string
}

export interface Outcome {
  /** Faults that were made to happen. */
  rounds: number
  /** What was done and seen, so that a reader can distinguish a thorough round from an idle one. */
  counts: Record<string, number>
  found: Found[]
}

export interface Suite {
  /** The make target. */
  name: string
  /** The promises that it checks. */
  promises: string[]
  /** Size in `make test`, and of the make target without N. */
  small: number
  full: number
  /** Bugs that it must find, and the size that it takes for that. */
  plants: Record<string, number>
  /** It waits for real time to pass: not in `make test`. */
  isLong?: true
  /** It starts the program `nats-server`. */
  needsNats?: true
  run(asked: Asked): Promise<Outcome>
}

/** Collects what is found, once for each text. */
export class Findings {
  readonly found: Found[] = []
  readonly #known = new Set<string>()

  add(promise: string, what: string): void {
    if (this.#known.has(promise + what)) return
    this.#known.add(promise + what)
    this.found.push({ promise, what })
  }

  /** Adds it unless `holds`. */
  check(holds: boolean, promise: string, what: string): void {
    if (!holds) this.add(promise, what)
  }
}

/** The line that a make target ends with. */
export const lineOf = (
  suite: Suite,
  { seed, size }: Asked,
  { rounds, counts, found }: Outcome,
  seconds: number
): string =>
  JSON.stringify({
    name: suite.name,
    seed,
    size,
    ok: found.length === 0,
    rounds,
    found: found.length,
    promises: suite.promises,
    counts,
    seconds: Math.round(seconds * 10) / 10
  })
