/** A run started once more over HTTP as a new one, and what it is made of: its spec and outputs. Source: api-semantics 4.8; acceptance 17. */
import { expect } from 'chai'
import { endedRuns } from '../../../support/api/ended-runs.ts'

describe('API › runs that have ended', () => {
  const { api, codeOf, failed, marks, sleeping, threeSteps } = endedRuns()

  describe('POST .../reschedule', () => {
    it("17, 13.2.1 {dagRunId, queued}: a fresh run with the old params after the file's defaults changed", async () => {
      const text = (day: string) => `params: DAY=${day}\nsteps:\n  - {name: a, command: 'echo "$DAY"'}\n`
      api.write('daily', text('monday'))
      await api.ended('daily', await api.started('daily', { dagRunId: 'd-1' }))
      api.write('daily', text('friday').replace('echo', 'echo changed'))
      const { status, json } = await api.call('POST', '/dag-runs/daily/d-1/reschedule', { body: { dagRunId: 'd-2' } })
      expect([status, json]).to.deep.equal([200, { dagRunId: 'd-2', queued: false }])
      expect(await api.ended('daily', 'd-2')).to.include({ params: 'DAY=monday', attempt: 1, status: 4 })
      expect((await api.call('GET', '/dag-runs/daily/d-2/steps/a/log')).json.content).to.equal('monday')
      expect((await api.call('GET', '/dag-runs/daily/d-1')).json.dagRun.attempt).to.equal(1)
    })

    it('13.2.1 no node state is kept; without an id, or without a body, one is made', async () => {
      const id = await failed('fresh')
      for (const body of [undefined, {}, { dagRunId: '', dagName: ' ' }]) {
        const { json } = await api.call('POST', `/dag-runs/fresh/${id}/reschedule`, { body })
        expect(json.dagRunId).to.match(/^[0-9a-f-]{36}$/)
        await api.ended('fresh', json.dagRunId)
      }
      expect(marks('fresh')).to.deep.equal(['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b'])
    })

    it('always singleton: a running run of the target -> 409 max_run_reached with details, unless dagName differs', async () => {
      const { id, end } = await sleeping('one-only')
      const { status, json } = await api.call('POST', `/dag-runs/one-only/${id}/reschedule`)
      expect([status, json.code, json.details]).to.deep.equal([
        409,
        'max_run_reached',
        { limit: 1, running: 1, queued: 0 }
      ])
      const other = await api.call('POST', `/dag-runs/one-only/${id}/reschedule`, { body: { dagName: 'elsewhere' } })
      const { dagRun } = (await api.call('GET', `/dag-runs/elsewhere/${other.json.dagRunId}`)).json
      expect(dagRun).to.include({ name: 'elsewhere', status: 1, rootDAGRunName: 'elsewhere' })
      expect(dagRun.log).to.contain('/elsewhere/')
      await api.call('POST', `/dag-runs/elsewhere/${other.json.dagRunId}/stop`)
      await end()
    })
  })

  describe('GET .../spec and .../outputs', () => {
    it('{spec}: what actually ran; {outputs: {NAME: value}}; 404 of an unknown run; latest', async () => {
      const id = await failed('parts')
      for (const ref of [id, 'latest']) {
        expect((await api.call('GET', `/dag-runs/parts/${ref}/spec`)).json).to.deep.equal({ spec: threeSteps('parts') })
        expect((await api.call('GET', `/dag-runs/parts/${ref}/outputs`)).json).to.deep.equal({ outputs: { A: 'one' } })
      }
      for (const part of ['spec', 'outputs'])
        expect(await codeOf('GET', `/dag-runs/parts/nobody/${part}`)).to.deep.equal([404, 'not_found'])
    })
  })
})
