/** Runs over HTTP once they have ended: retried, rescheduled, their steps set by hand. Source: api-semantics 4.7, 4.8, 5, 12; acceptance 15-18, 23. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { served } from '../api/client.ts'
import { temporaryFolder } from '../support/homes.ts'
import { type Json, liveApi } from '../support/live-api.ts'

describe('API › runs that have ended', () => {
  const api = liveApi()
  const folder = temporaryFolder()
  const codeOf = async (method: string, path: string, body?: unknown) => {
    const { status, json } = await api.call(method, path, body === undefined ? {} : { body })
    return [status, json?.code]
  }
  const labels = ({ nodes }: Json) => nodes.map(({ statusLabel }: Json) => statusLabel)
  const marks = (name: string) => readFileSync(join(folder, name), 'utf8').trim().split('\n')
  /** Three steps, each leaving a mark; the second fails. */
  const threeSteps = (name: string) => `
name: ${name}
workingDir: ${folder}
steps:
  - {name: a, command: echo a >>${name}; echo one, output: A}
  - {name: b, command: 'echo b >>${name}; exit 1'}
  - {name: c, command: 'echo c \${A} >>${name}'}
`
  const failed = async (name: string): Promise<string> => {
    const id = await api.startedInline({ spec: threeSteps(name) })
    expect(labels(await api.ended(name, id))).to.deep.equal(['succeeded', 'failed', 'canceled'])
    return id
  }
  const sleeping = async (name: string) => {
    const id = await api.startedInline({ spec: `name: ${name}\nsteps:\n  - {name: s, command: sleep 30}\n` })
    return { id, end: () => api.call('POST', `/dag-runs/${name}/${id}/stop`).then(() => api.ended(name, id)) }
  }

  describe('POST .../retry', () => {
    it('15 in place: from the failed step, keeps the id, attempt 2; 200, empty body, header Engine-Run-Id', async () => {
      const id = await failed('again')
      for (const [attempt, body] of [
        [2, undefined],
        [3, {}],
        [4, { dagRunId: id }],
        [5, { dagRunId: '' }]
      ] as const) {
        const { status, text, headers } = await api.call('POST', `/dag-runs/again/${id}/retry`, { body })
        expect([status, text, headers['engine-run-id']]).to.deep.equal([200, '', id])
        expect(await api.ended('again', id)).to.include({ attempt, dagRunId: id })
      }
      expect(marks('again')).to.deep.equal(['a', 'b', 'b', 'b', 'b', 'b'])
    })

    it('another, unused id: a new run with that id, the original untouched; used: 409', async () => {
      const id = await failed('other')
      const before = await api.ended('other', id)
      const { headers } = await api.call('POST', `/dag-runs/other/${id}/retry`, { body: { dagRunId: 'other-b' } })
      expect(headers['engine-run-id']).to.equal('other-b')
      expect(await api.ended('other', 'other-b')).to.include({ rootDAGRunId: 'other-b', attempt: 1 })
      expect(await api.ended('other', id)).to.deep.equal(before)
      expect(await codeOf('POST', `/dag-runs/other/${id}/retry`, { dagRunId: 'other-b' })).to.deep.equal([
        409,
        'already_exists'
      ])
    })

    it('another id while the limit is reached: 400, and no log of it is left behind; later the kept logs are its own', async () => {
      const id = await failed('limited')
      const other = await sleeping('limited')
      const before = await api.quiet()
      expect(await codeOf('POST', `/dag-runs/limited/${id}/retry`, { dagRunId: 'copied' })).to.deep.equal([
        400,
        'already_running'
      ])
      expect(api.digest()).to.deep.equal(before)
      await other.end()
      expect(await codeOf('POST', `/dag-runs/limited/${id}/retry`, { dagRunId: 'copied' })).to.deep.equal([
        200,
        undefined
      ])
      const [kept] = (await api.ended('limited', 'copied')).nodes
      expect(kept.stdout).to.contain('/copied/')
      const { json } = await api.call('GET', '/dag-runs/limited/copied/steps/a/log')
      expect(json.content).to.equal('one')
    })

    it('stepName: only that step runs again; an unknown one 404', async () => {
      const id = await failed('single')
      await api.call('POST', `/dag-runs/single/${id}/retry`, { body: { stepName: 'a' } })
      expect(labels(await api.ended('single', id))).to.deep.equal(['succeeded', 'failed', 'canceled'])
      expect(marks('single')).to.deep.equal(['a', 'b', 'a'])
      expect(await codeOf('POST', `/dag-runs/single/${id}/retry`, { stepName: 'z' })).to.deep.equal([404, 'not_found'])
    })

    it('15 while running: 400 already_running, and the run is unharmed; missing: 404; a bad id: 400; latest: 404', async () => {
      const { id, end } = await sleeping('busy')
      expect(await codeOf('POST', `/dag-runs/busy/${id}/retry`)).to.deep.equal([400, 'already_running'])
      expect((await api.call('GET', `/dag-runs/busy/${id}`)).json.dagRun).to.include({ status: 1, attempt: 1 })
      await end()
      expect(await codeOf('POST', '/dag-runs/busy/nobody/retry')).to.deep.equal([404, 'not_found'])
      expect(await codeOf('POST', `/dag-runs/busy/${id}/retry`, { dagRunId: 'a b' })).to.deep.equal([
        400,
        'bad_request'
      ])
      expect(await codeOf('POST', '/dag-runs/busy/latest/retry')).to.deep.equal([404, 'not_found'])
    })
  })

  it('4.2 retry while the allowed number of runs is active: 400 already_running, whatever that number is', async () => {
    const start = (dagRunId: string, step: string) =>
      api.startedInline({ spec: `name: both\nmaxActiveRuns: 2\nsteps: [${step}]`, dagRunId })
    await start('ended', 'exit 1')
    await api.ended('both', 'ended')
    for (const id of ['one', 'two']) await start(id, 'sleep 30')
    for (const body of [{}, { dagRunId: 'new' }])
      expect(await codeOf('POST', '/dag-runs/both/ended/retry', body)).to.deep.equal([400, 'already_running'])
    expect((await api.call('POST', '/dag-runs/both/ended/retry')).json).to.deep.include({
      message: 'run ended of both cannot be retried: both already has 2 active runs (limit 2)',
      details: { limit: 2, running: 2, queued: 0 }
    })
    expect((await api.call('POST', '/dag-runs/both/one/retry')).json).to.include({
      message: 'run one of both cannot be retried: it has not ended'
    })
    for (const id of ['one', 'two']) await api.call('POST', `/dag-runs/both/${id}/stop`)
    for (const id of ['one', 'two']) await api.ended('both', id)
    expect(await codeOf('POST', '/dag-runs/both/ended/retry')).to.deep.equal([200, undefined])
    await api.ended('both', 'ended')
  })

  describe('PATCH .../steps/{stepName}/status', () => {
    it('16 PATCH failed step to 4, retry: the patched step is not executed, its successors are', async () => {
      const id = await failed('patched')
      const { status, text } = await api.call('PATCH', `/dag-runs/patched/${id}/steps/b/status`, {
        body: { status: 4 }
      })
      expect([status, text]).to.deep.equal([200, ''])
      await api.call('POST', `/dag-runs/patched/${id}/retry`)
      expect(labels(await api.ended('patched', id))).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
      expect(marks('patched')).to.deep.equal(['a', 'b', 'c one'])
    })

    it('a step set to 1 (running) is executed again by a retry: nobody works at it', async () => {
      const id = await api.startedInline({ spec: `name: idle\nworkingDir: ${folder}\nsteps: [echo a >>idle]\n` })
      await api.ended('idle', id)
      await api.call('PATCH', `/dag-runs/idle/${id}/steps/cmd_1/status`, { body: { status: 1 } })
      await api.call('POST', `/dag-runs/idle/${id}/retry`)
      expect(labels(await api.ended('idle', id))).to.deep.equal(['succeeded'])
      expect(marks('idle')).to.deep.equal(['a', 'a'])
    })

    it("13.3.1, 13.3.2 only that node's status changes; idempotent; 0 to 5 all may be set; the run log tells", async () => {
      const id = await failed('only')
      const before = await api.ended('only', id)
      const statusLabels = ['not_started', 'running', 'failed', 'canceled', 'succeeded', 'skipped']
      for (const [status, statusLabel] of [...statusLabels.entries(), ...statusLabels.entries()]) {
        await api.call('PATCH', `/dag-runs/only/${id}/steps/a/status`, { body: { status } })
        const { dagRun } = (await api.call('GET', `/dag-runs/only/${id}`)).json
        const [first, ...others] = before.nodes
        expect(dagRun).to.deep.equal({ ...before, nodes: [{ ...first, status, statusLabel }, ...others] })
      }
      await api.quiet()
      const { content } = (await api.call('GET', `/dag-runs/only/${id}/log?tail=1`)).json
      expect(content).to.contain('step status set by hand').and.contain('step=a').and.contain('status=skipped')
    })

    it('5.6 recorded in the run log with the name of the caller', async () => {
      const id = await failed('signed')
      const { auth } = readConfig(
        { home: '/nowhere', settings: { 'auth.basic.username': 'ops', 'auth.basic.password': 'secret' } },
        {}
      )
      const locked = await served({ ...api.engine, config: { ...api.engine.config, auth } })
      const headers = { Authorization: `Basic ${Buffer.from('ops:secret').toString('base64')}` }
      const sent = { headers, body: { status: 4 } }
      expect((await locked.call('PATCH', `/dag-runs/signed/${id}/steps/b/status`, sent)).status).to.equal(200)
      await locked.close()
      await api.quiet()
      const { content } = (await api.call('GET', `/dag-runs/signed/${id}/log?tail=1`)).json
      expect(content).to.contain('step=b').and.contain('by="the user ops"').and.not.contain('secret')
    })

    it('many at once: each has its record in the journal', async () => {
      const id = await failed('many')
      const patch = (status: number) => api.call('PATCH', `/dag-runs/many/${id}/steps/c/status`, { body: { status } })
      const answers = await Promise.all([0, 1, 2, 3, 4, 5, 0, 1, 2, 3].map(patch))
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200))
      const { text } = await api.call('GET', `/dag-runs/many/${id}/events?follow=false`)
      expect(text.match(/"event":"node.set"/g)).to.have.length(10)
    })

    it('16 PATCH 6, 9, missing, "x", 1.5: 400, nothing changes; unknown run, step or handler: 404', async () => {
      const id = await failed('wrong')
      const before = await api.quiet()
      const path = `/dag-runs/wrong/${id}/steps`
      for (const body of [
        { status: 6 },
        { status: 9 },
        { status: -1 },
        { status: 1.5 },
        { status: 'x' },
        {},
        undefined
      ])
        expect(await codeOf('PATCH', `${path}/a/status`, body)).to.deep.equal([400, 'bad_request'])
      for (const wrong of [`${path}/z/status`, `${path}/onExit/status`, '/dag-runs/wrong/nobody/steps/a/status'])
        expect(await codeOf('PATCH', wrong, { status: 4 })).to.deep.equal([404, 'not_found'])
      expect(await codeOf('PATCH', '/dag-runs/wrong/latest/steps/a/status', { status: 4 })).to.deep.equal([
        404,
        'not_found'
      ])
      expect(await api.quiet()).to.deep.equal(before)
    })

    it('run running -> 400 bad_request', async () => {
      const { id, end } = await sleeping('live')
      expect(await codeOf('PATCH', `/dag-runs/live/${id}/steps/s/status`, { status: 4 })).to.deep.equal([
        400,
        'bad_request'
      ])
      await end()
    })
  })

  describe('POST .../reschedule', () => {
    it("17 {dagRunId, queued}: a fresh run with the old params after the file's defaults changed", async () => {
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

    it('no node state is kept; without an id, or without a body, one is made', async () => {
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

    it('unknown source 404; used id 409 already_exists; bad id or dagName 400', async () => {
      const id = await failed('checks')
      expect(await codeOf('POST', '/dag-runs/checks/nobody/reschedule')).to.deep.equal([404, 'not_found'])
      const path = `/dag-runs/checks/${id}/reschedule`
      expect(await codeOf('POST', path, { dagRunId: id })).to.deep.equal([409, 'already_exists'])
      for (const body of [{ dagRunId: 'a b' }, { dagRunId: 'latest' }, { dagName: 'a/b' }, { dagName: 7 }])
        expect(await codeOf('POST', path, body)).to.deep.equal([400, 'bad_request'])
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
