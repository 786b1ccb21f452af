/** What the server says of its health. Source: http-api "System"; api-semantics 3.1. */
import { expect } from 'chai'
import type { FakeEngine } from '../../support/engine/fake-engine.ts'
import { eachWithRuns } from '../each-with-runs.ts'

describe('API › runs', () => {
  const { serving, call } = eachWithRuns()
  let engine: FakeEngine
  beforeEach(async () => {
    engine = await serving()
  })

  describe('GET /health', () => {
    it('200 {status: healthy, version, uptime: integer seconds, timestamp}', async () => {
      const { status, json } = await call('GET', '/health')
      const health = { status: 'healthy', version: '1.2.3', uptime: 8, timestamp: '1970-01-01T09:00:09+09:00' }
      expect([status, json]).to.deep.equal([200, health])
    })

    it('503 same plus error with status unhealthy', async () => {
      engine.healthNow = { ...engine.healthNow, healthy: false, error: 'disk full' }
      const { status, json } = await call('GET', '/health')
      expect([status, json.status, json.error, json.uptime]).to.deep.equal([503, 'unhealthy', 'disk full', 8])
    })
  })
})
