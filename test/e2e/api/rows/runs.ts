/** The rows about runs: all of them, their logs, steps and sub DAG runs. Source: http-api "Endpoints". */
import { expect } from 'chai'
import type { Members } from '../../../support/api/json-shape.ts'
import type { Json } from '../../../support/api/live-api.ts'
import type { Call, LiveRows } from '../../../support/api/live-rows.ts'
import { DETAILS, LOG, STATUS, SUB_DETAILS, SUMMARY, text } from '../../../support/api/row-shapes.ts'

export function runRows({ api, subRunId, row, promises, empty, refuses, fresh, created }: LiveRows): void {
  describe('Runs (global)', () => {
    const lists = async (call: Call, path: string) => {
      await promises(call(path), { dagRuns: [SUMMARY] })
      const { dagRuns } = await promises(
        call(`${path}?status=4&fromDate=0&toDate=99999999999&dagRunId=e1&remoteNode=local`),
        {}
      )
      expect(dagRuns.map(({ dagRunId }: Json) => dagRunId)).to.deep.equal(['e1'])
      for (const query of ['status=7', 'status=x', 'fromDate=x', 'toDate=x'])
        await refuses(call(`${path}?${query}`), 400, 'bad_request')
    }
    row('GET', '/dag-runs', async (call) => {
      await lists(call, '/dag-runs')
      const { dagRuns } = await promises(call('/dag-runs?name=bad'), {})
      expect(dagRuns.map(({ name }: Json) => name)).to.deep.equal(['bad'])
    })
    row('GET', '/dag-runs/{name}', async (call) => {
      await lists(call, '/dag-runs/etl')
      await refuses(call('/dag-runs/a%20b'), 400, 'bad_request')
    })
    row('POST', '/dag-runs', async (call) => {
      const name = fresh('inline')
      const body = {
        spec: 'params: A=1\nsteps: [sleep 30]',
        name,
        params: 'A=2',
        dagRunId: fresh('id'),
        singleton: true
      }
      expect(await promises(call('/dag-runs', { body }), { dagRunId: text })).to.deep.equal({ dagRunId: body.dagRunId })
      for (const singleton of [true, false])
        await refuses(call('/dag-runs', { body: { ...body, dagRunId: '', singleton } }), 409, 'max_run_reached')
      await refuses(call('/dag-runs', { body: { name } }), 400, 'bad_request')
      await refuses(call('/dag-runs', { body: { name, spec: 'steps: [{name: a}]' } }), 400, 'bad_request')
      await api.call('POST', `/dag-runs/${name}/${body.dagRunId}/stop`)
    })
    row('POST', '/dag-runs/enqueue', async (call) => {
      const body = {
        spec: 'maxActiveRuns: 1\nparams: A=1\nsteps: [sleep 30]',
        name: fresh('inline'),
        params: 'A=2',
        dagRunId: fresh('id'),
        queue: 'batch'
      }
      expect(await promises(call('/dag-runs/enqueue', { body }), { dagRunId: text })).to.deep.equal({
        dagRunId: body.dagRunId
      })
      await refuses(call('/dag-runs/enqueue', { body: { ...body, dagRunId: '' } }), 409, 'max_run_reached')
      await refuses(call('/dag-runs/enqueue', { body: { name: body.name } }), 400, 'bad_request')
    })
    row('GET', '/dag-runs/{name}/{dagRunId}', async (call) => {
      const { dagRun, dagRunDetails } = await promises(call('/dag-runs/etl/e1'), {
        dagRun: DETAILS,
        dagRunDetails: DETAILS
      })
      expect(dagRun).to.deep.equal(dagRunDetails)
      await promises(call('/dag-runs/etl/latest'), { dagRun: DETAILS })
      for (const path of ['/dag-runs/etl/none', '/dag-runs/none/latest']) await refuses(call(path), 404, 'not_found')
    })
    row('POST', '/dag-runs/{name}/{dagRunId}/stop', async (call) => {
      const name = await created('steps: [sleep 30]')
      const id = await api.started(name)
      await empty(call(`/dag-runs/${name}/${id}/stop`))
      await api.ended(name, id)
      await refuses(call(`/dag-runs/${name}/${id}/stop`), 400, 'not_running')
      await refuses(call(`/dag-runs/${name}/none/stop`), 404, 'not_found')
    })
    row('POST', '/dag-runs/{name}/{dagRunId}/retry', async (call) => {
      const body = { dagRunId: fresh('again') }
      await empty(call('/dag-runs/bad/b1/retry', { body }))
      expect((await api.ended('bad', body.dagRunId)).statusLabel).to.equal('failed')
      await refuses(call('/dag-runs/bad/none/retry'), 404, 'not_found')
      await refuses(call('/dag-runs/held/h1/retry'), 400, 'already_running')
    })
    row('POST', '/dag-runs/{name}/{dagRunId}/reschedule', async (call) => {
      const body = { dagRunId: fresh('re'), dagName: fresh('other') }
      expect(
        await promises(call('/dag-runs/etl/e1/reschedule', { body }), { dagRunId: text, queued: 'boolean' })
      ).to.include({ dagRunId: body.dagRunId })
      await api.ended(body.dagName, body.dagRunId)
      await promises(call('/dag-runs/bad/b1/reschedule'), { dagRunId: text, queued: 'boolean' })
      await refuses(call('/dag-runs/held/h1/reschedule'), 409, 'max_run_reached')
      await refuses(call('/dag-runs/etl/none/reschedule'), 404, 'not_found')
      await refuses(call('/dag-runs/etl/e1/reschedule', { body: { dagName: 'no way' } }), 400, 'bad_request')
    })
    row('GET', '/dag-runs/{name}/{dagRunId}/dequeue', async (call) => {
      const dagRunId = fresh('waits')
      await api.call('POST', '/dags/held/enqueue', { body: { dagRunId } })
      await empty(call(`/dag-runs/held/${dagRunId}/dequeue`))
      await refuses(call(`/dag-runs/held/${dagRunId}/dequeue`), 404, 'not_found')
      await refuses(call('/dag-runs/held/h1/dequeue'), 404, 'not_found')
    })
  })

  describe('Logs', () => {
    const reads = async (call: Call, path: string, content?: string) => {
      const all = await promises(call(path), LOG)
      expect(all.content).to.equal(content ?? all.content)
      expect(all.lineCount).to.be.greaterThan(0)
      for (const query of ['tail=1', 'head=1', 'offset=1&limit=1', 'limit=1&remoteNode=local'])
        expect((await promises(call(`${path}?${query}`), LOG)).lineCount, query).to.equal(1)
      await refuses(call(`${path}?limit=x`), 400, 'bad_request')
    }
    const steps = async (call: Call, run: string, step: string, content: string) => {
      await reads(call, `${run}/steps/${step}/log`, content)
      expect((await promises(call(`${run}/steps/${step}/log?stream=stderr`), LOG)).content).to.equal('')
      await refuses(call(`${run}/steps/${step}/log?stream=other`), 400, 'bad_request')
      await refuses(call(`${run}/steps/none/log`), 404, 'not_found')
    }
    row('GET', '/dag-runs/{name}/{dagRunId}/log', async (call) => {
      await reads(call, '/dag-runs/etl/e1/log')
      await refuses(call('/dag-runs/etl/none/log'), 404, 'not_found')
    })
    row('GET', '/dag-runs/{name}/{dagRunId}/steps/{stepName}/log', (call) =>
      steps(call, '/dag-runs/etl/e1', 'load', 'today')
    )
    row('GET', '/dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/log', async (call) => {
      await reads(call, `/dag-runs/etl/e1/sub-dag-runs/${subRunId()}/log`)
      await refuses(call('/dag-runs/etl/e1/sub-dag-runs/none/log'), 404, 'not_found')
    })
    row('GET', '/dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/log', (call) =>
      steps(call, `/dag-runs/etl/e1/sub-dag-runs/${subRunId()}`, 'k1', 'hi')
    )
  })

  describe('Steps', () => {
    const sets = async (call: Call, run: string, step: string) => {
      const path = `${run}/steps/${step}/status`
      for (const status of [0, 1, 2, 3, 5, 4]) {
        await empty(call(path, { body: { status } }))
        const { nodes } = (await api.call('GET', run)).json.dagRunDetails
        expect(nodes.find((node: Json) => node.step.name === step).status).to.equal(status)
      }
      for (const status of [6, -1, 1.5, '4', null, undefined])
        await refuses(call(path, { body: { status } }), 400, 'bad_request')
      await refuses(call(`${run}/steps/none/status`, { body: { status: 4 } }), 404, 'not_found')
    }
    row('PATCH', '/dag-runs/{name}/{dagRunId}/steps/{stepName}/status', async (call) => {
      await sets(call, '/dag-runs/etl/e1', 'load')
      await refuses(call('/dag-runs/etl/none/steps/load/status', { body: { status: 4 } }), 404, 'not_found')
    })
    row('PATCH', '/dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/status', async (call) => {
      await sets(call, `/dag-runs/etl/e1/sub-dag-runs/${subRunId()}`, 'k1')
      await refuses(
        call('/dag-runs/etl/e1/sub-dag-runs/none/steps/k1/status', { body: { status: 4 } }),
        404,
        'not_found'
      )
    })
  })

  describe('Sub DAG runs', () => {
    row('GET', '/dag-runs/{name}/{dagRunId}/sub-dag-runs', async (call) => {
      const entry: Members = { dagRunId: text, params: text, ...STATUS, startedAt: text, finishedAt: 'string?' }
      const { subRuns } = await promises(call('/dag-runs/etl/e1/sub-dag-runs?remoteNode=local'), { subRuns: [entry] })
      expect(subRuns).to.have.length(1)
      await refuses(call('/dag-runs/etl/none/sub-dag-runs'), 404, 'not_found')
    })
    row('GET', '/dag-runs/{name}/{dagRunId}/sub-dag-runs/{subDAGRunId}', async (call) => {
      const { dagRunDetails } = await promises(call(`/dag-runs/etl/e1/sub-dag-runs/${subRunId()}`), {
        dagRunDetails: SUB_DETAILS
      })
      expect(dagRunDetails).to.include({ rootDAGRunId: 'e1', parentDAGRunName: 'etl', name: 'kid' })
      await refuses(call('/dag-runs/etl/e1/sub-dag-runs/none'), 404, 'not_found')
    })
  })
}
