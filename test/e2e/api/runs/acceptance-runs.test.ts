/** The acceptance checklist of the API: runs that are started, stopped, inline, and their logs. Source: api-semantics 14; the numbers are its items'. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { statusAndCode } from '../../../api/client.ts'
import { type Json, liveApi } from '../../../support/api/live-api.ts'
import { eventually } from '../../../support/waiting.ts'

describe('API acceptance › definitions and runs', () => {
  const api = liveApi()

  it('9. Start with a used id 409 already_exists; id with a space, 65 characters or latest 400; no body 200', async () => {
    api.write('nine', 'maxActiveRuns: -1\nsteps: [echo hi]')
    const starting = (body?: unknown) => api.call('POST', '/dags/nine/start', body === undefined ? {} : { body })
    const id = 'i'.repeat(64)
    expect((await starting({ dagRunId: id })).json).to.deep.equal({ dagRunId: id })
    expect(statusAndCode(await starting({ dagRunId: id })), 'running').to.deep.equal([409, 'already_exists'])
    await api.ended('nine', id)
    const before = api.digest()
    expect(statusAndCode(await starting({ dagRunId: id })), 'ended').to.deep.equal([409, 'already_exists'])
    const inline = await api.call('POST', '/dag-runs', { body: { spec: 'name: nine', dagRunId: id } })
    expect(statusAndCode(inline), 'the same DAG name from an inline spec').to.deep.equal([409, 'already_exists'])
    for (const dagRunId of ['a b', 'i'.repeat(65), 'latest'])
      expect(statusAndCode(await starting({ dagRunId })), dagRunId).to.deep.equal([400, 'bad_request'])
    expect(api.digest()).to.deep.equal(before)
    const { dagRunId } = (await starting()).json
    expect(dagRunId).to.match(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    await api.ended('nine', dagRunId)
    expect((await starting({ dagRunId: id, dagName: 'other' })).status, 'ids are unique per DAG name').to.equal(200)
    await api.ended('other', id)
  })

  it('10. Two parallel starts of an M=1 DAG: one 200, one 409 max_run_reached; singleton:true while running: 409 already_running', async () => {
    api.write('ten', 'steps: [sleep 30]')
    const both = await Promise.all([1, 2].map(() => api.call('POST', '/dags/ten/start')))
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409])
    expect(both.find(({ status }) => status === 409)?.json).to.deep.equal({
      code: 'max_run_reached',
      message: 'ten already has 1 active run (limit 1)',
      details: { limit: 1, running: 1, queued: 0 }
    })
    const singleton = await api.call('POST', '/dags/ten/start', { body: { singleton: true } })
    expect(statusAndCode(singleton)).to.deep.equal([409, 'already_running'])
    const inline = { spec: 'name: ten\nmaxActiveRuns: -1\nsteps: [echo hi]', singleton: true }
    const inlineSingleton = await api.call('POST', '/dag-runs', { body: inline })
    expect(statusAndCode(inlineSingleton), 'POST /dag-runs, singleton:true').to.deep.equal([409, 'max_run_reached'])
    const id = both.find(({ status }) => status === 200)?.json.dagRunId
    await api.call('POST', `/dag-runs/ten/${id}/stop`)
    await api.ended('ten', id)
    const free = await api.call('POST', '/dags/ten/start', { body: { singleton: true } })
    expect(free.status, 'a run that has ended blocks nothing').to.equal(200)
    await api.call('POST', `/dag-runs/ten/${free.json.dagRunId}/stop`)
    await api.ended('ten', free.json.dagRunId)
  })

  it('14. stop: 200 with zero-length body; later status 3 canceled; second stop after the end 400', async () => {
    api.write('fourteen', `handlerOn: {cancel: echo c, exit: echo e}\nsteps:\n  - sleep 30\n  - echo never\n`)
    const id = await api.started('fourteen')
    const [first] = await eventually('the step', async () => {
      const { nodes } = (await api.call('GET', `/dag-runs/fourteen/${id}`)).json.dagRun
      return nodes[0].statusLabel === 'running' ? nodes : undefined
    })
    expect(first.finishedAt).to.equal('')
    const stop = await api.call('POST', `/dag-runs/fourteen/${id}/stop`)
    expect([stop.status, stop.bytes.length, stop.headers['content-type']]).to.deep.equal([200, 0, undefined])
    const run = await api.ended('fourteen', id)
    expect([run.status, run.statusLabel]).to.deep.equal([3, 'canceled'])
    expect(run.nodes.map((node: Json) => [node.statusLabel, node.error])).to.deep.equal([
      ['canceled', 'signal: terminated'],
      ['not_started', '']
    ])
    expect([run.onCancel.statusLabel, run.onExit.statusLabel]).to.deep.equal(['succeeded', 'succeeded'])
    const before = api.digest()
    expect(statusAndCode(await api.call('POST', `/dag-runs/fourteen/${id}/stop`))).to.deep.equal([400, 'not_running'])
    expect(statusAndCode(await api.call('POST', '/dag-runs/fourteen/none/stop'))).to.deep.equal([404, 'not_found'])
    expect(statusAndCode(await api.call('POST', '/dag-runs/fourteen/latest/stop'))).to.deep.equal([404, 'not_found'])
    expect(api.digest()).to.deep.equal(before)
  })

  it('14. calling stop again while stopping -> 200 (idempotent)', async () => {
    api.write('slow-stop', `steps:\n  - trap 'sleep 0.3; exit 0' TERM; echo up; while :; do sleep 0.05; done\n`)
    const id = await api.started('slow-stop')
    await eventually('the step', async () => {
      const { json } = await api.call('GET', `/dag-runs/slow-stop/${id}/steps/cmd_1/log`)
      return json.content === 'up' ? true : undefined
    })
    const stops = await Promise.all([1, 2, 3].map(() => api.call('POST', `/dag-runs/slow-stop/${id}/stop`)))
    expect(stops.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    expect((await api.ended('slow-stop', id)).statusLabel).to.equal('canceled')
  })

  it('7.3.6 stop with {"force": true} kills handlers too; anything but a boolean -> 400, and nothing changed', async () => {
    api.write('forced', 'handlerOn: {success: sleep 60, exit: echo no}\nsteps: ["true"]\n')
    const id = await api.started('forced')
    await eventually('the handler', async () => {
      const { onSuccess } = (await api.call('GET', `/dag-runs/forced/${id}`)).json.dagRun
      return onSuccess?.statusLabel === 'running' ? true : undefined
    })
    const stop = (body: object) => api.call('POST', `/dag-runs/forced/${id}/stop`, { body })
    expect(statusAndCode(await stop({ force: 'yes' }))).to.deep.equal([400, 'bad_request'])
    expect((await stop({})).status).to.equal(200)
    expect((await api.call('GET', `/dag-runs/forced/${id}`)).json.dagRun.onSuccess.statusLabel).to.equal('running')
    expect((await stop({ force: true })).status).to.equal(200)
    const run = await api.ended('forced', id)
    expect([run.statusLabel, run.onSuccess.statusLabel, run.onExit.statusLabel]).to.deep.equal([
      'succeeded',
      'canceled',
      'not_started'
    ])
  })

  it('18. Inline run: absent from GET /dags, present in GET /dag-runs', async () => {
    const id = await api.startedInline({ spec: 'steps: [echo $1]', name: 'adhoc', params: '42', dagRunId: 'a1' })
    expect(id).to.equal('a1')
    const present = async (path: string) =>
      (await api.call('GET', path)).json.dagRuns.map(({ name, dagRunId }: Json) => `${name}/${dagRunId}`)
    expect(await present('/dag-runs')).to.include('adhoc/a1')
    expect(await present('/dag-runs?name=DHO')).to.deep.equal(['adhoc/a1'])
    expect(await present('/dag-runs/adhoc')).to.deep.equal(['adhoc/a1'])
    const { dags } = (await api.call('GET', '/dags?perPage=1000')).json
    expect(dags.map(({ fileName }: Json) => fileName)).not.to.include('adhoc')
    expect(statusAndCode(await api.call('GET', '/dags/adhoc'))).to.deep.equal([404, 'not_found'])
    expect(statusAndCode(await api.call('POST', '/dags/adhoc/start'))).to.deep.equal([404, 'not_found'])
    expect((await api.ended('adhoc', 'a1')).params).to.equal('1=42')
    expect((await api.call('GET', '/dag-runs/adhoc/latest/steps/cmd_1/log')).json.content).to.equal('42')
    expect(existsSync(join(api.engine.config.dagsDir, 'adhoc.yaml'))).to.equal(false)
  })

  it("4.6 the spec's name wins over the body's; an inline run without any name -> 400", async () => {
    await api.startedInline({ spec: 'name: inner', name: 'outer', dagRunId: 'named' })
    expect((await api.call('GET', '/dag-runs/inner/named')).status).to.equal(200)
    const nameless = await api.call('POST', '/dag-runs', { body: { spec: 'steps: [echo hi]' } })
    expect(statusAndCode(nameless)).to.deep.equal([400, 'bad_request'])
    expect(nameless.json.details.errors.join()).to.contain('name is required')
  })

  it('19, 14.2.6. Log of 200000 lines: totalLines 200000, isEstimate false; tail 2 / head 2 / offset 199999 / offset 200001 as in 3.8; no stream = stdout', async () => {
    const id = await api.startedInline({ spec: 'name: long\nsteps: [seq 1 200000]' })
    await api.ended('long', id)
    const log = async (query: string) => {
      const { json } = await api.call('GET', `/dag-runs/long/${id}/steps/cmd_1/log${query}`)
      const { firstLine: _line, times: _times, ...chunk } = json
      return chunk
    }
    const all = { totalLines: 200_000, isEstimate: false }
    expect(await log('?tail=2')).to.deep.equal({ ...all, content: '199999\n200000', lineCount: 2, hasMore: true })
    expect(await log('?head=2')).to.deep.equal({ ...all, content: '1\n2', lineCount: 2, hasMore: true })
    expect(await log('?offset=199999')).to.deep.equal({
      ...all,
      content: '199999\n200000',
      lineCount: 2,
      hasMore: false
    })
    expect(await log('?offset=200001')).to.deep.equal({ ...all, content: '', lineCount: 0, hasMore: false })
    expect(await log('?stream=stdout&head=2')).to.deep.equal(await log('?head=2'))
    expect(await log('?stream=stderr')).to.include({ content: '', totalLines: 0 })
    expect(await log('')).to.include({ lineCount: 1_000, hasMore: true })
    expect(await log('?limit=50000')).to.include({ lineCount: 10_000, hasMore: true })
    expect((await api.call('GET', `/dag-runs/long/${id}/steps/cmd_1/log?stream=both`)).status).to.equal(400)
  })

  it('20. Empty log: 200 with empty content: of a run that has logged nothing yet, of a step that has not started; removed since: 404', async () => {
    api.write('held', 'steps:\n  - {name: first, command: "true"}\n  - sleep 30\n  - echo never\n')
    const id = await api.started('held')
    const nothing = { content: '', lineCount: 0, totalLines: 0, hasMore: false, isEstimate: false }
    const fresh = await api.call('GET', `/dag-runs/held/${id}/log`)
    expect(fresh.status, 'at once').to.equal(200)
    const waiting = await api.call('GET', `/dag-runs/held/${id}/steps/cmd_3/log`)
    expect([waiting.status, waiting.json]).to.deep.equal([200, nothing])
    expect((await api.call('GET', `/dag-runs/held/${id}/steps/nobody/log`)).status).to.equal(404)
    expect((await api.call('GET', '/dag-runs/held/none/log')).status).to.equal(404)
    await eventually('the first step', async () => {
      const { nodes } = (await api.call('GET', `/dag-runs/held/${id}`)).json.dagRun
      return nodes[0].finishedAt || undefined
    })
    await api.call('POST', `/dag-runs/held/${id}/stop`)
    const run = await api.ended('held', id)
    rmSync(run.nodes[0].stdout)
    expect(statusAndCode(await api.call('GET', `/dag-runs/held/${id}/steps/first/log`))).to.deep.equal([
      404,
      'not_found'
    ])
  })
})
