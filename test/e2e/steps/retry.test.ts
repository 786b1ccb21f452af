/** retryPolicy with real steps. Source: execution-semantics 6.1. */
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

describe('retryPolicy', () => {
  const live = liveEngine()

  it('6.1.7 status during the wait: running; error holds the last error; the wait occupies a maxActiveSteps slot; a stop ends it at once', async function () {
    this.retries(WHEN_BUSY)
    const key = await live.start(`
      type: graph
      maxActiveSteps: 1
      steps:
        - {name: waits, command: echo why >&2; exit 3, retryPolicy: {limit: 5, intervalSec: 600}}
        - {name: other, command: echo no}
    `)
    const node = await eventually('the wait', () => {
      const node = live.engine.run(key)?.nodes[0]?.node
      return node?.retryCount === 1 ? node : undefined
    })
    expect(node).to.include({ status: 'running', exitCode: 3 })
    expect(node.error).to.equal('failed to execute step "waits": exit status 3\nrecent stderr (tail):\nwhy')
    expect(live.engine.run(key)?.nodes[1]?.node.status).to.equal('not_started')
    const before = Date.now()
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(Date.now() - before).to.be.below(1_000)
    expect([run.status, ...run.statuses]).to.deep.equal(['canceled', 'canceled', 'not_started'])
  })
})
