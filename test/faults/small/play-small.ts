/**
 * The tests of a fault suite at its small size: no promise is broken, and a planted bug is found; with each bug in `make test-long`.
 * `SEED=n` repeats a series. Source: reliability 4.
 */
import { expect } from 'chai'
import { ofAll } from '../../support/long.ts'
import { needsNats } from '../../support/nats.ts'
import type { Suite } from '../suite.ts'

const seed = Number(process.env.SEED ?? 1)

/** Promises with a limit of wall-clock time. What else the machine does can only make an answer later, so these may be kept the next time. */
const TIMED = new Set(['P8', 'P11', 'P17', 'P20'])

// D1571: each fault suite has its own file of tests
export function playSmall(suite: Suite): void {
  describe(`${suite.name} › ${suite.promises.join(', ')}`, function () {
    this.timeout(180_000)
    if (suite.needsNats) needsNats()
    it(`${suite.small} rounds with seed ${seed}: no promise is broken`, async () => {
      const played = () => suite.run({ seed, size: suite.small })
      const first = await played()
      const isLate = first.found.length > 0 && first.found.every(({ promise }) => TIMED.has(promise))
      const { found, rounds } = isLate ? await played() : first
      expect(found).to.deep.equal([])
      expect(rounds, 'faults were made to happen').to.be.greaterThan(0)
    })

    const plants = Object.entries(suite.plants)
    for (const [plant, size] of ofAll(plants.slice(0, 1), plants))
      it(`finds an engine that ${plant}`, async () => {
        const { found } = await suite.run({ seed, size, plant })
        expect(found).to.not.deep.equal([])
      })
  })
}
