/** Definitions deleted and suspended over HTTP. Source: http-api "Definitions", api-semantics 3.2, 3.3; acceptance 7. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { changedDefinitions, HELLO } from '../../../support/api/changed-definitions.ts'

describe('API › changes of definitions', () => {
  const { api, codeOf, detailsOf, fileOf, flagOf } = changedDefinitions()

  it('7 rename, suspend, stop-all, DELETE of a missing definition: 404 each', async () => {
    for (const [method, path, body] of [
      ['POST', '/dags/nobody/rename', { newFileName: 'x' }],
      ['POST', '/dags/nobody/suspend', { suspend: true }],
      ['POST', '/dags/nobody/stop-all', undefined],
      ['DELETE', '/dags/nobody', undefined]
    ] as const)
      expect(await codeOf(method, path, body), path).to.deep.equal([404, 'not_found'])
  })

  describe('DELETE /dags/{fileName}', () => {
    it('-> 204 without a body; removes the file and its suspend flag; second DELETE -> 404; 14.1.6 history stays', async () => {
      api.write('gone', HELLO)
      const dagRunId = await api.started('gone')
      await api.ended('gone', dagRunId)
      await api.call('POST', '/dags/gone/suspend', { body: { suspend: true } })
      const { status, text } = await api.call('DELETE', '/dags/gone')
      expect([status, text]).to.deep.equal([204, ''])
      expect([existsSync(fileOf('gone')), existsSync(flagOf('gone'))]).to.deep.equal([false, false])
      expect(await codeOf('DELETE', '/dags/gone')).to.deep.equal([404, 'not_found'])
      expect((await api.call('GET', '/dag-runs/gone')).json.dagRuns).to.have.length(1)
      expect((await api.call('GET', '/dags/gone/dag-runs')).json.dagRuns).to.have.length(1)
      api.write('gone', HELLO)
      expect((await detailsOf('gone')).suspended, 'born suspended').to.equal(false)
    })
    it('503 while the suspend flags cannot be read: nothing has changed', async () => {
      api.write('kept', HELLO)
      const flags = dirname(flagOf('kept'))
      rmSync(flags, { recursive: true, force: true })
      writeFileSync(flags, '')
      try {
        expect(await codeOf('DELETE', '/dags/kept')).to.deep.equal([503, 'service_unavailable'])
        expect(existsSync(fileOf('kept'))).to.equal(true)
      } finally {
        rmSync(flags)
      }
      expect((await api.call('DELETE', '/dags/kept')).status).to.equal(204)
    })
  })

  describe('POST /dags', () => {
    const createAnew = () => api.call('POST', '/dags', { body: { name: 'anew', spec: HELLO } })
    it('no definition is born suspended by the flag of one whose file was moved or removed by hand', async () => {
      api.write('anew', HELLO)
      await api.call('POST', '/dags/anew/suspend', { body: { suspend: true } })
      expect(await codeOf('POST', '/dags', { name: 'anew' })).to.deep.equal([409, 'already_exists'])
      expect((await detailsOf('anew')).suspended, 'that of another is left').to.equal(true)
      rmSync(fileOf('anew'))
      expect(await codeOf('POST', '/dags', { name: 'anew', spec: 'steps: 5' })).to.deep.equal([400, 'bad_request'])
      expect(existsSync(flagOf('anew')), 'nothing has changed').to.equal(true)
      expect((await createAnew()).status).to.equal(201)
      expect((await detailsOf('anew')).suspended).to.equal(false)
      expect((await api.call('DELETE', '/dags/anew')).status).to.equal(204)
    })
    it('503 while such a flag cannot be removed: nothing has changed', async () => {
      const flag = flagOf('anew')
      mkdirSync(join(flag, 'in the way'), { recursive: true })
      try {
        expect(await codeOf('POST', '/dags', { name: 'anew', spec: HELLO })).to.deep.equal([503, 'service_unavailable'])
        expect(existsSync(fileOf('anew'))).to.equal(false)
      } finally {
        rmSync(flag, { recursive: true })
      }
      expect((await createAnew()).status).to.equal(201)
    })
  })

  describe('POST /dags/{fileName}/suspend', () => {
    before(() => api.write('still', HELLO))

    it('{suspend: boolean} -> 200 empty; idempotent; flag file <fileName>.suspend; shown in list and details', async () => {
      for (const suspend of [true, true, false, false]) {
        const { status, text } = await api.call('POST', '/dags/still/suspend', { body: { suspend } })
        expect([status, text]).to.deep.equal([200, ''])
        expect(existsSync(flagOf('still'))).to.equal(suspend)
        expect((await detailsOf('still')).suspended).to.equal(suspend)
        const { dags } = (await api.call('GET', '/dags?name=still')).json
        expect(dags[0].suspended).to.equal(suspend)
      }
    })

    it('missing member, or one of another type -> 400', async () => {
      for (const body of [{}, { suspend: 'true' }, { suspend: null }, [], undefined])
        expect(await codeOf('POST', '/dags/still/suspend', body)).to.deep.equal([400, 'bad_request'])
    })

    it('suspended DAGs can still be started', async () => {
      await api.call('POST', '/dags/still/suspend', { body: { suspend: true } })
      await api.ended('still', await api.started('still'))
    })
  })
})
