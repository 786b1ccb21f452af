/** `make fault-kill SEED=1 N=50` and the like: one suite, one line of JSON at the end; exit code 1 when a promise was broken. */
import { lineOf } from './suite.ts'
import { suites } from './suites.ts'

const [name = ''] = process.argv.slice(2)
const suite = suites.find((suite) => suite.name === name)
if (!suite) {
  console.error(`wanted one of ${suites.map(({ name }) => name).join(', ')}, found "${name}"`)
  process.exit(2)
}
const { SEED, N, PLANT } = process.env
const asked = {
  seed: SEED ? Number(SEED) : 1,
  size: N ? Number(N) : suite.full,
  ...(PLANT ? { plant: PLANT } : {})
}
const begun = performance.now()
const outcome = await suite.run(asked)
for (const { promise, what } of outcome.found) console.error(`${promise}: ${what}`)
console.log(lineOf(suite, asked, outcome, (performance.now() - begun) / 1000))
process.exit(outcome.found.length === 0 ? 0 : 1)
