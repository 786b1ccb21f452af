/** Time limits, concurrency, stop. Source: execution-semantics 7. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { liveEngine, textOf } from '../support/live.ts'
import { gone, lives, pidIn } from '../support/processes.ts'
import { eventually, WHEN_BUSY } from '../support/waiting.ts'

const since = (at: number) => Date.now() - at

describe('time limits', () => {
  const live = liveEngine()

  it('7.1.1 timeoutSec of the DAG: running steps are ended and canceled, pending ones canceled, run failed; 7.1.3 handlers failure and exit run', async function () {
    this.retries(WHEN_BUSY)
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      timeoutSec: 1
      handlerOn: {failure: echo $DAG_RUN_STATUS, exit: 'sleep 0.2; echo $DAG_RUN_STATUS', cancel: echo no}
      steps:
        - {name: quick, command: "true"}
        - [{name: long, command: "echo $$ >long; sleep 60"}, {name: retries, command: exit 3, retryPolicy: {limit: 9, intervalSec: 60}}]
        - {name: pending, command: echo no}
    `)
    expect(run.status).to.equal('failed')
    expect(run.run.error).to.equal('run timed out after 1s')
    expect(run.statuses).to.deep.equal(['succeeded', 'canceled', 'canceled', 'canceled'])
    expect(run.node('pending').error).to.equal('run timed out')
    expect([run.out('onFailure'), run.out('onExit'), run.node('onCancel').status]).to.deep.equal([
      'failed\n',
      'failed\n',
      'not_started'
    ])
    expect((run.run.finishedAt ?? 0) - (run.run.startedAt ?? 0)).to.be.within(1_000, 2_500)
    await gone(await pidIn(join(folder, 'long')))
  })

  it('7.1.1 timeoutSec counts from the start of the run, preconditions included; 5.6.11 it is the time limit of a condition', async () => {
    const folder = temporaryFolder()
    const spec = (conditions: string) => `
      workingDir: ${folder}
      timeoutSec: 1
      handlerOn: {failure: echo $DAG_RUN_STATUS, exit: echo $DAG_RUN_STATUS, cancel: echo no}
      ${conditions}`
    const [dag, step] = await Promise.all([
      live.run(spec('preconditions: ["echo $$ >dag; exec sleep 60"]\n      steps: [echo no]')),
      live.run(spec('steps: [{command: echo no, preconditions: ["echo $$ >step; exec sleep 60"]}, echo no]'))
    ])
    for (const run of [dag, step]) {
      expect([run.status, run.run.error]).to.deep.equal(['failed', 'run timed out after 1s'])
      expect(new Set(run.statuses)).to.deep.equal(new Set(['canceled']))
      expect([run.out('onFailure'), run.out('onExit'), run.node('onCancel').status]).to.deep.equal([
        'failed\n',
        'failed\n',
        'not_started'
      ])
    }
    for (const name of ['dag', 'step']) await gone(await pidIn(join(folder, name)))
  })

  it('7.1.2 steps that run out of time get signalOnStop, then SIGKILL after maxCleanUpTimeSec', async function () {
    this.retries(WHEN_BUSY)
    const run = await live.run(`
      timeoutSec: 1
      maxCleanUpTimeSec: 1
      type: graph
      steps:
        - name: polite
          signalOnStop: SIGUSR1
          command: 'trap "echo cleaned; exit 0" USR1; while :; do sleep 0.05; done'
        - name: stubborn
          command: 'trap "" TERM; while :; do sleep 0.05; done'
    `)
    expect(run.out('polite')).to.equal('cleaned\n')
    expect(run.node('stubborn')).to.include({ status: 'canceled', signal: 'killed' })
    expect((run.run.finishedAt ?? 0) - (run.run.startedAt ?? 0)).to.be.within(2_000, 3_500)
  })

  it('7.1.4 step timeoutSec: failed, exit code 124, error, dependents by continueOn; one that ends in time is left alone', async function () {
    this.retries(WHEN_BUSY)
    const run = await live.run(`
      maxCleanUpTimeSec: 1
      type: graph
      steps:
        - {name: late, command: sleep 60, timeoutSec: 1, continueOn: {exitCode: 124}}
        - {name: stubborn, command: 'trap "" TERM; while :; do sleep 0.05; done', timeoutSec: 1}
        - {name: next, depends: late, command: echo yes}
        - {name: canceled, depends: stubborn, command: echo no}
        - {name: in time, command: echo yes, timeoutSec: 1}
    `)
    expect(run.node('late')).to.include({ status: 'failed', exitCode: 124, doneCount: 1 })
    expect(run.node('late').error).to.match(/^step timed out after 1(\.\d)?s \(timeout: 1s\)$/)
    expect(run.node('stubborn')).to.include({ status: 'failed', exitCode: 124 })
    expect((run.node('stubborn').finishedAt ?? 0) - (run.node('stubborn').startedAt ?? 0)).to.be.within(2_000, 3_500)
    expect([run.node('next').status, run.node('canceled').status, run.node('in time').status]).to.deep.equal([
      'succeeded',
      'canceled',
      'succeeded'
    ])
  })

  it('7.1.4 the clock is per execution: each retry starts a new one; 7.1.6 timeoutSec on a handler works', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      steps:
        - name: thrice
          command: sleep 0.5; echo x >>tries; [ $(wc -l <tries) -eq 3 ]
          timeoutSec: 1
          retryPolicy: {limit: 2}
      handlerOn: {exit: {command: sleep 60, timeoutSec: 1}}
    `)
    expect(run.node('thrice')).to.include({ status: 'succeeded', retryCount: 2 })
    expect(run.node('onExit')).to.include({ status: 'failed', exitCode: 124 })
    expect(run.status).to.equal('failed')
  })
})

describe('concurrency inside and between runs', () => {
  const live = liveEngine()

  it('7.2.1 maxActiveSteps: number of running nodes; ready nodes start in definition order', async () => {
    const step = (name: string) => `
        - {name: ${name}, command: "echo ${name} + >>log; sleep 0.1; echo ${name} - >>log"}`
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      type: graph
      maxActiveSteps: 2
      steps:${['a', 'b', 'c', 'd', 'e'].map(step).join('')}
    `)
    expect(run.status).to.equal('succeeded')
    const lines = textOf(join(folder, 'log')).trim().split('\n')
    let running = 0
    const widths = lines.map((line) => (running += line.endsWith('+') ? 1 : -1))
    expect(Math.max(...widths)).to.equal(2)
    const starts = run.nodes.map(({ node }) => node.startedAt ?? 0)
    expect(starts).to.deep.equal([...starts].sort((a, b) => a - b))
  })

  it('unlimited by default: every ready node starts at once', async function () {
    this.retries(WHEN_BUSY)
    const run = await live.run(`
      type: graph
      steps: [${Array.from({ length: 12 }, () => 'sleep 0.3').join(', ')}]
    `)
    expect((run.run.finishedAt ?? 0) - (run.run.startedAt ?? 0)).to.be.below(1_500)
  })

  it('7.2.3 maxActiveRuns under parallel requests: exactly so many start, the others are refused with max_run_reached; 1 is the default', async () => {
    const folder = temporaryFolder()
    for (const [limit, field] of [
      [1, ''],
      [1, 'maxActiveRuns: 0'],
      [3, 'maxActiveRuns: 3']
    ] as const) {
      const name = `limited-${limit}-${field.length}`
      const spec = `${field}\nname: ${name}\nsteps: ["while [ ! -e ${folder}/${name} ]; do sleep 0.02; done"]`
      const results = await Promise.allSettled(Array.from({ length: 10 }, () => live.engine.start({ spec })))
      const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      expect(started, name).to.have.length(limit)
      for (const error of refused)
        expect(error).to.deep.include({ code: 'max_run_reached', details: { limit, running: limit, queued: 0 } })
      writeFileSync(join(folder, name), '')
      const runs = await Promise.all(started.map((key) => live.ended(key)))
      expect(runs.map(({ status }) => status)).to.deep.equal(started.map(() => 'succeeded'))
      const next = await live.ended(await live.engine.start({ spec }))
      expect(next.status, 'slots are free again').to.equal('succeeded')
    }
  })

  it('7.2.3 singleton and one running is refused, also under parallel requests; 7.2.5 negative maxActiveRuns: always starts at once', async () => {
    const folder = temporaryFolder()
    const spec = `name: single\nmaxActiveRuns: -1\nsteps: ["while [ ! -e ${folder}/go ]; do sleep 0.02; done"]`
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => live.engine.start({ spec, singleton: true }))
    )
    const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(started).to.have.length(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).to.have.property('code', 'max_run_reached')
    const more = await Promise.all([live.engine.start({ spec }), live.engine.start({ spec })])
    writeFileSync(join(folder, 'go'), '')
    const runs = await Promise.all([...started, ...more].map((key) => live.ended(key)))
    expect(runs.map(({ status }) => status)).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
  })

  it('7.2.3 singleton of a stored definition is refused with already_running; 1.1.8 an id that exists: already_exists', async () => {
    const folder = temporaryFolder()
    live.engine.createDefinition(
      'stored',
      `maxActiveRuns: 5\nsteps: ["while [ ! -e ${folder}/go ]; do sleep 0.02; done"]`
    )
    const key = await live.engine.start({ fileName: 'stored', dagRunId: 'one' })
    const refused = await live.engine.start({ fileName: 'stored', singleton: true }).catch((error) => error)
    expect(refused).to.have.property('code', 'already_running')
    const again = await live.engine.start({ fileName: 'stored', dagRunId: 'one' }).catch((error) => error)
    expect(again).to.have.property('code', 'already_exists')
    writeFileSync(join(folder, 'go'), '')
    expect((await live.ended(key)).status).to.equal('succeeded')
    const ended = await live.engine.start({ fileName: 'stored', dagRunId: 'one' }).catch((error) => error)
    expect(ended).to.have.property('code', 'already_exists')
  })
})

describe('stop', () => {
  const live = liveEngine()

  /** Starts a run and waits until its step has written its pid. */
  async function started(spec: string, folder = temporaryFolder()) {
    const key = await live.start(`\n      workingDir: ${folder}${spec}`)
    return { key, folder, pid: await pidIn(join(folder, 'pid')) }
  }

  it('7.3.1 no new node starts, running nodes get SIGTERM; 7.3.4 pending nodes stay not_started; 7.3.6 handlers cancel, then exit; 7.3.7 error', async () => {
    const { key, pid, folder } = await started(`
      handlerOn: {cancel: echo $DAG_RUN_STATUS; date +%s%N >cancel, exit: echo $DAG_RUN_STATUS; date +%s%N >exit, failure: echo no}
      steps:
        - {name: ends, command: "true"}
        - {name: runs, command: "echo $$ >pid; exec sleep 60"}
        - {name: pending, command: echo no}
    `)
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(run.status).to.equal('canceled')
    expect(run.statuses).to.deep.equal(['succeeded', 'canceled', 'not_started'])
    expect(run.node('runs')).to.include({ error: 'signal: terminated', signal: 'terminated', exitCode: -1 })
    expect([run.out('onCancel'), run.out('onExit'), run.node('onFailure').status]).to.deep.equal([
      'canceled\n',
      'canceled\n',
      'not_started'
    ])
    expect(Number(textOf(join(folder, 'exit')))).to.be.above(Number(textOf(join(folder, 'cancel'))))
    expect(run.run.finishedAt, '8.11 after the last handler').to.be.at.least(
      run.node('onExit').finishedAt ?? Number.NaN
    )
    expect(lives(pid)).to.equal(false)
  })

  it('7.3.1 status turns canceled at once, before the process is gone; the run stays running until then', async () => {
    const { key, folder } = await started(`
      steps:
        - {name: slow, command: 'trap "echo asked >asked; while [ ! -e go ]; do sleep 0.02; done; exit 5" TERM; echo $$ >pid; while :; do sleep 0.02; done'}
    `)
    await live.engine.stop(key)
    await eventually('the signal', () => textOf(join(folder, 'asked')) || undefined)
    expect(live.engine.run(key)?.nodes[0]?.node.status).to.equal('canceled')
    expect(live.engine.record(key)?.status).to.equal('running')
    writeFileSync(join(folder, 'go'), '')
    const run = await live.ended(key)
    expect([run.status, run.node('slow').status, run.node('slow').exitCode]).to.deep.equal(['canceled', 'canceled', 5])
  })

  it('7.3.1 signalOnStop replaces SIGTERM; SIGINT is not ignored', async () => {
    const { key } = await started(`
      type: graph
      steps:
        - {name: usr1, signalOnStop: SIGUSR1, command: 'trap "echo usr1; exit 0" USR1; trap "echo term" TERM; while :; do sleep 0.02; done'}
        - {name: int, signalOnStop: SIGINT, command: 'trap "echo int; exit 0" INT; echo $$ >pid.new; mv pid.new pid; while :; do sleep 0.02; done'}
        - {name: plain int, signalOnStop: SIGINT, command: exec sleep 60}
        - {name: hup, signalOnStop: SIGHUP, command: exec sleep 60}
    `)
    await eventually('all of them', () => {
      const nodes = live.engine.run(key)?.nodes ?? []
      return nodes.every(({ node }) => node.status === 'running') ? true : undefined
    })
    await new Promise((resolve) => setTimeout(resolve, 100)) // until the traps are set
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect([run.out('usr1'), run.out('int')]).to.deep.equal(['usr1\n', 'int\n'])
    expect(run.node('plain int')).to.include({ signal: 'interrupt', error: 'signal: interrupt' })
    expect(run.node('hup')).to.include({ signal: 'hangup', exitCode: -1 })
  })

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

  it('7.3.3 grandchildren that ignore SIGTERM are killed too when their leader has gone already', async () => {
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

  it('5.5 a stop that arrives when all nodes ended well: succeeded; 7.3.6 a second stop ends the handler at work', async () => {
    const { key } = await started(`
      handlerOn: {success: 'echo $$ >pid; exec sleep 60', exit: echo $DAG_RUN_STATUS}
      steps: ["true"]
    `)
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect(run.status).to.equal('succeeded')
    expect(run.node('onSuccess')).to.include({ status: 'canceled', signal: 'terminated' })
    expect(run.out('onExit')).to.equal('succeeded\n')
  })

  it('a stop while the preconditions of the DAG are looked at: canceled, handlers cancel and exit', async () => {
    const { key, pid } = await started(`
      preconditions: ["echo $$ >pid; exec sleep 60"]
      handlerOn: {cancel: echo $DAG_RUN_STATUS, exit: echo $DAG_RUN_STATUS}
      steps: [echo no]
    `)
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect([run.status, ...run.statuses]).to.deep.equal(['canceled', 'not_started'])
    expect([run.out('onCancel'), run.out('onExit')]).to.deep.equal(['canceled\n', 'canceled\n'])
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
