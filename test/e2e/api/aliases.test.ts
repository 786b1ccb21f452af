/** What stands beside the documented names for clients of other releases. Source: api-semantics 0 (A1 to A7), 1.2 (V3, V4). */
import { expect } from 'chai'
import { type Json, liveApi } from '../../support/api/live-api.ts'

const SPEC = `
name: root
steps:
  - {name: plain, command: echo one two}
  - {name: c, call: kid, params: X=1}
---
name: kid
steps: [{name: k, command: echo hi}]
`

describe('API › alias rules', () => {
  const api = liveApi()
  let sub = ''
  const get = async (path: string): Promise<Json> => (await api.call('GET', path)).json

  before(async () => {
    await api.startedInline({ spec: SPEC, dagRunId: 'r' })
    await api.ended('root', 'r')
    sub = (await get('/dag-runs/root/r/sub-dag-runs')).subRuns[0].dagRunId
    await api.startedInline({ spec: 'name: slow\nsteps: [sleep 60]', dagRunId: 's' })
  })

  it('A2 Node subRuns, subRunsRepeated also as children, childrenRepeated: same arrays, only when non-empty', async () => {
    const [plain, call] = (await get('/dag-runs/root/r')).dagRun.nodes
    expect(call.children).to.deep.equal(call.subRuns).and.have.length(1)
    expect([call.subRunsRepeated, call.childrenRepeated]).to.deep.equal([[], undefined])
    expect([plain.subRuns, plain.children]).to.deep.equal([[], undefined])
  })

  it('A6 Step run (child DAG) also as call, cmdWithArgs beside command and args', async () => {
    const [plain, call] = (await get('/dag-runs/root/r')).dagRun.nodes
    expect(call.step).to.include({ run: 'kid', call: 'kid' })
    expect(plain.step).to.deep.include({ command: 'echo', args: ['one', 'two'], cmdWithArgs: 'echo one two' })
  })

  it('A7 statusLabel canceled, never aborted; ?status= takes the integer only', async () => {
    await api.call('POST', '/dag-runs/slow/s/stop')
    expect(await api.ended('slow', 's')).to.include({ status: 3, statusLabel: 'canceled' })
    for (const path of ['/dag-runs/slow/s', '/dag-runs?status=3', '/queues'])
      expect((await api.call('GET', path)).text).to.not.contain('aborted')
    expect((await api.call('GET', '/dag-runs?status=canceled')).status).to.equal(400)
  })

  it('V3 arrays are never null: each is there, and empty', async () => {
    expect((await get('/dag-runs?name=nothing')).dagRuns).to.deep.equal([])
    expect((await get('/dags')).dags).to.deep.equal([])
    expect(await get('/dags/tags')).to.deep.equal({ tags: [], errors: [] })
    expect(await get('/dags/search?q=x')).to.deep.equal({ results: [], errors: [] })
    expect(await get('/dags/nothing/dag-runs')).to.deep.equal({ dagRuns: [], gridData: [] })
    expect((await get(`/dag-runs/root/r/sub-dag-runs?parentSubDAGRunId=${sub}`)).subRuns).to.deep.equal([])
    api.write('bare', 'steps: []')
    const bare = await get('/dags/bare')
    expect([bare.localDags, bare.errors, bare.dag.tags, bare.dag.schedule, bare.latestDAGRun.nodes]).to.deep.equal([
      [],
      [],
      [],
      [],
      []
    ])
  })

  it('V4 members are present with their empty value: "", 0, false', async () => {
    const { dagRun } = await get('/dag-runs/root/r')
    expect(dagRun).to.include({ params: '', queuedAt: '', parentDAGRunName: '', error: '' })
    const log = await get('/dag-runs/root/r/steps/plain/log?offset=9')
    expect(log).to.deep.equal({ content: '', lineCount: 0, totalLines: 1, hasMore: false, isEstimate: false })
  })
})
