/** Each fault suite at its small size: no promise is broken, and every planted bug is found. `SEED=n` repeats a series. Source: reliability 4. */
import { expect } from 'chai'
import { suites } from './suites.ts'

const seed = Number(process.env.SEED ?? 1)

for (const suite of suites) {
  describe(`${suite.name} › ${suite.promises.join(', ')}`, function () {
    this.timeout(180_000)

    it(`${suite.small} rounds with seed ${seed}: no promise is broken`, async () => {
      const { found, rounds } = await suite.run({ seed, size: suite.small })
      expect(found).to.deep.equal([])
      expect(rounds, 'faults were made to happen').to.be.greaterThan(0)
    })

    for (const [plant, size] of Object.entries(suite.plants))
      it(`finds an engine that ${plant}`, async () => {
        const { found } = await suite.run({ seed, size, plant })
        expect(found).to.not.deep.equal([])
      })
  })
}
