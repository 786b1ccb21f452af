/** delaySec with a real engine. Source: execution-semantics 7.1.1, 7.1.5. */
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

describe('7.1.5 delaySec', () => {
  const live = liveEngine()

  it('the run is running, waits once, then starts its first nodes', async () => {
    const run = await live.run(`
      delaySec: 1
      steps: [{name: a, command: echo x}, {name: b, command: echo y}]
    `)
    const started = run.run.startedAt ?? 0
    expect((run.node('a').startedAt ?? 0) - started).to.be.within(1_000, 1_800)
    expect((run.node('b').startedAt ?? 0) - (run.node('a').startedAt ?? 0)).to.be.below(900)
    expect(run.status).to.equal('succeeded')
  })

  it('stop ends the wait', async function () {
    this.retries(WHEN_BUSY)
    const key = await live.start('delaySec: 600\nsteps: [{name: a, command: echo x}]')
    await eventually('the delay', () => (live.engine.run(key)?.run.status === 'running' ? true : undefined))
    const before = Date.now()
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(Date.now() - before).to.be.below(1_000)
    expect([run.status, ...run.statuses]).to.deep.equal(['canceled', 'not_started'])
  })

  it('7.1.1 timeoutSec counts it: the run fails before its first node', async () => {
    const run = await live.run('delaySec: 600\ntimeoutSec: 1\nsteps: [{name: a, command: echo x}]')
    expect([run.status, ...run.statuses]).to.deep.equal(['failed', 'canceled'])
    expect(run.run.error).to.equal('run timed out after 1s')
  })

  it('a run whose preconditions do not hold does not wait', async () => {
    const run = await live.run('delaySec: 600\npreconditions: ["false"]\nsteps: [{name: a, command: echo x}]')
    expect([run.status, ...run.statuses]).to.deep.equal(['canceled', 'not_started'])
  })
})
