/** Hostile requests over all routes: whatever is sent, the answer is the API's. Source: reliability P21, P22, T8. */
import { expect } from 'chai'
import fc from 'fast-check'
import { fakeEngine, planOf, stepOf } from '../support/fake-engine.ts'
import { hostileRequests } from '../support/hostile-requests.ts'
import { type Answer, served } from './client.ts'

describe('API › fuzz', () => {
  it('2,000 requests: never 5xx, an Error object when >= 400, and the server lives', async function () {
    this.timeout(20_000)
    const engine = fakeEngine({}, { hello: planOf('hello', { steps: [stepOf('a', { command: 'x' })] }) })
    engine.addRun({ name: 'hello', dagRunId: 'r-1', status: 'running' })
    const causes: unknown[] = []
    const api = await served(engine, { log: (_message, cause) => causes.push(cause) })
    const seen = new Map<number, number>()
    try {
      await fc.assert(
        fc.asyncProperty(hostileRequests(), async ({ method, path, query, body, headers }) => {
          const answer: Answer = await api.call(method, path + query, { body, headers })
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          expect(answer.status).to.be.lessThan(500)
          if (answer.status >= 400 && method !== 'HEAD') {
            expect(answer.json).to.be.an('object').that.includes.all.keys('code', 'message')
            expect(answer.json.message).to.be.a('string').that.is.not.equal('')
          }
        }),
        { numRuns: 2_000 }
      )
      expect(causes).to.deep.equal([])
      expect([...seen.keys()]).to.include.members([200, 400, 403, 404, 405])
      expect((await api.call('GET', '/health')).status).to.equal(200)
    } finally {
      await api.close()
    }
  })
})
