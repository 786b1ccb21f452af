/**
 * How far the tests of the charts walk. The suite takes a small part; `make models` takes all of it: every state within
 * the depth of each model, ten times as many seeds.
 */
export const ALL_THE_WAY = process.env.WALKS === 'all'

/** So many in `make models`, a tenth of them in the suite. */
export const someOf = (all: number): number => (ALL_THE_WAY ? all : Math.ceil(all / 10))
