/** How a repeating step is stopped, in a pass and in a wait. Source: execution-semantics 7.3.5, 7.1.1. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

describe('7.3.5 stop of a repeating step', () => {
  const live = liveEngine()
  const waiting = (key: Parameters<typeof live.ended>[0]) =>
    eventually('the wait', () => (live.engine.run(key)?.nodes[0]?.node.doneCount === 1 ? true : undefined))

  it('in a pass: it is not signalled and finishes it; succeeded, and so is the run when nothing else was to come', async () => {
    const folder = temporaryFolder()
    const key = await live.start(`
      workingDir: ${folder}
      steps:
        - name: a
          command: 'trap "echo signalled" TERM; touch begun; while [ ! -e go ]; do sleep 0.05; done; echo whole'
          repeatPolicy: {repeat: true}
    `)
    await eventually('the pass', () => existsSync(join(folder, 'begun')) || undefined)
    await live.engine.stop(key)
    const node = live.engine.run(key)?.nodes[0]?.node
    expect(node?.status).to.equal('running')
    writeFileSync(join(folder, 'go'), '')
    const run = await live.ended(key)
    expect(run.out('a')).to.equal('whole\n')
    expect(run.node('a')).to.include({ status: 'succeeded', doneCount: 1 })
    expect(run.status).to.equal('succeeded')
  })

  it('in the wait: it is cut short; the last pass decides, 5.5 rule 1 decides for the run', async function () {
    this.retries(WHEN_BUSY)
    const well = await live.start(`
      steps: [{name: a, command: echo x, repeatPolicy: {repeat: true, intervalSec: 600}}]
    `)
    await waiting(well)
    const before = Date.now()
    await live.engine.stop(well)
    const run = await live.ended(well)
    expect(Date.now() - before).to.be.below(1_000)
    expect([run.status, ...run.statuses]).to.deep.equal(['succeeded', 'succeeded'])
    const badly = await live.start(`
      steps:
        - {name: a, command: exit 3, repeatPolicy: {repeat: until, exitCode: [0], intervalSec: 600}}
        - {name: b, command: echo x}
    `)
    await waiting(badly)
    await live.engine.stop(badly)
    const failed = await live.ended(badly)
    expect([failed.status, ...failed.statuses]).to.deep.equal(['canceled', 'failed', 'not_started'])
  })

  it('after maxCleanUpTimeSec it is killed like others', async function () {
    this.retries(WHEN_BUSY)
    const folder = temporaryFolder()
    const key = await live.start(`
      workingDir: ${folder}
      maxCleanUpTimeSec: 1
      steps: [{name: a, command: touch begun; sleep 60, repeatPolicy: {repeat: true}}]
    `)
    await eventually('the pass', () => existsSync(join(folder, 'begun')) || undefined)
    const before = Date.now()
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(Date.now() - before).to.be.within(1_000, 2_500)
    expect(run.node('a')).to.include({ status: 'canceled', error: 'signal: killed', doneCount: 0 })
    expect(run.status).to.equal('canceled')
  })

  it('7.1.1 a run timeout ends a pass and a wait like any other node', async () => {
    const run = await live.run(`
      type: graph
      timeoutSec: 1
      steps:
        - {name: pass, command: exec sleep 60, repeatPolicy: {repeat: true}}
        - {name: wait, command: echo x, repeatPolicy: {repeat: true, intervalSec: 600}}
    `)
    expect([run.status, ...run.statuses]).to.deep.equal(['failed', 'canceled', 'canceled'])
    expect(run.node('pass').error).to.equal('signal: terminated')
  })
})
