/** How much the long suites play: `make test` a part that shows each rule, `make test-long` all of it. */
export const IS_LONG = process.env.TESTS === 'all'

/** The commit on which `make test-long` has passed, of a checkout without changes. */
export const PASSED = 'dist/test-long-passed'

// D1654: `make test` plays a part of the long suites, `make test-long` all of them
/** A size, or a list. */
export const ofAll = <T>(part: T, all: T): T => (IS_LONG ? all : part)

/** One in so many, the first of all among them. */
export const oneIn = <T>(count: number, all: readonly T[]): readonly T[] =>
  ofAll(
    all.filter((_, at) => at % count === 0),
    all
  )

// D1734: `make test` proves a rule once, and leaves what shows it again to `make test-long`
/** A test that `make test-long` plays alone: what it is about is proved by a cheaper one too. */
export function itLong(title: string, test: Mocha.Func): void {
  if (IS_LONG) it(title, test)
}

/** As {@link itLong}: with what is made ready for them, which is not made ready in `make test`. */
export function describeLong(title: string, tests: (this: Mocha.Suite) => void): void {
  if (IS_LONG) describe(title, tests)
}

/** The last alone: of screens, the narrowest. */
export const onlyLast = <T>(all: readonly T[]): readonly T[] => ofAll(all.slice(-1), all)

/** One turn of several, by their number: in `make test` each thing is in one of them, in `make test-long` in all. */
export const inTurn = <T>(turn: number, turns: number, all: readonly T[]): readonly T[] =>
  ofAll(
    all.filter((_, at) => at % turns === turn % turns),
    all
  )
