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
})
