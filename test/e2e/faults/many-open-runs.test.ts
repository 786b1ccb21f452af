/** A restart with more open runs than one look takes in. Source: architecture 5, reliability P8, P9. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { openDefinitions, seedOpenRuns } from '../../bench/open-runs.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'

describe('many open runs', () => {
  itLong(
    'P8 after a restart each ends by its record: as it ended, or interrupted, with its outcome unknown',
    async () => {
      const home = temporaryFolder()
      const dags = join(home, 'dags')
      mkdirSync(dags)
      for (const [name, text] of Object.entries(openDefinitions())) writeFileSync(join(dags, `${name}.yaml`), text)
      await seedOpenRuns({ home, dags }, { ended: 700, cut: 700, queued: 1 })
      const engine = await createEngine({ home, dagsDir: dags, defaultShell: 'sh' })
      try {
        await engine.resumed
        const open = engine.runs({ status: ['running'] })
        await Promise.all(open.map(({ name, dagRunId }) => engine.result({ name, dagRunId })))
        const count = (name: string, status: 'succeeded' | 'failed') => engine.runs({ name, status: [status] }).length
        expect([count('ended', 'succeeded'), count('cut', 'failed')]).to.deep.equal([700, 700])
      } finally {
        await engine.close()
      }
    }
  )
})
