/** What a server without authentication keeps to its own machine. Source: docs/authentication.md "Permissions". */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createApp } from '../../../src/api/app.ts'
import { liveApi } from '../../support/api/live-api.ts'

const CALLS = [
  'GET /services/settings',
  'GET /services/doctor',
  'POST /workers/w1/enroll',
  'POST /workers/w1/revoke',
  'POST /services/backup'
]

describe('API › the home of a server without authentication', () => {
  const api = liveApi()

  it('is shown to callers on its own machine, and to nobody whose request was passed on', async () => {
    for (const row of CALLS) {
      const [method = '', path = ''] = row.split(' ')
      for (const header of ['X-Forwarded-For', 'X-Forwarded-Host', 'Forwarded', 'Via']) {
        const { status, json } = await api.call(method, path, { headers: { [header]: '127.0.0.1' } })
        expect([status, json.code], `${row} ${header}`).to.deep.equal([403, 'forbidden'])
        expect(json.message).to.contain('set up authentication')
      }
      expect((await api.call(method, path)).status, row).to.equal(200)
    }
  })

  it('is shown to nobody when it listens to other machines, from wherever they ask', async () => {
    const app = createApp(api.engine, { host: '0.0.0.0' })
    const server = createServer(app.callback())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      for (const row of CALLS) {
        const [method = '', path = ''] = row.split(' ')
        const answer = await fetch(`http://127.0.0.1:${port}/api/v2${path}`, { method })
        expect(answer.status, row).to.equal(403)
        expect(await answer.json(), row).to.include({ code: 'forbidden' })
      }
      expect((await fetch(`http://127.0.0.1:${port}/api/v2/dags`)).status).to.equal(200)
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })
})
