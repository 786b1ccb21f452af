/** Lists of runs of any length. Source: http-api "Runs (global)": no pagination, all matches are returned; api-semantics 3.6, T9. */
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { runSummary } from '../../../src/api/shapes/shapes.ts'
import { timeTextIn } from '../../../src/api/shapes/time-text.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

describe('API › a list of runs that is longer than what is read in one go', () => {
  const engine = fakeEngine()
  const COUNT = 1_700
  const all: object[] = []
  let api: Awaited<ReturnType<typeof served>>

  before(async () => {
    const time = timeTextIn('UTC')
    // Three of each millisecond, so that parts end among runs of one.
    for (let n = 0; n < COUNT; n++) {
      const { run } = engine.addRun({
        name: 'many',
        dagRunId: `r-${String(n).padStart(5, '0')}`,
        createdAt: 9_000_000 - Math.floor(n / 3)
      })
      all.push(runSummary(run, time))
    }
    api = await served(engine)
  })
  after(() => api.close())

  for (const path of ['/dag-runs', '/dag-runs/many', '/dag-runs?name=MAN&status=4&dagRunId=r-'])
    it(`GET ${path}: all of them, in order, each once`, async () => {
      const { status, headers, json } = await api.call('GET', path)
      expect([status, headers['content-type']]).to.deep.equal([200, 'application/json; charset=utf-8'])
      expect(json).to.deep.equal({ dagRuns: all })
    })

  it('gzip when accepted', async () => {
    const { headers, bytes } = await api.call('GET', '/dag-runs', { headers: { 'Accept-Encoding': 'gzip' } })
    expect([headers['content-encoding'], headers.vary]).to.deep.equal(['gzip', 'Accept-Encoding'])
    expect(JSON.parse(gunzipSync(bytes).toString())).to.deep.equal({ dagRuns: all })
  })

  it('HEAD answers as GET without a body', async () => {
    const { status, headers, bytes } = await api.call('HEAD', '/dag-runs')
    expect([status, headers['content-type'], bytes.length]).to.deep.equal([200, 'application/json; charset=utf-8', 0])
  })
})
