/** The list of sub DAG runs of a run whose steps repeat. Source: http-api "Sub DAG runs", api-semantics 3.10. */
import { expect } from 'chai'
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { fakeEngine, nodeOf, planOf, stepOf } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

describe('API › sub DAG runs of repeated steps', () => {
  const engine = fakeEngine({ tz: 'UTC' })
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    const call = (dagRunId: string, record?: RunRecord) => ({
      name: 'kid',
      dagRunId,
      params: '',
      ...(record ? { record } : {})
    })
    const { run } = engine.addRun({ name: 'kid', dagRunId: 'spare', startedAt: 0, finishedAt: 1_000 })
    const node = (name: string) => ({ step: stepOf(name), node: nodeOf(name) })
    engine.addRun(
      { name: 'parent', dagRunId: 'p' },
      {
        plan: planOf('parent'),
        nodes: [
          { ...node('a'), calls: { subRuns: [call('a2', run)], subRunsRepeated: [call('a0', run), call('a1', run)] } },
          node('b'),
          { ...node('c'), calls: { subRuns: [call('c0', run), call('never')], subRunsRepeated: [] } }
        ]
      }
    )
    api = await served(engine)
  })
  after(() => api.close())

  it('first subRuns then subRunsRepeated of each step, in step order; children whose record is gone are skipped', async () => {
    const { subRuns } = (await api.call('GET', '/dag-runs/parent/p/sub-dag-runs')).json
    expect(subRuns.map(({ dagRunId }: { dagRunId: string }) => dagRunId)).to.deep.equal(['a2', 'a0', 'a1', 'c0'])
    expect(subRuns[0]).to.deep.equal({
      dagRunId: 'a2',
      params: '',
      status: 4,
      statusLabel: 'succeeded',
      startedAt: '1970-01-01T00:00:00Z',
      finishedAt: '1970-01-01T00:00:01Z'
    })
  })
})
