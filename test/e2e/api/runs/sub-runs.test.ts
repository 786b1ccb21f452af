/** Sub DAG runs over HTTP. Source: http-api "Sub DAG runs", "Logs", "Steps"; api-semantics 3.10, 5.5, A1; acceptance 24. */
import { expect } from 'chai'
import { type Json, liveApi } from '../../../support/api/live-api.ts'

const FAMILY = `
name: parent
steps:
  - {name: first, command: 'true'}
  - name: c
    call: kid
    params: X=9
  - name: twice
    parallel: {items: [p, q]}
    call: leaf
---
name: kid
params: X=1
steps:
  - {name: k1, command: 'echo "X is $X"; echo wrong >&2'}
  - {name: deeper, call: leaf}
---
name: leaf
steps:
  - {name: l1, command: echo leaf}
`

describe('API › sub DAG runs', () => {
  const api = liveApi()
  let id = ''
  let subRuns: Json[] = []
  before(async () => {
    id = await api.startedInline({ spec: FAMILY })
    expect(await api.ended('parent', id)).to.include({ statusLabel: 'succeeded' })
    subRuns = (await api.call('GET', `/dag-runs/parent/${id}/sub-dag-runs`)).json.subRuns
  })
  const get = (path: string, sub = subRuns[0].dagRunId) =>
    api.call('GET', `/dag-runs/parent/${id}/sub-dag-runs/${sub}${path}`)

  it('list: direct children in step order', async () => {
    const { nodes } = (await api.call('GET', `/dag-runs/parent/${id}`)).json.dagRun
    const [, c, twice] = nodes
    expect(twice.subRuns).to.have.length(2)
    const ids = [...c.subRuns, ...twice.subRuns].map(({ dagRunId }: Json) => dagRunId)
    expect(subRuns.map(({ dagRunId }) => dagRunId)).to.deep.equal(ids)
    expect(Object.keys(subRuns[0])).to.have.members([
      'dagRunId',
      'params',
      'status',
      'statusLabel',
      'startedAt',
      'finishedAt'
    ])
    expect(subRuns[0]).to.deep.include({ params: 'X="9"', status: 4, statusLabel: 'succeeded' })
  })

  it('finishedAt is null while a sub run is running', async () => {
    const slow = await api.startedInline({
      spec: 'name: slow\nsteps: [{name: c, call: kid}]\n---\nname: kid\nsteps: [{name: s, command: sleep 30}]\n'
    })
    const path = `/dag-runs/slow/${slow}/sub-dag-runs`
    for (let found: Json[] = []; found.length === 0; ) {
      found = (await api.call('GET', path)).json.subRuns
      if (found.length > 0) expect(found[0]).to.deep.include({ finishedAt: null, status: 1, statusLabel: 'running' })
    }
    const [{ dagRunId }] = (await api.call('GET', path)).json.subRuns
    const patched = await api.call('PATCH', `${path}/${dagRunId}/steps/s/status`, { body: { status: 4 } })
    expect([patched.status, patched.json.code]).to.deep.equal([400, 'bad_request'])
    await api.call('POST', `/dag-runs/slow/${slow}/stop`)
    await api.ended('slow', slow)
    expect((await api.call('GET', path)).json.subRuns[0].finishedAt).to.match(/^\d{4}-/)
  })

  it('no children -> []; latest; unknown run 404', async () => {
    const plain = await api.startedInline({ spec: 'name: plain\nsteps: [echo]' })
    await api.ended('plain', plain)
    expect((await api.call('GET', `/dag-runs/plain/${plain}/sub-dag-runs`)).json).to.deep.equal({ subRuns: [] })
    expect((await api.call('GET', '/dag-runs/parent/latest/sub-dag-runs')).json.subRuns).to.deep.equal(subRuns)
    expect((await api.call('GET', '/dag-runs/plain/nobody/sub-dag-runs')).status).to.equal(404)
  })

  it('?parentSubDAGRunId= lists the children of that descendant; any depth is found below the root', async () => {
    const path = `/dag-runs/parent/${id}/sub-dag-runs?parentSubDAGRunId=`
    const { json } = await api.call('GET', path + subRuns[0].dagRunId)
    expect(json.subRuns).to.have.length(1)
    const { dagRun } = (await get('', json.subRuns[0].dagRunId)).json
    expect(dagRun).to.include({
      name: 'leaf',
      rootDAGRunName: 'parent',
      rootDAGRunId: id,
      parentDAGRunName: 'kid',
      parentDAGRunId: subRuns[0].dagRunId
    })
    expect((await api.call('GET', `${path}nobody`)).status).to.equal(404)
    expect((await api.call('GET', `${path}a%2Fb`)).status).to.equal(400)
  })

  it('detail: RunDetails under both keys, with root, parent, handlers and preconditions', async () => {
    const { dagRun, dagRunDetails } = (await get('')).json
    expect(dagRunDetails).to.deep.equal(dagRun)
    expect(dagRun).to.deep.include({
      rootDAGRunName: 'parent',
      parentDAGRunName: 'parent',
      parentDAGRunId: id,
      name: 'kid',
      params: 'X=9',
      onExit: null,
      onSuccess: null,
      onFailure: null,
      onCancel: null,
      preconditions: []
    })
  })

  it('log and step log, with the rules of 3.8', async () => {
    expect((await get('/log?head=1')).json.content).to.contain('msg="run started" name=kid')
    expect((await get('/steps/k1/log')).json).to.deep.include({ content: 'X is 9', totalLines: 1, hasMore: false })
    expect((await get('/steps/k1/log?stream=stderr')).json.content).to.equal('wrong')
    expect((await get('/steps/k1/log?stream=both')).status).to.equal(400)
    expect((await get('/steps/z/log')).status).to.equal(404)
    expect((await get('/log', 'nobody')).status).to.equal(404)
  })

  it('alias /children/ gives the same bytes, of the list too', async () => {
    const sub = subRuns[0].dagRunId
    for (const query of ['', `?parentSubDAGRunId=${sub}`, '?parentSubDAGRunId=nobody']) {
      const [own, alias] = await Promise.all(
        ['sub-dag-runs', 'children'].map((word) => api.call('GET', `/dag-runs/parent/${id}/${word}${query}`))
      )
      expect([alias?.status, alias?.text], query).to.deep.equal([own?.status, own?.text])
    }
    for (const path of ['', '/log', '/steps/k1/log', '/steps/k1/log?stream=stderr', '/steps/z/log']) {
      const { status, text } = await api.call('GET', `/dag-runs/parent/${id}/children/${sub}${path}`)
      const { status: wanted, text: wantedText } = await get(path)
      expect([status, text], path).to.deep.equal([wanted, wantedText])
    }
  })

  it("PATCH: the sub run's own state; the parent node is not touched; unknown sub run, step, or run of another root 404", async () => {
    const path = `/dag-runs/parent/${id}/sub-dag-runs/${subRuns[0].dagRunId}/steps`
    const before = (await api.call('GET', `/dag-runs/parent/${id}`)).json
    const { status, text } = await api.call('PATCH', `${path}/k1/status`, { body: { status: 2 } })
    expect([status, text]).to.deep.equal([200, ''])
    const { dagRun } = (await get('')).json
    expect([dagRun.status, dagRun.nodes[0].status]).to.deep.equal([4, 2])
    expect((await api.call('GET', `/dag-runs/parent/${id}`)).json).to.deep.equal(before)
    expect((await api.call('PATCH', `${path}/k1/status`, { body: { status: 6 } })).status).to.equal(400)
    expect((await api.call('PATCH', `${path}/z/status`, { body: { status: 4 } })).status).to.equal(404)
    for (const wrong of [path.replace(subRuns[0].dagRunId, 'nobody'), path.replace(`parent/${id}`, 'plain/latest')])
      expect((await api.call('PATCH', `${wrong}/k1/status`, { body: { status: 4 } })).status).to.equal(404)
  })

  it('alias /children/ of PATCH does the same', async () => {
    const alias = `/dag-runs/parent/${id}/children/${subRuns[0].dagRunId}/steps/k1/status`
    expect((await api.call('PATCH', alias, { body: { status: 4 } })).status).to.equal(200)
    expect((await get('')).json.dagRun.nodes[0].status).to.equal(4)
  })

  it('a sub run is none that could be stopped, retried or rescheduled: 404 not_found, with the way', async () => {
    const [{ dagRunId: sub }] = subRuns as [Json]
    for (const word of ['stop', 'retry', 'reschedule']) {
      const { status, json } = await api.call('POST', `/dag-runs/kid/${sub}/${word}`, { body: {} })
      expect([status, json.code], word).to.deep.equal([404, 'not_found'])
      if (word !== 'reschedule') expect(json.message).to.contain(`is a sub DAG run: ${word} the run that called it`)
    }
  })

  it('a rename moves sub runs along', async () => {
    api.write('caller', FAMILY.replace('name: parent\n', ''))
    const run = await api.started('caller')
    await api.ended('caller', run)
    const before = (await api.call('GET', `/dag-runs/caller/${run}/sub-dag-runs`)).json
    await api.call('POST', '/dags/caller/rename', { body: { newFileName: 'renamed' } })
    const path = `/dag-runs/renamed/${run}/sub-dag-runs`
    expect((await api.call('GET', path)).json).to.deep.equal(before)
    const { dagRun } = (await api.call('GET', `${path}/${before.subRuns[0].dagRunId}`)).json
    expect(dagRun).to.include({ rootDAGRunName: 'renamed', parentDAGRunName: 'renamed', name: 'kid' })
    expect((await api.call('GET', `/dag-runs/caller/${run}/sub-dag-runs`)).status).to.equal(404)
  })
})
