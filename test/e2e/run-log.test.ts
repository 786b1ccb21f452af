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

  it('has one line for each retry and each further pass, of a step that calls too', async () => {
    const engine = await createEngine({ home: temporaryFolder() })
    const run = await engine.start({
      spec: `name: lines
type: graph
steps:
  - {name: a, command: exit 1, retryPolicy: {limit: 2}}
  - {name: b, call: kid, retryPolicy: {limit: 2}}
  - {name: c, call: kid, repeatPolicy: {repeat: while, exitCode: 1, limit: 3}}
---
name: kid
steps: [exit 1]
`
    })
    await engine.result(run)
    const lines = readFileSync(engine.record(run)?.log ?? '', 'utf8').split('\n')
    for (const text of [
      'step=a retry=1',
      'step=a retry=2',
      'step=b retry=1',
      'step=b retry=2',
      'step=c done=1',
      'step=c done=2'
    ])
      expect(lines.filter((line) => line.endsWith(text)).length, text).to.equal(1)
    await engine.close()
  })
})
