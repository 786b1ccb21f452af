/** Who waits for a run that waits in its queue. Source: execution-semantics 12.8, 12.13; docs/embedding. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('the result of a queued run', () => {
  const live = liveEngine()
  let home: string
  let first: RunKey
  let second: RunKey

  beforeEach(async () => {
    home = temporaryFolder()
    const spec = `name: held\nsteps: ['until [ -e ${home}/go ]; do sleep 0.02; done']`
    first = await live.engine.start({ spec })
    second = await live.engine.enqueue({ spec })
  })
  afterEach(async () => {
    go()
    await live.engine.result(first)
  })
  const go = () => writeFileSync(join(home, 'go'), '')

  it('resolves when the run has ended, for all who wait, not while it is queued', async () => {
    expect(live.engine.record(second)?.status).to.equal('queued')
    const order: string[] = []
    const noteEnd = (who: string) => live.engine.result(second).then(({ run }) => order.push(`${who} ${run.status}`))
    const both = Promise.all([noteEnd('a'), noteEnd('b')])
    const firstEnd = live.engine.result(first).then(({ run }) => order.push(`first ${run.status}`))
    go()
    await Promise.all([firstEnd, both])
    expect(order).to.deep.equal(['first succeeded', 'a succeeded', 'b succeeded'])
  })

  it('of the latest run is that of the one that is the latest when it is asked, when that has ended', async () => {
    const latest = live.engine.result({ name: 'held', dagRunId: 'latest' })
    const third = await live.engine.enqueue({ spec: 'name: held\nsteps: ["true"]' })
    go()
    const { run } = await latest
    expect([run.dagRunId, run.status]).to.deep.equal([second.dagRunId, 'succeeded'])
    await live.engine.result(third)
  })

  it('12.13 is not_found when it is taken out of its queue', async () => {
    const result = live.engine.result(second).then(
      () => 'resolved',
      ({ code, message }) => [code, message]
    )
    await live.engine.dequeue(second)
    expect(await result).to.deep.equal(['not_found', `there is no run ${second.dagRunId} of held`])
  })
})
