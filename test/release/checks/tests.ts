/** Whether all tests have passed on what is released: `make test` plays a part of the long suites. */
import type { Check } from '../release.ts'

export const tests: Check = ({ git, tested }) =>
  tested === git.commit
    ? []
    : [`make test-long: wanted that it has passed on ${git.commit}, found ${tested || 'no commit'}: run make test-long`]
