/** What nobody may do while a permission is off. Source: api-semantics 9.2, 14.25. */
import Router from '@koa/router'
import { expect } from 'chai'
import { guardOf } from '../../../src/api/auth/permissions.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'
import { ACTIONS, apiWith } from '../api-with.ts'

const ROWS = {
  writeDAGs: ['POST /dags', 'DELETE /dags/hello', 'PUT /dags/hello/spec', 'POST /dags/hello/rename'],
  runDAGs: [
    'POST /dags/hello/start',
    'POST /dags/hello/enqueue',
    'POST /dags/hello/stop-all',
    'POST /dags/hello/suspend',
    'POST /dag-runs',
    'POST /dag-runs/enqueue',
    'POST /dag-runs/hello/r/stop',
    'POST /dag-runs/hello/r/retry',
    'POST /dag-runs/hello/r/reschedule',
    'GET /dag-runs/hello/r/dequeue',
    'POST /dag-runs/hello/r/dequeue',
    'DELETE /dag-runs/hello/r/dequeue',
    'PATCH /dag-runs/hello/r/steps/s/status',
    'PATCH /dag-runs/hello/r/sub-dag-runs/s/steps/s/status',
    'PATCH /dag-runs/hello/r/children/s/steps/s/status'
  ]
}

describe('API › 9.2 permissions', () => {
  for (const off of ['writeDAGs', 'runDAGs'] as const) {
    const other = off === 'writeDAGs' ? 'runDAGs' : 'writeDAGs'
    describe(`permissions.${off} off`, () => {
      const { send, status, engine } = apiWith({ [`permissions.${off}`]: false })
      it('each operation of its row is 403 forbidden, before any look-up', async () => {
        for (const row of ROWS[off]) {
          const [method = '', path = ''] = row.split(' ')
          for (const place of [path, path.replace('hello', 'missing'), path.replace('hello', 'bad name')]) {
            const { status, json } = await send(method, place.replace(' ', '%20'))
            expect([status, json], row).to.deep.equal([
              403,
              { code: 'forbidden', message: `permissions.${off} is off on this server` }
            ])
          }
        }
        expect(engine.started).to.deep.equal([])
      })
      it('the operations of the other row are not', async () => {
        for (const row of ROWS[other]) {
          const [method = '', path = ''] = row.split(' ')
          expect(await status(method, path), row).to.not.equal(403)
        }
      })
      it('a priority above that of the definition needs `writeDAGs`, too', async () => {
        if (off !== 'writeDAGs') return
        for (const way of ['start', 'enqueue'])
          for (const [priority, wanted] of [
            [1, 403],
            [0, 200],
            [-1, 200]
          ] as const) {
            const path = `/dags/hello/${way}`
            expect((await send('POST', path, undefined, false, { priority })).status, way).to.equal(wanted)
          }
      })
      it('the actions of version 1 follow the same rows', async () => {
        for (const [flag, actions] of Object.entries(ACTIONS))
          for (const action of actions) {
            const body = { action, value: 'true', requestId: 'r', step: 's' }
            const { status, json } = await send('POST', '/api/v1/dags/hello', undefined, true, body)
            if (flag !== off) expect(status, action).to.not.equal(403)
            else expect([status, json.message], action).to.deep.equal([403, `permissions.${off} is off on this server`])
          }
      })
    })
  }

  describe('14.25 both flags off', () => {
    const { status } = apiWith({
      'permissions.writeDAGs': false,
      'permissions.runDAGs': false,
      'auth.token.value': 'sesame'
    })
    it('each row of 9.2 is 403 and GETs still work, after authentication', async () => {
      for (const row of [...ROWS.writeDAGs, ...ROWS.runDAGs]) {
        const [method = '', path = ''] = row.split(' ')
        expect(await status(method, path, 'Bearer sesame'), row).to.equal(403)
        expect(await status(method, path), row).to.equal(401)
      }
      for (const path of ['/dags', '/dags/hello', '/dags/hello/spec', '/dag-runs', '/health'])
        expect(await status('GET', path, 'Bearer sesame'), path).to.equal(200)
      expect(await status('POST', '/dags/validate', 'Bearer sesame')).to.equal(200)
    })
  })

  it('a route that says no permission keeps the API from starting', () => {
    const router = new Router({ prefix: '/api/v2' })
    router.get('/anything', () => {})
    const guard = guardOf(router, '/api/v2', 'v2', fakeEngine())
    guard.close()
    router.post('/anything', () => {})
    expect(() => guard.close()).to.throw('POST /api/v2/anything says no permission')
  })
})
