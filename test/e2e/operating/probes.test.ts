/** `/health/live` and `/health/ready` of real engines, beside `/health`, which they leave as it is. Decisions D1410, D1411. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { served } from '../../api/client.ts'
import { openDefinitions, seedOpenRuns } from '../../bench/open-runs.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('API › probes', () => {
  it('a fresh server is live and ready, and /health has its documented members and no others', async () => {
    const engine = await createEngine({ temporary: true, defaultShell: 'sh' })
    const server = await served(engine)
    try {
      for (const [path, status] of [
        ['/health/live', 'live'],
        ['/health/ready', 'ready']
      ] as const) {
        const { status: code, json } = await server.call('GET', path)
        expect([code, json]).to.deep.equal([200, { status }])
        expect((await server.call('HEAD', path)).status).to.equal(200)
      }
      const { json } = await server.call('GET', '/health')
      expect(json).to.have.all.keys('status', 'version', 'uptime', 'timestamp')
      expect((await server.callAt('GET', '/api/v1/health/ready')).status, 'version 1 stays as it is').to.equal(404)
    } finally {
      await server.close()
      await engine.close()
    }
  })

  it('while runs of the engine before are being restored it is live, healthy, and not ready', async () => {
    const home = temporaryFolder()
    const dags = join(home, 'dags')
    mkdirSync(dags)
    for (const [name, text] of Object.entries(openDefinitions())) writeFileSync(join(dags, `${name}.yaml`), text)
    await seedOpenRuns({ home, dags }, { ended: 300, cut: 0, queued: 0 })
    const engine = await createEngine({ home, dagsDir: dags, defaultShell: 'sh', schedules: true })
    try {
      expect(await engine.health()).to.deep.include({
        healthy: true,
        unready: { reason: 'recovering', error: 'runs of the engine before are being restored' }
      })
      await engine.resumed
      expect(await engine.health()).not.to.have.any.keys('unready', 'dead')
    } finally {
      await engine.close()
    }
  })

  it('it is not ready from the moment at which it begins to close, and stays live', async () => {
    const engine = await createEngine({ temporary: true, defaultShell: 'sh' })
    const server = await served(engine)
    const closing = engine.close()
    try {
      const { status, json } = await server.call('GET', '/health/ready')
      expect([status, json]).to.deep.equal([
        503,
        { status: 'unready', reason: 'closing', error: 'the server is closing' }
      ])
    } finally {
      await server.close()
      await closing
    }
  })

  it('only what a restart of the process helps against is not live', async () => {
    const engine = fakeEngine()
    const server = await served(engine)
    try {
      const error = 'scheduler has failed repeatedly and is stopped: the log says why; restart the engine'
      const now = engine.healthNow
      engine.healthNow = { ...now, healthy: false, error, unready: { reason: 'scheduler', error } }
      expect((await server.call('GET', '/health/live')).status).to.equal(200)
      engine.healthNow = { ...now, healthy: false, error, dead: error, unready: { reason: 'failed', error } }
      const { status, json } = await server.call('GET', '/health/live')
      expect([status, json]).to.deep.equal([503, { status: 'dead', error }])
    } finally {
      await server.close()
    }
  })
})
