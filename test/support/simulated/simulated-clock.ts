/** The clock of `troupe/testing`: the project's own tests stand on it, too. */
export * from '../../../src/testing/simulated-clock.ts'
