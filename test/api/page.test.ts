/** Where the server sends a browser that has guessed an address of the page. Source: architecture 9. */
import { expect } from 'chai'
import { fakeEngine } from '../support/engine/fake-engine.ts'
import { served } from './client.ts'

const BROWSER = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

describe('API › addresses of the page', () => {
  for (const [basePath, asked, found] of [
    ['', '/definitions/deploy', '/#/definitions/deploy'],
    ['', '/runs?status=2', '/#/runs?status=2'],
    ['', '/runs/a%2Fb/r1', '/#/runs/a%2Fb/r1'],
    ['/flow', '/flow/queues', '/flow/#/queues']
  ] as const)
    it(`a browser that asks for ${asked} is led to ${found}`, async () => {
      const api = await served(fakeEngine({ basePath }))
      const { status, headers } = await api.callAt('GET', asked, BROWSER)
      await api.close()
      expect([status, headers.location]).to.deep.equal([302, found])
    })

  it('other clients, other paths and changes are not, and the API of the same words stays the API', async () => {
    const api = await served(fakeEngine({}))
    const statuses = [
      await api.callAt('GET', '/definitions/deploy'),
      await api.callAt('GET', '/definitionsx', BROWSER),
      await api.callAt('POST', '/runs', BROWSER)
    ].map(({ status }) => status)
    await api.close()
    const atRoot = await served(fakeEngine({ apiBasePath: '' }))
    const queues = await atRoot.callAt('GET', '/queues', BROWSER)
    await atRoot.close()
    expect([...statuses, queues.status]).to.deep.equal([404, 404, 404, 200])
  })
})
