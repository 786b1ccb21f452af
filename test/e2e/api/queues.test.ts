/** Queues over the API. Source: http-api "Starting and queueing", "Queues and workers"; api-semantics 3.7, 6.1, 14. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveApi } from '../../support/api/live-api.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('API › queues', () => {
  const api = liveApi({ settings: { 'queues.config': [{ name: 'batch', maxConcurrency: 1 }] } })
  const spec = (folder: string, more = '') => `${more}\nsteps: ['while [ ! -e ${folder}/go ]; do sleep 0.02; done']\n`
  const rest = () =>
    eventually('all at rest', async () => {
      const { json } = await api.call('GET', '/queues')
      return json.summary.totalRunning + json.summary.totalQueued === 0 ? true : undefined
    })

  /** A queued run is dispatched when everybody can see it: a moment after the answer. */
  const running = (name: string) =>
    eventually(`a running run of ${name}`, async () => {
      const { json } = await api.call('GET', `/dag-runs/${name}?status=1`)
      return json.dagRuns.length > 0 ? true : undefined
    })

  it('12.2, 12.17 GET /queues: custom ones are listed even when empty (maxConcurrency on them only), dag-based ones while they have a run; running by start, queued in order; both names (A4)', async () => {
    const folder = temporaryFolder()
    expect((await api.call('GET', '/queues')).json).to.deep.equal({
      queues: [
        {
          name: 'batch',
          type: 'custom',
          maxConcurrency: 1,
          summary: { running: 0, queued: 0, total: 0 },
          runningDAGRuns: [],
          queuedDAGRuns: [],
          running: [],
          queued: []
        }
      ],
      summary: { totalQueues: 1, totalRunning: 0, totalQueued: 0, totalCapacity: 1, utilizationPercentage: 0 }
    })
    api.write('held', spec(folder))
    await api.started('held', { dagRunId: 'h-1' })
    const enqueue = (dagRunId: string, more = {}) =>
      api.call('POST', '/dags/held/enqueue', { body: { dagRunId, ...more } })
    expect((await enqueue('h-2')).json).to.deep.equal({ dagRunId: 'h-2' })
    await enqueue('h-3')
    await enqueue('h-4', { queue: 'batch', dagName: 'other' })
    await running('other')
    const { queues, summary } = (await api.call('GET', '/queues')).json
    expect(
      queues.map((queue: { name: string; type: string; summary: object }) => [queue.name, queue.type, queue.summary])
    ).to.deep.equal([
      ['batch', 'custom', { running: 1, queued: 0, total: 1 }],
      ['held', 'dag-based', { running: 1, queued: 2, total: 3 }]
    ])
    expect(queues[1]).not.to.have.property('maxConcurrency')
    expect(queues[1].queuedDAGRuns.map(({ dagRunId }: { dagRunId: string }) => dagRunId)).to.deep.equal(['h-2', 'h-3'])
    expect(queues[1].queued).to.deep.equal(queues[1].queuedDAGRuns)
    expect(queues[1].queuedDAGRuns[0]).to.include({ status: 5, statusLabel: 'queued', startedAt: '', finishedAt: '' })
    expect(queues[1].queuedDAGRuns[0].queuedAt).to.match(/^\d{4}-/)
    expect(summary).to.deep.equal({
      totalQueues: 2,
      totalRunning: 2,
      totalQueued: 2,
      totalCapacity: 2,
      utilizationPercentage: 100
    })
    writeFileSync(join(folder, 'go'), '')
    await rest()
  })

  it('4.2 enqueue with singleton: 409 max_run_reached while a run of the name runs or waits, also of a text and with dryRun', async () => {
    const folder = temporaryFolder()
    const only = { singleton: true }
    api.write('single', spec(folder))
    const first = await api.call('POST', '/dags/single/enqueue', { body: only })
    expect(first.status).to.equal(200)
    await running('single')
    const inline = { spec: 'steps: [echo no]', name: 'single' }
    for (const [path, body] of [
      ['/dags/single/enqueue', only],
      ['/dags/single/enqueue', { ...only, dryRun: true }],
      ['/dags/single/enqueue', { ...only, queue: 'batch' }],
      ['/dag-runs/enqueue', { ...only, ...inline }]
    ] as const) {
      const { status, json } = await api.call('POST', path, { body })
      expect([status, json.code, json.message], JSON.stringify(body)).to.deep.equal([
        409,
        'max_run_reached',
        'single already has 1 active run (limit 1)'
      ])
    }
    expect((await api.call('POST', '/dags/single/enqueue', { body: { singleton: false } })).status).to.equal(200)
    writeFileSync(join(folder, 'go'), '')
    await rest()
  })

  it('an enqueue of a host application with noQueue is a start', async () => {
    const folder = temporaryFolder()
    const blocker = await api.engine.start({ spec: spec(folder, 'name: blocker\nqueue: batch') })
    const key = await api.engine.enqueue({ spec: 'name: now\nqueue: batch\nsteps: ["true"]', noQueue: true })
    expect((await api.engine.result(key)).run.status).to.equal('succeeded')
    expect(api.engine.record(blocker)?.status).to.equal('running')
    writeFileSync(join(folder, 'go'), '')
    await rest()
  })

  it('13 stop of queued 400 not_running; dequeue of it 200; then GET 404; dequeue again 404; the id can be used again', async () => {
    const folder = temporaryFolder()
    api.write('q13', spec(folder))
    await api.started('q13', { dagRunId: 'r-1' })
    for (const method of ['GET', 'POST', 'DELETE']) {
      const queued = { body: { dagRunId: 'r-2' } }
      expect((await api.call('POST', '/dags/q13/enqueue', queued)).status).to.equal(200)
      expect((await api.call('POST', '/dags/q13/enqueue', queued)).json.code).to.equal('already_exists')
      const stop = await api.call('POST', '/dag-runs/q13/r-2/stop')
      expect([stop.status, stop.json.code]).to.deep.equal([400, 'not_running'])
      const log = await api.call('GET', '/dag-runs/q13/r-2/log')
      expect([log.status, log.json.content, log.json.totalLines]).to.deep.equal([200, '', 0])
      expect((await api.call(method, '/dag-runs/q13/r-2/dequeue')).status).to.equal(200)
      expect((await api.call('GET', '/dag-runs/q13/r-2')).status).to.equal(404)
      const again = await api.call(method, '/dag-runs/q13/r-2/dequeue')
      expect([again.status, again.json.code]).to.deep.equal([404, 'not_found'])
    }
    expect((await api.call('GET', '/dag-runs/q13/r-1/dequeue')).status).to.equal(404)
    writeFileSync(join(folder, 'go'), '')
    await rest()
  })

  it('HEAD does not dequeue', async () => {
    const folder = temporaryFolder()
    api.write('head', spec(folder))
    await api.started('head')
    await api.call('POST', '/dags/head/enqueue', { body: { dagRunId: 'r-2' } })
    expect((await api.call('HEAD', '/dag-runs/head/r-2/dequeue')).status).to.equal(405)
    expect((await api.call('GET', '/dag-runs/head/r-2')).json.dagRun.statusLabel).to.equal('queued')
    writeFileSync(join(folder, 'go'), '')
    await rest()
  })

  it("POST /dag-runs/enqueue: name is used when the spec has none; 409 max_run_reached when maxActiveRuns is stated and reached; body queue beats the spec's", async () => {
    const folder = temporaryFolder()
    const body = { spec: spec(folder, 'maxActiveRuns: 1'), name: 'inline-q', queue: 'batch' }
    expect((await api.call('POST', '/dag-runs/enqueue', { body })).status).to.equal(200)
    await running('inline-q')
    const second = await api.call('POST', '/dag-runs/enqueue', { body })
    expect([second.status, second.json.code, second.json.details]).to.deep.equal([
      409,
      'max_run_reached',
      { limit: 1, running: 1, queued: 0 }
    ])
    const nameless = await api.call('POST', '/dag-runs/enqueue', { body: { spec: body.spec } })
    expect([nameless.status, nameless.json.code]).to.deep.equal([400, 'bad_request'])
    const bad = await api.call('POST', '/dag-runs/enqueue', { body: { ...body, queue: 'no good' } })
    expect([bad.status, bad.json.code]).to.deep.equal([400, 'bad_request'])
    expect((await api.call('GET', '/queues')).json.queues[0].summary.running).to.equal(1)
    writeFileSync(join(folder, 'go'), '')
    await rest()
  })

  it('4.8, 13.2.3 reschedule into a full custom queue: queued is true', async () => {
    const folder = temporaryFolder()
    api.write('again', 'queue: batch\nsteps: ["true"]\n')
    await api.ended('again', await api.started('again', { dagRunId: 'a-1' }))
    await api.call('POST', '/dag-runs/enqueue', { body: { spec: spec(folder), name: 'blocker', queue: 'batch' } })
    await running('blocker')
    const { json } = await api.call('POST', '/dag-runs/again/a-1/reschedule', { body: { dagRunId: 'a-2' } })
    expect(json).to.deep.equal({ dagRunId: 'a-2', queued: true })
    writeFileSync(join(folder, 'go'), '')
    await rest()
    expect((await api.call('GET', '/dag-runs/again/a-2')).json.dagRun.statusLabel).to.equal('succeeded')
  })
})
