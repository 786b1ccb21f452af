/** An engine is killed while a step waits, and right after it has acknowledged a signal. Source: embedding 2.5; reliability P3. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'

const CHILD = fileURLToPath(new URL('../../support/engine/signal-child.js', import.meta.url))
const SPEC = `
type: graph
steps:
  - {name: paid, timeoutSec: 3600, executor: {type: signal}}
  - {name: later, depends: paid, executor: {type: signal}}
`

async function killed(when: 'waiting' | 'given'): Promise<string> {
  const home = temporaryFolder()
  writeFileSync(join(home, 'spec.yaml'), SPEC)
  const child = spawn(process.execPath, [CHILD, home, join(home, 'spec.yaml'), when], { stdio: 'inherit' })
  const [code, signal] = await once(child, 'exit')
  expect([code, signal]).to.deep.equal([null, 'SIGKILL'])
  return home
}

describe('kill -9 and signals', () => {
  const key = { name: 'pay', dagRunId: 'r1' }

  it('while it waits: the next engine waits on, until the same instant', async () => {
    const engine = await createEngine({ home: await killed('waiting') })
    try {
      const [waiting] = engine.waiting()
      expect(waiting).to.deep.include({ run: key, step: 'paid' })
      expect((waiting?.until ?? 0) - (waiting?.since ?? 0)).to.equal(3_600_000)
      await engine.signal({ ...key, step: 'later' }, 2)
      await engine.signal({ ...key, step: 'paid' }, 1)
      expect((await engine.result(key)).run.status).to.equal('succeeded')
    } finally {
      await engine.close()
    }
  })

  it('between the acknowledgement of a signal and its effect: neither it nor one that came early is lost', async () => {
    const engine = await createEngine({ home: await killed('given') })
    try {
      const view = await engine.result(key)
      expect(view.run.status).to.equal('succeeded')
      expect(view.nodes.map(({ node }) => node.output)).to.deep.equal(['{"n":1}', '{"n":2}'])
      expect(view.nodes[0]?.node.given).to.include({ by: 'anna', id: 'first' })
      await engine.signal({ ...key, step: 'paid' }, { n: 1 }, { id: 'first' })
    } finally {
      await engine.close()
    }
  })
})
