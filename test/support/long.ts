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
