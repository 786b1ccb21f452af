/** What a stop does to steps, their processes, handlers and the run. Source: execution-semantics 7.3. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone, lives, pidIn } from '../../support/processes.ts'
import { WHEN_BUSY } from '../../support/waiting.ts'

const since = (at: number) => Date.now() - at

describe('stop', () => {
  const live = liveEngine()

  /** Starts a run and waits until its step has written its pid. */
  async function started(spec: string, folder = temporaryFolder()) {
    const key = await live.start(`\n      workingDir: ${folder}${spec}`)
    return { key, folder, pid: await pidIn(join(folder, 'pid')) }
  }

  it('7.3.3 maxCleanUpTimeSec after the request: SIGKILL; a step that ignores SIGTERM is killed, with its children', async function () {
    this.retries(WHEN_BUSY)
    const { key, pid, folder } = await started(`
      maxCleanUpTimeSec: 1
      steps:
        - {name: stubborn, command: 'trap "" TERM; sh -c "echo \\$\\$ >child; while :; do sleep 0.05; done" & echo $$ >pid; while :; do sleep 0.05; done'}
    `)
    const child = await pidIn(join(folder, 'child'))
    const at = Date.now()
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(since(at)).to.be.within(1_000, 2_000)
    expect(run.node('stubborn')).to.include({ status: 'canceled', error: 'signal: killed', signal: 'killed' })
    expect([lives(pid), lives(child)]).to.deep.equal([false, false])
  })

  it('4.1.9 signals reach the whole tree: grandchildren end with the step, and the run does not end before them', async () => {
    const { key, pid, folder } = await started(`
      steps:
        - {name: parent, command: 'sleep 60 & echo $! >child; sh -c "sleep 60 & echo \\$! >grandchild; wait" & echo $$ >pid; wait'}
    `)
    const pids = [pid, await pidIn(join(folder, 'child')), await pidIn(join(folder, 'grandchild'))]
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(run.status).to.equal('canceled')
    expect(pids.filter(lives)).to.deep.equal([])
  })

  it('7.3.3 grandchildren that ignore SIGTERM are killed too when their leader is gone already', async () => {
    const { key, folder } = await started(`
      maxCleanUpTimeSec: 1
      steps:
        - {name: leader, command: '(trap "" TERM; sh -c "echo \\$\\$ >child; exec sleep 60") & echo $$ >pid; wait'}
    `)
    const child = await pidIn(join(folder, 'child'))
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(run.node('leader')).to.include({ status: 'canceled', signal: 'terminated' })
    expect(lives(child)).to.equal(false)
  })

  it('a stop that comes together with the start of a step ends it at once', async function () {
    this.retries(WHEN_BUSY)
    for (const wait of [0, 1, 2, 3, 5, 8, 13]) {
      const key = await live.start('{type: graph, steps: [exec sleep 60, exec sleep 60], maxCleanUpTimeSec: 10}')
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      const at = Date.now()
      await live.engine.stop(key)
      const run = await live.ended(key)
      expect(run.status).to.equal('canceled')
      expect(since(at), `after ${wait} ms`).to.be.below(1_500)
    }
  })

  it('5.5 a stop that arrives when all nodes ended well: succeeded; 7.3.6 it never cuts a handler', async () => {
    const { key, folder } = await started(`
      handlerOn: {success: 'echo $$ >pid; while [ ! -e go ]; do sleep 0.02; done', exit: echo $DAG_RUN_STATUS}
      steps: ["true"]
    `)
    await live.engine.stop(key)
    await live.engine.stop(key)
    writeFileSync(join(folder, 'go'), '')
    const run = await live.ended(key)
    expect([run.status, run.node('onSuccess').status, run.out('onExit')]).to.deep.equal([
      'succeeded',
      'succeeded',
      'succeeded\n'
    ])
  })

  it('7.3.6 stop with force kills a step that ignores SIGTERM at once, and begins no handler', async function () {
    this.retries(WHEN_BUSY)
    const { key, pid } = await started(`
      maxCleanUpTimeSec: 60
      handlerOn: {cancel: echo no, exit: echo no}
      steps: ['trap "" TERM; echo $$ >pid; while :; do sleep 0.02; done']
    `)
    const at = Date.now()
    await live.engine.stop(key, { force: true })
    const run = await live.ended(key)
    expect(since(at)).to.be.below(1_500)
    expect([run.status, run.node('onCancel').status, run.node('onExit').status]).to.deep.equal([
      'canceled',
      'not_started',
      'not_started'
    ])
    await gone(pid)
  })

  it('7.3.6 force reaches the handlers of sub DAG runs', async function () {
    this.retries(WHEN_BUSY)
    const folder = temporaryFolder()
    const inner = `
---
name: inner
workingDir: ${folder}
handlerOn: {success: 'trap "" TERM; echo $$ >pid; while :; do sleep 0.02; done', exit: echo no}
steps: ["true"]
`
    const { key, pid } = await started(`\n      steps: [{call: inner}]${inner}`, folder)
    const at = Date.now()
    await live.engine.stop(key, { force: true })
    expect((await live.ended(key)).status).to.equal('canceled')
    expect(since(at)).to.be.below(2_000)
    await gone(pid)
  })

  it('7.3.9 stop is immediate; a second stop while steps end changes nothing', async function () {
    this.retries(WHEN_BUSY)
    const { key, folder } = await started(`
      steps: [{name: slow, command: 'trap "echo asked >>asked; while [ ! -e go ]; do sleep 0.02; done; exit 0" TERM; echo $$ >pid; while :; do sleep 0.02; done'}]
    `)
    const at = Date.now()
    await live.engine.stop(key)
    await live.engine.stop(key)
    expect(since(at)).to.be.below(500)
    writeFileSync(join(folder, 'go'), '')
    expect((await live.ended(key)).status).to.equal('canceled')
  })
  it('7.3.8 stop of a run that has ended: not_running; of one that is not there: not_found', async () => {
    const run = await live.run('steps: ["true"]')
    const ended = await live.engine.stop(run.run).catch((error) => error)
    expect(ended).to.have.property('code', 'not_running')
    const missing = await live.engine.stop({ name: 'nobody', dagRunId: 'x' }).catch((error) => error)
    expect(missing).to.have.property('code', 'not_found')
  })
})
