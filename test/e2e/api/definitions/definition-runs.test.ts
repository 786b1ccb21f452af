/** The runs of one definition over HTTP: as a grid, all stopped, one only tried. Source: api-semantics 3.5, 4.1, 12; acceptance 23. */
import { expect } from 'chai'
import { endedRuns } from '../../../support/api/ended-runs.ts'
import type { Json } from '../../../support/api/live-api.ts'

describe('API › runs that have ended', () => {
  const { api, codeOf } = endedRuns()

  describe('runs of one definition', () => {
    it('23 gridData columns align with dagRuns (newest first); handler rows last; limit', async () => {
      api.write('grid', 'steps:\n  - {name: z, command: "true"}\n  - {name: a, command: "false"}\n')
      await api.ended('grid', await api.started('grid', { dagRunId: 'g-1' }))
      api.write(
        'grid',
        'handlerOn: {exit: {command: "true"}, success: {command: "true"}}\nsteps:\n  - {name: a, command: "true"}\n'
      )
      await api.ended('grid', await api.started('grid', { dagRunId: 'g-2' }))
      const { dagRuns, gridData } = (await api.call('GET', '/dags/grid/dag-runs')).json
      expect(dagRuns.map(({ dagRunId, nodes }: Json) => [dagRunId, nodes.length])).to.deep.equal([
        ['g-2', 1],
        ['g-1', 2]
      ])
      expect(gridData).to.deep.equal([
        { name: 'a', history: [4, 2] },
        { name: 'z', history: [0, 4] },
        { name: 'onSuccess', history: [4, 0] },
        { name: 'onExit', history: [4, 0] }
      ])
      const one = (await api.call('GET', '/dags/grid/dag-runs?limit=1')).json
      expect(one.dagRuns).to.have.length(1)
      expect(one.gridData[0]).to.deep.equal({ name: 'a', history: [4] })
      const { dagRun, dagRunDetails } = (await api.call('GET', '/dags/grid/dag-runs/latest')).json
      expect([dagRun.dagRunId, dagRunDetails]).to.deep.equal(['g-2', dagRun])
    })

    it('missing definition, nothing there -> 200 with empty arrays', async () => {
      const { json } = await api.call('GET', '/dags/nobody/dag-runs')
      expect(json).to.deep.equal({ dagRuns: [], gridData: [] })
      expect(await codeOf('GET', '/dags/nobody/dag-runs?limit=x')).to.deep.equal([400, 'bad_request'])
    })

    it('stop-all: every running root run of the DAG name, not those of another dagName; zero running -> 200 errors: []', async () => {
      api.write('herd', 'maxActiveRuns: 3\nsteps:\n  - sleep 30\n')
      const ids = [await api.started('herd'), await api.started('herd')]
      const apart = await api.started('herd', { dagName: 'apart' })
      const { status, json } = await api.call('POST', '/dags/herd/stop-all')
      expect([status, json]).to.deep.equal([200, { errors: [] }])
      for (const id of ids) expect(await api.ended('herd', id)).to.include({ status: 3 })
      expect((await api.call('GET', `/dag-runs/apart/${apart}`)).json.dagRun.status).to.equal(1)
      expect((await api.call('POST', '/dags/herd/stop-all')).json).to.deep.equal({ errors: [] })
      await api.call('POST', `/dag-runs/apart/${apart}/stop`)
    })
  })

  describe('dryRun: true on start', () => {
    it('all checks of 4.1, 200 {dagRunId} without creating anything', async () => {
      api.write('dry', 'steps:\n  - sleep 30\n')
      const before = await api.quiet()
      const body = { dagRunId: 'dry-1', dryRun: true }
      expect((await api.call('POST', '/dags/dry/start', { body })).json).to.deep.equal({ dagRunId: 'dry-1' })
      const inline = { spec: 'name: dry2\nsteps: [echo]', dryRun: true }
      expect((await api.call('POST', '/dag-runs', { body: inline })).json.dagRunId).to.match(/^[0-9a-f-]{36}$/)
      expect(await codeOf('POST', '/dags/dry/start', { dryRun: true, dagRunId: 'a b' })).to.deep.equal([
        400,
        'bad_request'
      ])
      expect(await api.quiet()).to.deep.equal(before)
      const id = await api.started('dry')
      for (const [more, code] of [
        [{}, 'max_run_reached'],
        [{ singleton: true }, 'already_running'],
        [{ dagRunId: id }, 'already_exists']
      ] as const)
        expect(await codeOf('POST', '/dags/dry/start', { dryRun: true, ...more })).to.deep.equal([409, code])
      await api.call('POST', `/dag-runs/dry/${id}/stop`)
    })
  })
})
