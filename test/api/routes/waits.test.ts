/** Who gives a signal over HTTP, and who may not. Source: embedding 2.5; docs/http-api.md. */
import { expect } from 'chai'
import { apiWith } from '../api-with.ts'

describe('API › signals: who', () => {
  const { engine, send } = apiWith({
    'auth.tokens': [
      { name: 'ci', value: 'run-7f3a', permissions: ['read', 'run'] },
      { name: 'tv', value: 'read-1c2d', permissions: ['read'] }
    ]
  })
  const path = '/dag-runs/hello/r1/steps/paid/signal'

  it('is the one that is signed in, whatever the body says; without the permission run it is refused', async () => {
    const given: unknown[] = []
    engine.signal = async (...all) => void given.push(all)
    const body = { payload: { by: 'x' }, id: 'p1', by: 'the boss' }
    expect((await send('POST', path, 'Bearer run-7f3a', false, body)).status).to.equal(200)
    expect(given).to.deep.equal([
      [{ name: 'hello', dagRunId: 'r1', step: 'paid' }, { by: 'x' }, { by: 'the token ci', id: 'p1' }]
    ])
    expect((await send('POST', path, 'Bearer read-1c2d', false, body)).status).to.equal(403)
    expect((await send('GET', '/waiting', 'Bearer read-1c2d')).status).to.equal(200)
    expect(given).to.have.length(1)
  })
})
