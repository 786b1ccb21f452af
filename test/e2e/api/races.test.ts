/** Many clients at once. Source: reliability P1, P2, P3, P13; api-semantics 4.1 (11), 4.2. */
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Answer } from '../../api/client.ts'
import { type Json, liveApi } from '../../support/api/live-api.ts'
import { eventually } from '../../support/waiting.ts'

const CLIENTS = 16

describe('API › parallel starts', () => {
  const api = liveApi()
  const at = (name: string, limit: string) => api.write(name, `${limit}\nsteps: [sleep 30]`)

  /** The answers to 16 clients, by status and error code; and the ids of the runs they started. */
  async function race(
    start: (client: number) => Promise<Answer>
  ): Promise<{ codes: Record<string, number>; ids: string[] }> {
    const answers = await Promise.all(Array.from({ length: CLIENTS }, (_, client) => start(client)))
    const codes: Record<string, number> = {}
    for (const { status, json } of answers) {
      const answer = status === 200 ? '200' : `${status} ${json.code}`
      codes[answer] = (codes[answer] ?? 0) + 1
    }
    return { codes, ids: answers.flatMap(({ status, json }) => (status === 200 ? [json.dagRunId] : [])) }
  }
  const start = (fileName: string, body: object = {}) => api.call('POST', `/dags/${fileName}/start`, { body })
  const runsOf = async (name: string): Promise<string[]> =>
    (await api.call('GET', `/dag-runs/${name}`)).json.dagRuns.map(({ dagRunId }: Json) => dagRunId).sort()
  const stopAll = (name: string, ids: string[]) =>
    Promise.all(ids.map((id) => api.call('POST', `/dag-runs/${name}/${id}/stop`).then(() => api.ended(name, id))))

  it('P2 No run id is executed as two runs: 16 posts of the same id at once: one 200, 15 x 409 already_exists', async () => {
    const mark = join(api.engine.config.home, 'mark')
    api.write('same', `maxActiveRuns: -1\nsteps: [echo ran >>${mark}; sleep 30]`)
    const { codes, ids } = await race(() => start('same', { dagRunId: 'one' }))
    expect(codes).to.deep.equal({ 200: 1, '409 already_exists': 15 })
    expect(await runsOf('same')).to.deep.equal(['one'])
    await eventually('the mark', () => existsSync(mark) || undefined)
    await stopAll('same', ids)
    expect((await race(() => start('same', { dagRunId: 'one' }))).codes, 'after its end').to.deep.equal({
      '409 already_exists': 16
    })
    expect(readFileSync(mark, 'utf8')).to.equal('ran\n')
  })

  it('P2 also when the runs end before all have asked, when inline and stored starts meet, and with maxActiveRuns 1', async () => {
    api.write('quick', 'steps: []')
    const { codes } = await race((client) =>
      client % 2
        ? start('quick', { dagRunId: 'q' })
        : api.call('POST', '/dag-runs', { body: { spec: 'name: quick', dagRunId: 'q' } })
    )
    expect(codes).to.deep.equal({ 200: 1, '409 already_exists': 15 })
    expect(await runsOf('quick')).to.deep.equal(['q'])
  })

  it('P2 also when a start or a retry comes while an enqueue of the same id is on its way to the disk, however far it has come', async () => {
    const { engine } = api
    const [spec, ids] = [
      'name: close\nmaxActiveRuns: -1\nsteps: ["true"]',
      Array.from({ length: 40 }, (_, n) => `close-${n}`)
    ]
    await engine.result(await engine.start({ spec, dagRunId: 'old' }))
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error) => (error as { code: string }).code
      )
    for (const [n, dagRunId] of ids.entries()) {
      const first = codeOf(engine.enqueue({ spec, dagRunId }))
      for (let turn = 0; turn < n / 2; turn++) await new Promise((resolve) => setImmediate(resolve))
      const second = codeOf(
        n % 2 ? engine.start({ spec, dagRunId }) : engine.retry({ name: 'close', dagRunId: 'old' }, { dagRunId })
      )
      expect([await first, await second].sort(), `${n / 2} turns apart`).to.deep.equal(['already_exists', 'done'])
    }
    for (const id of ids) expect((await api.ended('close', id)).statusLabel).to.equal('succeeded')
  })

  it('P13 maxActiveRuns 1: 16 starts at once: one 200, the rest 409 max_run_reached', async () => {
    at('single', '')
    const { codes, ids } = await race(() => start('single'))
    expect(codes).to.deep.equal({ 200: 1, '409 max_run_reached': 15 })
    expect(await runsOf('single')).to.deep.equal(ids)
    await stopAll('single', ids)
    const again = await race(() => start('single'))
    expect(again.codes, 'the slot is free again').to.deep.equal({ 200: 1, '409 max_run_reached': 15 })
    await stopAll('single', again.ids)
  })

  it('P13 maxActiveRuns 3: exactly three of 16; the error has limit and running', async () => {
    at('three', 'maxActiveRuns: 3')
    const { codes, ids } = await race(() => start('three'))
    expect(codes).to.deep.equal({ 200: 3, '409 max_run_reached': 13 })
    expect(await runsOf('three')).to.deep.equal(ids.toSorted())
    expect((await start('three')).json.details).to.deep.equal({ limit: 3, running: 3, queued: 0 })
    await stopAll('three', ids.slice(0, 1))
    const again = await race(() => start('three'))
    expect(again.codes).to.deep.equal({ 200: 1, '409 max_run_reached': 15 })
    await stopAll('three', [...ids.slice(1), ...again.ids])
  })

  it('4.2 maxActiveRuns 0 counts as 1; negative = unlimited', async () => {
    at('zero', 'maxActiveRuns: 0')
    const zero = await race(() => start('zero'))
    expect(zero.codes).to.deep.equal({ 200: 1, '409 max_run_reached': 15 })
    at('many', 'maxActiveRuns: -1')
    const many = await race(() => start('many'))
    expect(many.codes).to.deep.equal({ 200: 16 })
    expect(await runsOf('many')).to.deep.equal(many.ids.toSorted())
    await Promise.all([stopAll('zero', zero.ids), stopAll('many', many.ids)])
  })

  it('P13 singleton holds under any number of parallel requests, whatever maxActiveRuns; stored 409 already_running, inline 409 max_run_reached', async () => {
    at('lonely', 'maxActiveRuns: -1')
    const { codes, ids } = await race(() => start('lonely', { singleton: true }))
    expect(codes).to.deep.equal({ 200: 1, '409 already_running': 15 })
    const spec = 'name: lonely\nmaxActiveRuns: -1\nsteps: [sleep 30]'
    const inline = await race(() => api.call('POST', '/dag-runs', { body: { spec, singleton: true } }))
    expect(inline.codes).to.deep.equal({ '409 max_run_reached': 16 })
    expect(await runsOf('lonely')).to.deep.equal(ids)
    await stopAll('lonely', ids)
  })

  it('4.2 limits go by DAG name: dagName has its own, stored and inline starts of one name share theirs', async () => {
    at('named', '')
    const { codes, ids } = await race((client) => start('named', { dagName: `other-${client % 2}` }))
    expect(codes).to.deep.equal({ 200: 2, '409 max_run_reached': 14 })
    const inline = { spec: 'name: other-0\nsteps: [sleep 30]' }
    expect((await api.call('POST', '/dag-runs', { body: inline })).json.code).to.equal('max_run_reached')
    expect(await runsOf('named')).to.deep.equal([])
    for (const name of ['other-0', 'other-1']) {
      const [id = ''] = await runsOf(name)
      expect(ids).to.include(id)
      await stopAll(name, [id])
    }
  })

  it('a start that is refused leaves nothing behind', async () => {
    at('full', '')
    const { ids } = await race(() => start('full'))
    const before = await api.quiet()
    await race((client) => api.call('POST', '/dag-runs', { body: { spec: `name: full\nsteps: [echo ${client}]` } }))
    await race(() => start('full', { singleton: true }))
    expect(api.digest()).to.deep.equal(before)
    await stopAll('full', ids)
  })

  it('P1, P3 an immediate GET after the 200 always finds the run, with its parameters, also in the lists', async () => {
    api.write('found', 'maxActiveRuns: -1\nparams: N=0\nsteps: ["true"]')
    const rounds = Array.from({ length: 32 }, async (_, client) => {
      const id = await api.started('found', { params: `N=${client}` })
      const [detail, list, latest] = await Promise.all([
        api.call('GET', `/dag-runs/found/${id}`),
        api.call('GET', `/dag-runs/found?dagRunId=${id}`),
        api.call('GET', '/dag-runs/found/latest')
      ])
      expect(detail.status).to.equal(200)
      expect(detail.json.dagRun).to.include({ dagRunId: id, params: `N=${client}` })
      expect(detail.json.dagRun.status, 'running, or ended by now').to.be.oneOf([1, 4])
      expect(list.json.dagRuns.map(({ dagRunId }: Json) => dagRunId)).to.deep.equal([id])
      expect(latest.status).to.equal(200)
      return id
    })
    const ids = await Promise.all(rounds)
    expect(await runsOf('found')).to.deep.equal(ids.toSorted())
    for (const id of ids) expect((await api.ended('found', id)).statusLabel).to.equal('succeeded')
  })

  it('P3 a later read never shows an older state of the same run', async () => {
    const id = await api.startedInline({
      spec: 'name: forth\nsteps: [echo 1, echo 2, echo 3]\nhandlerOn: {exit: echo 4}'
    })
    const rank: Record<string, number> = { not_started: 0, running: 1, succeeded: 2 }
    let last = [0, 0, 0, 0, 0]
    let reads = 0
    for (let done = false; !done; reads++) {
      const { dagRun } = (await api.call('GET', `/dag-runs/forth/${id}`)).json
      const now = [dagRun, ...dagRun.nodes, dagRun.onExit].map(({ statusLabel }: Json) => rank[statusLabel] ?? -1)
      now.forEach((state, place) => {
        expect(state, `read ${reads}, place ${place}`).to.be.at.least(last[place] ?? 0)
      })
      last = now
      done = dagRun.finishedAt !== ''
    }
    expect(last).to.deep.equal([2, 2, 2, 2, 2])
  })

  it('a client that disconnects does not cancel the run', async () => {
    api.write('left', 'steps: [sleep 0.1, touch "$DAG_RUN_LOG_FILE.done"]')
    const body = '{"dagRunId":"gone"}'
    const socket = connect(api.port, '127.0.0.1')
    const head = `POST /api/v2/dags/left/start HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`
    socket.write(head + body, () => socket.destroy())
    await once(socket, 'close')
    await eventually('the run', () => api.engine.record({ name: 'left', dagRunId: 'gone' }))
    const run = await api.ended('left', 'gone')
    expect([run.statusLabel, existsSync(`${run.log}.done`)]).to.deep.equal(['succeeded', true])
  })

  it('no request was a fault of the server', () => {
    expect(api.faults).to.deep.equal([])
  })
})
