/** Runs started over HTTP, from a definition or a text, and stopped. Source: http-api "Starting", "Runs"; api-semantics 3.4, 3.11, 4.1, 4.6. */
import { expect } from 'chai'
import type { FakeEngine } from '../../support/engine/fake-engine.ts'
import { eachWithRuns } from '../each-with-runs.ts'

describe('API › runs', () => {
  const { serving, call, codeOf } = eachWithRuns()
  let engine: FakeEngine
  beforeEach(async () => {
    engine = await serving()
  })

  describe('POST /dags/{fileName}/start', () => {
    it('-> {dagRunId}; passes on params, dagRunId, dagName and singleton', async () => {
      const body = { params: 'DAY=1', dagRunId: 'r-1', dagName: 'backfill', singleton: true }
      const { status, json } = await call('POST', '/dags/nightly/start', body)
      expect([status, json]).to.deep.equal([200, { dagRunId: 'r-1' }])
      expect(engine.started).to.deep.equal([{ fileName: 'nightly', via: 'api', ...body }])
    })

    it('the definition is looked for before the body is read', async () => {
      expect(await codeOf('POST', '/dags/nobody/start', '{')).to.deep.equal([404, 'not_found'])
    })

    it('dryRun is handed on; one of another type -> 400', async () => {
      expect(await codeOf('POST', '/dags/nightly/start', { dryRun: true })).to.deep.equal([200, undefined])
      expect(engine.started).to.deep.equal([{ fileName: 'nightly', dryRun: true, via: 'api' }])
      expect(await codeOf('POST', '/dags/nightly/start', { dryRun: 'yes' })).to.deep.equal([400, 'bad_request'])
    })
  })

  describe('POST /dag-runs', () => {
    const spec = 'name: adhoc\nsteps:\n  - echo $1\n'

    it('-> {dagRunId}; passes on spec, name, params, dagRunId and singleton', async () => {
      const body = { spec, name: 'x', params: '42', dagRunId: 'a1', singleton: false }
      const { status, json } = await call('POST', '/dag-runs', body)
      expect([status, json]).to.deep.equal([200, { dagRunId: 'a1' }])
      expect(engine.started).to.deep.equal([{ ...body, by: 'anyone', via: 'api' }])
    })

    it('missing or invalid spec: 400 bad_request', async () => {
      for (const body of [
        undefined,
        {},
        { spec: '' },
        { spec: ' ' },
        { spec: 5 },
        { spec: 'depends: nobody', name: 'x' }
      ]) {
        expect(await codeOf('POST', '/dag-runs', body)).to.deep.equal([400, 'bad_request'])
      }
    })

    it('the spec has no name and none was given: 400', async () => {
      expect(await codeOf('POST', '/dag-runs', { spec: 'steps:\n', name: '' })).to.deep.equal([400, 'bad_request'])
    })
  })

  describe('POST /dag-runs/{name}/{dagRunId}/stop', () => {
    it('-> 200 with zero-length body, no Content-Type', async () => {
      engine.addRun({ name: 'nightly', dagRunId: 'r-1', status: 'running' })
      const { status, headers, bytes } = await call('POST', '/dag-runs/nightly/r-1/stop')
      expect([status, headers['content-length'], headers['content-type'], bytes.length]).to.deep.equal([
        200,
        '0',
        undefined,
        0
      ])
    })
  })
})
