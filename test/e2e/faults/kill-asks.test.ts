/** An engine that is killed with -9 while it takes a start with an idempotency key: the client asks again, and there is one run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'

const SPEC = 'name: once\nmaxActiveRuns: -1\nsteps: ["true"]\n'
/** Starts the same run with the same key again and again, each key once it was told to. */
const CHILD = `
import { createEngine } from 'troupe'
const engine = await createEngine({ home: process.argv[1] })
console.log('open')
for (let count = 0; ; count++) await engine.start({ spec: ${JSON.stringify(SPEC)}, name: 'once', idempotencyKey: 'k' + count }).catch(() => {})
`

describe('kill -9 › idempotencyKey', () => {
  it('32 no key has two runs, whichever moment the engine is killed at', async () => {
    const home = temporaryFolder()
    for (const ms of [40, 90, 170]) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD, home], {
        cwd: PROJECT,
        stdio: ['ignore', 'pipe', 'inherit']
      })
      await once(child.stdout, 'data')
      await new Promise((resolve) => setTimeout(resolve, ms))
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const engine = await createEngine({ home })
    try {
      const known = engine.runs().length
      const ids = new Set<string>()
      let count = 0
      for (let isNew = false; !isNew; count++) {
        const { replayed, dagRunId } = await engine.start({
          spec: SPEC,
          idempotencyKey: `k${count}`,
          dagRunId: `new-${count}`
        })
        ids.add(dagRunId)
        isNew = replayed !== true
      }
      expect(count).to.be.above(1)
      expect([ids.size, engine.runs().length]).to.deep.equal([known + 1, known + 1])
    } finally {
      await engine.close()
    }
  })
})
