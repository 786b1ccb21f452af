/** What a caller must not see is in no list, count, stream or metric. Source: docs/authentication.md "Roles". */
import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { accessScene, as, CALLERS, MARK } from '../../../support/api/access-scene.ts'
import type { Json } from '../../../support/api/live-api.ts'

describe('access › lists', () => {
  const { api, write, fileOf } = accessScene()
  const get = async (caller: string, path: string): Promise<Json> => {
    const { status, json, text } = await api.call('GET', path, as(caller))
    expect(status, text).to.equal(200)
    return json
  }
  const getV1 = async (caller: string, path: string): Promise<Json> =>
    (await api.callAt('GET', `/api/v1${path}`, as(caller))).json
  const names = (runs: Json[]) => runs.map(({ name }: Json) => name).sort()
  const files = (dags: Json[]) => dags.map(({ fileName }: Json) => fileName).sort()

  it('definitions, their number, their pages and their tags', async () => {
    for (const [caller, seen] of Object.entries({
      viewer: ['etl', 'open'],
      payer: ['etl', 'open', 'pay'],
      admin: ['etl', 'open', 'pay'],
      etl: ['etl'],
      nobody: []
    })) {
      for (const sort of ['name', 'nextRun', 'latestRun', 'status']) {
        const { dags, pagination, errors } = await get(caller, `/dags?sort=${sort}`)
        expect([files(dags), pagination.totalRecords, errors], `${caller} ${sort}`).to.deep.equal([
          seen,
          seen.length,
          []
        ])
      }
      const { dags: pages } = await get(caller, '/dags?perPage=1&page=2')
      expect(pages, caller).to.have.length(seen.length > 1 ? 1 : 0)
      expect((await getV1(caller, '/dags')).DAGs, caller).to.have.length(seen.length)
    }
    expect((await get('viewer', '/dags/tags')).tags).to.deep.equal(['nightly'])
    expect((await get('payer', '/dags/tags')).tags).to.deep.equal(['nightly', 'secret'])
    expect((await getV1('viewer', '/tags')).Tags).to.deep.equal(['nightly'])
    expect((await get('viewer', '/dags?tag=secret')).dags).to.deep.equal([])
  })

  it('a search finds nothing in what is hidden', async () => {
    const found = async (caller: string) => (await get(caller, `/dags/search?q=${MARK}`)).results
    expect(await found('viewer')).to.deep.equal([])
    expect(await found('payer')).to.have.length(1)
    expect((await getV1('editor', `/search?q=${MARK}`)).Results).to.deep.equal([])
  })

  it('runs, by name or not, whole or page by page', async () => {
    expect(names((await get('runner', '/dag-runs')).dagRuns)).to.deep.equal(['etl', 'open'])
    expect(names((await get('payer', '/dag-runs')).dagRuns)).to.deep.equal(['etl', 'open', 'pay'])
    expect(names((await get('etl', '/dag-runs')).dagRuns)).to.deep.equal(['etl'])
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { dagRuns, nextCursor } = await get('viewer', `/dag-runs?limit=1${cursor}`)
      seen.push(...names(dagRuns))
      expect(Buffer.from(nextCursor ?? '', 'base64url').toString()).to.not.contain('pay')
      if (nextCursor === null) break
      cursor = `&cursor=${nextCursor}`
    }
    expect(seen.sort()).to.deep.equal(['etl', 'open'])
    for (const path of ['/dag-runs/NAME', '/dags/NAME/dag-runs', '/dags/NAME/statistics'])
      expect(await get('viewer', path.replace('NAME', 'pay')), path).to.deep.equal(
        await get('viewer', path.replace('NAME', 'missing'))
      )
    const hidden = await api.call('GET', '/dags/pay/dag-runs/pay-run', as('viewer'))
    const missing = await api.call('GET', '/dags/missing/dag-runs/missing-run', as('viewer'))
    expect([hidden.status, hidden.text.replaceAll('pay', 'missing')]).to.deep.equal([404, missing.text])
  })

  it('each row says what the caller may do with it, where rules are for them', async () => {
    const BY_RANK = { none: [], viewer: ['read'], runner: ['read', 'run'], editor: ['read', 'run', 'write'] }
    for (const caller of ['payer', 'editor', 'etl'] as const) {
      const may = (name: string) => BY_RANK[CALLERS[caller]?.with[name] as keyof typeof BY_RANK]
      const { dags } = await get(caller, '/dags')
      for (const { fileName, permissions } of dags)
        expect(permissions, `${caller} ${fileName}`).to.deep.equal(may(fileName))
      const lists = await Promise.all(
        ['/dag-runs', '/dag-runs?limit=2', '/dag-runs/etl'].map((path) => get(caller, path))
      )
      for (const { name, permissions } of lists.flatMap(({ dagRuns }) => dagRuns))
        expect(permissions, `${caller} ${name}`).to.deep.equal(may(name))
    }
  })

  it('no row says so where every row would say the same', async () => {
    const { dags } = await get('admin', '/dags')
    const { dagRuns } = await get('admin', '/dag-runs')
    for (const row of [...dags, ...dagRuns]) expect(row).to.not.have.property('permissions')
  })

  it('the stream of all events, and that of a run', async () => {
    const events = async (caller: string) => (await api.call('GET', '/events?follow=false', as(caller))).text
    const [some, all, none] = [await events('viewer'), await events('payer'), await events('nobody')]
    expect(some).to.contain('"name":"open"').and.not.contain('pay')
    expect(all).to.contain('"name":"pay"')
    expect(none).to.not.contain('data:')
    expect((await api.call('GET', '/dag-runs/pay/pay-run/events?follow=false', as('viewer'))).status).to.equal(404)
  })

  it('queues and waits with their counts', async () => {
    api.write(
      'hidden-wait',
      'tags: [secret]\nmaxActiveRuns: 1\nsteps: [{name: ok, executor: {type: approval, config: {ask: "Now?"}}}]\n'
    )
    api.write(
      'shown-wait',
      'maxActiveRuns: 1\nsteps: [{name: ok, executor: {type: approval, config: {ask: "Now?"}}}]\n'
    )
    for (const fileName of ['hidden-wait', 'shown-wait']) {
      await api.engine.start({ fileName, dagRunId: `${fileName}-1` })
      await api.engine.enqueue({ fileName, dagRunId: `${fileName}-2` })
    }
    expect((await get('nobody', '/queues')).queues).to.deep.equal([])
    const { queues, summary } = await get('viewer', '/queues')
    expect(names(queues)).to.deep.equal(['shown-wait'])
    expect([summary.totalQueues, summary.totalRunning, summary.totalQueued]).to.deep.equal([1, 1, 1])
    expect((await get('payer', '/queues')).queues).to.have.length(2)
    const metrics = async (caller: string) => (await api.call('GET', '/metrics', as(caller))).text
    expect(await metrics('viewer'), 'a queue has the name of its DAG')
      .to.contain('engine_queue_length{queue="shown-wait"} 1')
      .and.not.contain('hidden-wait')
    expect(await metrics('payer')).to.contain('engine_queue_length{queue="hidden-wait"} 1')
    for (const limit of [1, 100]) {
      const { waiting, nextCursor } = await get('viewer', `/waiting?limit=${limit}`)
      expect(names(waiting)).to.deep.equal(['shown-wait'])
      if (nextCursor) expect((await get('viewer', `/waiting?cursor=${nextCursor}`)).waiting).to.deep.equal([])
    }
    const { waiting } = await get('payer', '/waiting')
    expect(
      waiting.map(({ name, permissions }: { name: string; permissions: string[] }) => [name, permissions])
    ).to.deep.equal([
      ['hidden-wait', ['read', 'run']],
      ['shown-wait', ['read']]
    ])
    expect((await get('admin', '/waiting')).waiting[0]).to.not.have.property('permissions')
    for (const fileName of ['hidden-wait', 'shown-wait']) {
      await api.engine.dequeue({ name: fileName, dagRunId: `${fileName}-2` })
      await api.engine.stop({ name: fileName, dagRunId: `${fileName}-1` })
      rmSync(fileOf(fileName))
    }
  })

  it('metrics have no series of what is hidden', async () => {
    const text = async (caller: string) => (await api.call('GET', '/metrics', as(caller))).text
    await text('admin') // counting begins with the first
    for (const fileName of ['open', 'pay'])
      await api.engine.result(await api.engine.start({ fileName, dagRunId: `${fileName}-counted` }))
    expect(await text('payer')).to.contain('dag="pay"')
    expect(await text('viewer'))
      .to.contain('dag="open"')
      .and.contain('engine_info')
      .and.not.contain('"pay"')
  })

  it('where the definition is gone, the group and tags of the run itself count', async () => {
    rmSync(fileOf('pay'))
    expect(names((await get('viewer', '/dag-runs')).dagRuns)).to.not.include('pay')
    expect((await api.call('GET', '/dag-runs/pay/pay-run', as('viewer'))).status).to.equal(404)
    expect((await api.call('GET', '/dag-runs/pay/pay-run', as('payer'))).status).to.equal(200)
    write('pay')
  })

  it('what cannot be read, so that its tags are not known, is hidden like the strictest', async () => {
    api.write('pay', `[${MARK}`)
    const { dags, errors } = await get('viewer', '/dags')
    expect([files(dags).includes('pay'), errors]).to.deep.equal([false, []])
    expect((await api.call('GET', '/dags/pay/spec', as('viewer'))).status).to.equal(404)
    expect((await api.call('GET', '/dags/pay/spec', as('admin'))).status).to.equal(200)
    write('pay')
  })

  it('a sub DAG run is what its root run is, wherever it is asked for', async () => {
    api.write('calls-hidden', 'steps: [{name: say, call: pay}]\n')
    api.write('hidden-calls', 'tags: [secret]\nsteps: [{name: say, call: open}]\n')
    for (const [root, called, status] of [
      ['calls-hidden', 'pay', 200],
      ['hidden-calls', 'open', 404]
    ] as const) {
      const run = await api.engine.start({ fileName: root, dagRunId: `${root}-run` })
      await api.engine.result(run)
      const [sub] = api.engine.subRuns(run)
      for (const path of ['', '/log', '/steps/say/log', '/events?follow=false', '/spec']) {
        const { status: found } = await api.call('GET', `/dag-runs/${called}/${sub?.dagRunId}${path}`, as('viewer'))
        expect(found, `${called}${path}`).to.equal(status)
      }
      const within = await api.call('GET', `/dag-runs/${root}/${root}-run/sub-dag-runs/${sub?.dagRunId}`, as('viewer'))
      expect(within.status, root).to.equal(status)
      const { text } = await api.call('GET', '/events?follow=false', as('viewer'))
      expect(text.includes(sub?.dagRunId ?? '-'), root).to.equal(status === 200)
      rmSync(fileOf(root))
    }
  })

  it('a file that is hidden does not say its DAG name', async () => {
    api.write('plain', `name: pay\nsteps: [{name: say, command: echo ${MARK}}]\n`)
    for (const path of ['/dags/NAME/dag-runs/r', '/dags/NAME/dag-runs', '/dags/NAME/spec', '/dags/NAME/statistics']) {
      const [hidden, missing] = await Promise.all(
        ['plain', 'missing'].map((name) => api.call('GET', path.replace('NAME', name), as('viewer')))
      )
      expect(hidden?.text.replaceAll('plain', 'missing'), path).to.equal(missing?.text)
    }
    rmSync(fileOf('plain'))
  })

  it('a name that one more definition has is as hidden as the strictest of them', async () => {
    api.write('other', `name: pay\nsteps: [{name: say, command: echo ${MARK}}]\n`)
    expect((await get('viewer', '/dags')).dags.map(({ fileName }: Json) => fileName)).to.not.include('other')
    expect((await get('viewer', '/dag-runs/pay')).dagRuns).to.deep.equal([])
    rmSync(fileOf('other'))
  })
})
