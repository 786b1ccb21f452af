/** Callers that ask for too much get 429 and are told when to come back; others do not notice. Source: docs/operating/limits.md "Callers". */
import { expect } from 'chai'
import { apiWith } from '../api-with.ts'

const TOKENS = [
  { name: 'ci', value: 'ci' },
  { name: 'slow', value: 'slow' },
  { name: 'free', value: 'free' }
].map((token) => ({ ...token, permissions: ['read', 'run', 'write'] }))
const LIMITS = {
  everyone: { requests: '2/h', burst: 3 },
  'token:free': { requests: 'none' },
  'token:ci': { requests: 'none', starts: '2/h' }
}

describe('API › limits.callers', () => {
  const { engine, send, status } = apiWith({ 'auth.tokens': TOKENS, 'limits.callers': LIMITS })

  it('over the rate: 429 with the Error object, what the limit is, and Retry-After', async () => {
    for (let n = 0; n < 3; n++) expect(await status('GET', '/dags', 'Bearer slow')).to.equal(200)
    const { status: refused, headers, json } = await send('GET', '/dags', 'Bearer slow')
    expect(refused).to.equal(429)
    expect(Number(headers['retry-after'])).to.be.within(1_700, 1_800)
    expect(json).to.deep.equal({
      code: 'service_unavailable',
      message: `too many requests: limits.callers allows you 2/h, try again in ${headers['retry-after']} s`,
      details: { limit: 'requests', allowed: '2/h' }
    })
    expect(await status('GET', '/api/v1/dags', 'Bearer slow', true)).to.equal(429)
  })
  it('others go on, and probes are never counted', async () => {
    for (let n = 0; n < 20; n++) expect(await status('GET', '/dags', 'Bearer free')).to.equal(200)
    for (let n = 0; n < 20; n++) expect(await status('GET', '/health/ready')).to.equal(200)
    expect(await status('GET', '/health', 'Bearer slow')).to.equal(200)
  })
  it('starts have their own rate: of definitions and of version 1; what starts nothing is free', async () => {
    const v1 = await send('POST', '/api/v1/dags/hello', 'Bearer ci', true, { action: 'start' })
    expect(v1.status, v1.text).to.equal(200)
    expect(await status('POST', '/dags/hello/start', 'Bearer ci')).to.equal(200)
    const { status: refused, json } = await send('POST', '/dags/hello/enqueue', 'Bearer ci')
    expect([refused, json.details]).to.deep.equal([429, { limit: 'starts', allowed: '2/h' }])
    const again = await send('POST', '/api/v1/dags/hello', 'Bearer ci', true, { action: 'start' })
    expect(again.status).to.equal(429)
    expect(await status('GET', '/dags', 'Bearer ci')).to.equal(200)
    expect(engine.started).to.have.length(2)
  })
})

describe('API › limits.callers: without credentials', () => {
  const { send, status } = apiWith({ 'limits.callers': { everyone: { requests: '1/h' } } })

  it('each address counts for itself', async () => {
    expect(await status('GET', '/dags')).to.equal(200)
    expect((await send('GET', '/dags')).status).to.equal(429)
  })
})
