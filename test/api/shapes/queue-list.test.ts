/** Queues in which many wait. Source: api-semantics 6.1: all of them are shown, in both lists (A4). */
import { expect } from 'chai'
import type { QueueView } from '../../../src/engine/engine.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

describe('API › GET /queues, when more wait than are written in one go', () => {
  const engine = fakeEngine()
  const runsOf = (name: string, status: 'queued' | 'running', count: number) =>
    Array.from({ length: count }, (_, n) => engine.addRun({ name, dagRunId: `${status}-${n}`, status }).run)
  /** By how many of each queue wait. */
  const views = (...waiting: number[]): QueueView[] =>
    waiting.map((count, n) => ({
      name: `q${n}`,
      ...(n === 0 ? { maxConcurrency: 2 } : {}),
      running: runsOf(`q${n}`, 'running', 2),
      queued: runsOf(`q${n}`, 'queued', count),
      capacity: 2
    }))
  let shown: QueueView[] = []
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    api = await served({ ...engine, readQueues: async () => shown })
  })
  after(() => api.close())

  const asked = async (queues: QueueView[]) => {
    shown = queues
    const { status, headers, json } = await api.call('GET', '/queues')
    expect([status, headers['content-type']]).to.deep.equal([200, 'application/json; charset=utf-8'])
    return json
  }

  it('each once, in order, with the same members as a short answer', async () => {
    const [few] = (await asked(views(3))).queues
    const { queues, summary } = await asked(views(1_203, 0, 1))
    expect(summary).to.deep.equal({
      totalQueues: 3,
      totalRunning: 6,
      totalQueued: 1_204,
      totalCapacity: 6,
      utilizationPercentage: 100
    })
    for (const [n, count] of [1_203, 0, 1].entries()) {
      const { queuedDAGRuns, runningDAGRuns, queued, running, ...head } = queues[n]
      const ids = queuedDAGRuns.map(({ dagRunId }: { dagRunId: string }) => dagRunId)
      expect(ids).to.deep.equal(Array.from({ length: count }, (_, at) => `queued-${at}`))
      expect([queued, running]).to.deep.equal([queuedDAGRuns, runningDAGRuns])
      expect(running).to.have.length(2)
      expect(head.summary).to.deep.equal({ running: 2, queued: count, total: count + 2 })
    }
    const [long] = queues
    expect(Object.keys(long)).to.deep.equal(Object.keys(few))
    expect(long.queued.slice(0, 3)).to.deep.equal(few.queued)
    expect([long.name, long.type, long.maxConcurrency, queues[1].type]).to.deep.equal(['q0', 'custom', 2, 'dag-based'])
  })
})
