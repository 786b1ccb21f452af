/** What ends a run or a step that takes too long, and how. Source: execution-semantics 7.1. */
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone, pidIn } from '../../support/processes.ts'
import { WHEN_BUSY } from '../../support/waiting.ts'

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
