/** A home that is removed beside a running server: nothing is acknowledged into files that are gone. Source: reliability P1; api-semantics 3.1. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { readConfig } from '../../../src/config.ts'
import { examine } from '../../../src/doctor/doctor.ts'
import { createEngine } from '../../../src/index.ts'
import { served } from '../../api/client.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { oneIn } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

describe('a home that is removed under a running server', () => {
  const spec = 'name: x\nmaxActiveRuns: -1\nsteps: ["true"]'
  const ways: [what: string, remove: (home: string) => void][] = [
    ['the home', (home) => rmSync(home, { recursive: true })],
    ['its data folder', (home) => rmSync(join(home, 'data'), { recursive: true })],
    ['its store', (home) => rmSync(join(home, 'data', 'troupe.mdb'))]
  ]
  for (const [what, remove] of oneIn(2, ways))
    it(`${what}: health is 503 and says so, starts of every kind are 503, the doctor names the engine`, async () => {
      const home = temporaryFolder()
      const engine = await createEngine({ home, defaultShell: 'sh' })
      const server = await served(engine)
      try {
        const begun = await server.call('POST', '/dag-runs', { body: { spec, dagRunId: 'r1' } })
        expect(begun.status).to.equal(200)
        await engine.result({ name: 'x', dagRunId: 'r1' })
        expect((await server.call('GET', '/health')).status).to.equal(200)
        remove(home)
        await eventually('the next look', async () => (await server.call('GET', '/health')).status === 503 || undefined)
        const health = await server.call('GET', '/health')
        expect(health.json.status).to.equal('unhealthy')
        expect(health.json.error).to.match(/in the home of this engine|the home of this engine is gone/)
        const ready = await server.call('GET', '/health/ready')
        expect([ready.status, ready.json.reason]).to.deep.equal([503, 'home'])
        expect((await server.call('GET', '/health/live')).status).to.equal(200)
        for (const [path, body] of [
          ['/dag-runs', { spec }],
          ['/dag-runs/enqueue', { spec }],
          ['/dag-runs/x/r1/retry', {}],
          ['/dag-runs/x/r1/reschedule', {}]
        ] as const) {
          const { status, json } = await server.call('POST', path, { body })
          expect([status, json.code, json.message], path).to.deep.equal([503, 'service_unavailable', health.json.error])
        }
        const set = await server.call('PATCH', '/dag-runs/x/r1/steps/cmd_1/status', { body: { status: 2 } })
        expect(set.status).to.equal(503)
        const { findings } = await examine(readConfig({ home }, {}), systemClock)
        expect(
          findings
            .filter(({ severity }) => severity === 'error')
            .map(({ message }) => message)
            .join()
        ).to.contain(`the process with id ${process.pid} works on a store that was removed from ${join(home, 'data')}`)
      } finally {
        await server.close()
        await engine.close()
      }
    })

  it('what runs goes on, and is recorded as far as possible; moved back, the home is as it was', async () => {
    const home = temporaryFolder()
    const outside = temporaryFolder()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      const wait = `while [ ! -e ${outside}/go ]; do sleep 0.05; done; echo done >>${outside}/marks`
      const key = await engine.start({ spec: `name: long\nsteps: ['${wait}', 'echo next >>${outside}/marks']` })
      await eventually('the step', () => engine.run(key)?.nodes[0]?.node.status === 'running' || undefined)
      const data = join(home, 'data')
      renameSync(data, `${data}.away`) // not the home: the engine makes a folder for logs there again
      await eventually('the next look', async () => !(await engine.health()).healthy || undefined)
      renameSync(`${data}.away`, data)
      await eventually('the next look', async () => (await engine.health()).healthy || undefined)
      rmSync(join(home, 'data', 'troupe.mdb'))
      await eventually('the next look', async () => !(await engine.health()).healthy || undefined)
      writeFileSync(join(outside, 'go'), '')
      const { run } = await engine.result(key)
      expect(run.status).to.equal('succeeded')
      expect(readFileSync(join(outside, 'marks'), 'utf8')).to.equal('done\nnext\n')
      expect(existsSync(join(home, 'data', 'troupe.mdb'))).to.equal(false)
    } finally {
      await engine.close()
    }
  })
})
