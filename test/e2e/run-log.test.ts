/** The log of a run, as its readers find it. Source: execution-semantics 14.2, http-api "Logs". */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('14.2 the run log', () => {
  it('is whole when readers see that the run has ended', async () => {
    const engine = await createEngine({ home: temporaryFolder() })
    for (let n = 0; n < 10; n++) {
      const run = await engine.start({ spec: 'name: short\nsteps: ["true"]' })
      while (engine.record(run)?.finishedAt === undefined) await new Promise((resolve) => setImmediate(resolve))
      expect(readFileSync(engine.record(run)?.log ?? '', 'utf8')).to.contain('run finished')
      await engine.result(run)
    }
    await engine.close()
  })
})
