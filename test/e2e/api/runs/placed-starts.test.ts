/** `at` and `priority` of a start. Source: docs/http-api.md "Later, and before others", docs/decisions/queues.md D1794, D1795. */
import { expect } from 'chai'
import { createEngine } from '../../../../src/index.ts'
import { liveApi } from '../../../support/api/live-api.ts'
import { temporaryFolder } from '../../../support/homes.ts'
import { eventually } from '../../../support/waiting.ts'

const HOUR_MS = 3_600_000
/** Causes of the run: its steps wait for it. */
const causesOf = (reasons: { cause: string }[]) =>
  reasons.map(({ cause }) => cause).filter((cause) => cause !== 'run_queued')

describe('API › at', () => {
  const api = liveApi()
  const spec = 'steps: ["true"]\n'
  before(async () => {
    await api.call('POST', '/dags', { body: { name: 'timed', spec: `maxActiveRuns: 100\n${spec}` } })
  })
  const ways = [
    ['/dags/timed/start', {}],
    ['/dags/timed/enqueue', {}],
    ['/dag-runs', { spec: `maxActiveRuns: 100\n${spec}`, name: 'timed' }],
    ['/dag-runs/enqueue', { spec: `maxActiveRuns: 100\n${spec}`, name: 'timed' }]
  ] as const

  it('20 the run is queued at once and not started before; it is taken out by dequeue', async () => {
    for (const [path, body] of ways) {
      const { status, json } = await api.call('POST', path, { body: { ...body, at: '+1h' } })
      expect(status, path).to.equal(200)
      const run = `/dag-runs/timed/${json.dagRunId}`
      const { dagRun } = (await api.call('GET', run)).json
      expect(dagRun.statusLabel).to.equal('queued')
      expect(Date.parse(dagRun.at)).to.be.within(Date.now() + HOUR_MS - 60_000, Date.now() + HOUR_MS)
      const { reasons } = (await api.call('GET', `${run}/explain`)).json
      expect(causesOf(reasons)).to.deep.equal(['not_before'])
      expect((await api.call('POST', `${run}/dequeue`)).status).to.equal(200)
      expect((await api.call('GET', run)).status).to.equal(404)
    }
  })

  it('an instant that is past is now; one that comes soon starts then', async () => {
    const past = await api.call('POST', '/dags/timed/start', { body: { at: '2020-01-01T00:00:00+02:00' } })
    const dagRun = await api.ended('timed', past.json.dagRunId)
    expect([dagRun.statusLabel, dagRun.queuedAt, dagRun.at]).to.deep.equal(['succeeded', '', undefined])
    const soon = await api.call('POST', '/dags/timed/start', { body: { at: '+1s' } })
    const run = await api.ended('timed', soon.json.dagRunId)
    expect(run.statusLabel).to.equal('succeeded')
    expect(run.startedAtMs).to.be.least(Date.parse(run.at))
  })

  it('no instant with an offset or + and a duration, more than 366 days, and beside `singleton` or without a queue: 400', async () => {
    const refused = async (body: object) => {
      const { status, json } = await api.call('POST', '/dags/timed/start', { body })
      expect(status, JSON.stringify(body)).to.equal(400)
      return json.message
    }
    for (const at of ['soon', '+', '10m', '+10', '2026-11-01T02:00:00', '2026-02-30T02:00:00Z', 'PT10M', '', 5])
      await refused({ at })
    expect(await refused({ at: '+367d' })).to.equal('at: wanted at most 366 days from now, found +367d')
    expect(await refused({ at: '+1h', singleton: true })).to.contain('at: wanted without singleton')
    expect(await refused({ at: '+1h', disableMaxActiveRuns: true })).to.contain('asked for without one')
    expect((await api.call('GET', '/queues')).json.queues).to.deep.equal([])
  })

  it('a dry run has what would hold the run in `waitsFor`, and nothing when there is none', async () => {
    const dry = async (path: string, body: object) =>
      (await api.call('POST', path, { body: { ...body, dryRun: true } })).json.waitsFor
    expect(await dry('/dags/timed/start', { at: '+1h' })).to.deep.equal(['not_before'])
    expect(await dry('/dags/timed/start', {})).to.equal(undefined)
    const needy = { spec: `workerSelector: {gpu: "true"}\n${spec}`, name: 'needy', at: '+1h' }
    expect(await dry('/dag-runs', needy)).to.deep.equal(['not_before', 'no_worker'])
    const id = await api.startedInline({ spec: 'steps: [sleep 30]\n', name: 'busy' })
    expect(await dry('/dag-runs/enqueue', { spec, name: 'busy' })).to.deep.equal(['max_active_runs'])
    await api.call('POST', `/dag-runs/busy/${id}/stop`)
  })

  it('20 a restart in between: it waits on; one whose time has passed meanwhile starts once, at start-up', async () => {
    const home = temporaryFolder()
    const first = await createEngine({ home })
    const later = await first.start({ spec, name: 'later', at: '+1h' })
    const passed = await first.enqueue({ spec, name: 'passed', at: '+1s' })
    await first.close()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const next = await createEngine({ home })
    try {
      expect((await next.result(passed)).run).to.include({ status: 'succeeded', attempt: 1 })
      expect(next.record(later)).to.include({ status: 'queued' })
      expect(next.queues().flatMap(({ queued }) => queued.map(({ name }) => name))).to.deep.equal(['later'])
    } finally {
      await next.close()
    }
  })
})

describe('API › priority', () => {
  const api = liveApi()
  const spec = (name: string, more = '') => `name: ${name}\nqueue: shared\nmaxActiveRuns: 1\n${more}steps: [sleep 30]\n`
  const enqueued = async (name: string, body: object = {}, more = '') =>
    (await api.call('POST', '/dag-runs/enqueue', { body: { spec: spec(name, more), ...body } })).json.dagRunId

  it('8 the highest of those that wait is next, as the queue lists them; explain says `queue_priority`', async () => {
    await enqueued('first')
    const low = await enqueued('low')
    await enqueued('high', { priority: 5 })
    await enqueued('own', {}, 'priority: 7\n')
    const { queues } = (await api.call('GET', '/queues')).json
    const { queuedDAGRuns } = queues.find(({ name }: { name: string }) => name === 'shared')
    expect(queuedDAGRuns.map(({ name }: { name: string }) => name)).to.deep.equal(['own', 'high', 'low'])
    const { reasons } = (await api.call('GET', `/dag-runs/low/${low}/explain`)).json
    expect(causesOf(reasons)).to.deep.equal(['max_active_runs', 'queue_priority'])
    expect(reasons[1].text).to.contain('2 runs with a higher priority are before it in the queue shared')
    const running = api.engine.runs({ status: ['running'] })
    for (const run of running) await api.engine.stop(run, { force: true })
    for (const { name, dagRunId } of running) await api.ended(name, dagRunId)
    const next = await eventually('the next run', () => api.engine.runs({ status: ['running'] })[0])
    expect(next.name).to.equal('own')
    for (const run of api.engine.runs({ status: ['queued'] })) await api.engine.dequeue(run)
    for (const run of api.engine.runs({ status: ['running'] })) await api.engine.stop(run, { force: true })
  })

  it('anything but an integer from -1000 to 1000 is 400, in a definition too', async () => {
    for (const priority of [1_001, -1_001, 1.5, '5', true])
      expect((await api.call('POST', '/dag-runs/enqueue', { body: { spec: spec('x'), priority } })).status).to.equal(
        400
      )
    for (const priority of ['1001', '-1001', 'high', '1.5'])
      expect(
        (await api.call('POST', '/dag-runs', { body: { spec: spec('x', `priority: ${priority}\n`) } })).status
      ).to.equal(400)
  })
})
