/** Lifecycle handlers. Source: execution-semantics 8. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('handlers', () => {
  const live = liveEngine()
  const all = `
      handlerOn:
        success: echo success $DAG_RUN_STATUS >>order
        failure: echo failure $DAG_RUN_STATUS >>order
        cancel: echo cancel $DAG_RUN_STATUS >>order
        exit: echo exit $DAG_RUN_STATUS >>order`

  it('8.1 exactly one of success / failure / cancel, then exit; 8.2 which of them; 8.3 after every node has ended, also without steps', async () => {
    const order = async (rest: string) => {
      const folder = temporaryFolder()
      await live.run(`\n      workingDir: ${folder}${all}${rest}`)
      return textOf(join(folder, 'order'))
    }
    expect(await order('\n      steps: [sleep 0.1; echo step >>order]')).to.equal(
      'step\nsuccess succeeded\nexit succeeded\n'
    )
    expect(await order('\n      steps: [{command: exit 1, continueOn: {failure: true}}, "true"]')).to.equal(
      'success partially_succeeded\nexit partially_succeeded\n'
    )
    expect(await order('\n      steps: [exit 1, echo step >>order]')).to.equal('failure failed\nexit failed\n')
    expect(await order('\n      preconditions: ["false"]\n      steps: [echo step >>order]')).to.equal(
      'cancel canceled\nexit canceled\n'
    )
    expect(await order('')).to.equal('success succeeded\nexit succeeded\n')
  })

  it('8.5 names onSuccess, onFailure, onCancel, onExit whatever name says; an id is kept; 8.10 logs like steps; not_started otherwise', async () => {
    const run = await live.run(`
      handlerOn:
        success: {name: mine, id: done, command: echo out; echo err >&2}
        failure: {name: mine, command: echo no}
        exit: cat "\${done.stdout}"; echo "\${done.exitCode}"
      steps: ["true"]
    `)
    expect(Object.keys(run.handlers)).to.have.members(['onSuccess', 'onFailure', 'onExit'])
    expect([run.out('onSuccess'), run.err('onSuccess'), run.out('onExit')]).to.deep.equal([
      'out\n',
      'err\n',
      'out\n0\n'
    ])
    expect(run.node('onFailure')).to.deep.equal({
      step: 'onFailure',
      status: 'not_started',
      retryCount: 0,
      doneCount: 0
    })
  })

  it('8.7 handlers see all outputs of all nodes, all step ids, params, env; their own env is applied; exit sees the output of the handler before it', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      type: graph
      workingDir: ${folder}
      params: P=param
      env: {E: env}
      steps:
        - {name: one, id: first, command: echo 1, output: ONE}
        - {name: two, command: echo 2; exit 3, output: TWO}
      handlerOn:
        failure: {command: echo from failure, output: HANDLER}
        exit:
          dir: sub
          env: {OWN: "own \${ONE}"}
          command: 'echo "\${ONE} \${TWO} \${HANDLER} \${P} $E $OWN $(cat "\${first.stdout}") $PWD"'
          stdout: copy.txt
    `)
    expect(run.out('onExit')).to.equal(`1 2 from failure param env own 1 1 ${folder}/sub\n`)
    expect(textOf(join(folder, 'sub/copy.txt'))).to.equal(run.out('onExit'))
  })

  it('8.8 depends and continueOn on a handler are ignored; retryPolicy and preconditions are honoured', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      steps: ["true"]
      handlerOn:
        success: {command: "echo x >>tries; [ $(wc -l <tries) -eq 2 ]", retryPolicy: {limit: 3}}
        exit: {command: echo no, preconditions: ["false"]}
    `)
    expect(run.node('onSuccess')).to.include({ status: 'succeeded', retryCount: 1 })
    expect(run.node('onExit').status).to.equal('skipped')
    expect(run.status).to.equal('succeeded')
    const marked = await live.run(`
      steps: ["true"]
      handlerOn: {success: {command: exit 3, continueOn: {failure: true, markSuccess: true}}}
    `)
    expect(marked.status).to.equal('failed')
  })

  it('8.9 a failing handler: its node failed, the following exit handler still runs; a failing set-up is an error', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'taken'))
    const run = await live.run(`
      workingDir: ${folder}
      steps: ["true"]
      handlerOn:
        success: {command: echo no, stdout: taken}
        exit: echo $DAG_RUN_STATUS
    `)
    expect(run.node('onSuccess').status).to.equal('failed')
    expect(run.node('onSuccess').error).to.contain(join(folder, 'taken'))
    expect(run.out('onExit')).to.equal('failed\n')
    expect(run.status).to.equal('failed')
  })

  it('8.4 they do not run when the run never got going; the run is failed, nodes not_started', async () => {
    const run = await live.run(`
      env: [{BAD: "\`echo why >&2; exit 3\`"}]
      handlerOn: {failure: echo no, exit: echo no}
      steps: [echo no]
    `)
    expect([run.status, ...run.statuses]).to.deep.equal(['failed', 'not_started'])
    expect(run.run.error).to.contain("field 'env': BAD cannot be evaluated").and.to.contain('exit status 3\nwhy')
    expect([run.node('onFailure').status, run.node('onExit').status]).to.deep.equal(['not_started', 'not_started'])
  })

  it('8.11 run finishedAt is set after the last handler', async () => {
    const run = await live.run('{steps: ["true"], handlerOn: {success: sleep 0.1, exit: sleep 0.1}}')
    expect(run.run.finishedAt).to.be.at.least(run.node('onExit').finishedAt ?? Number.NaN)
    expect(run.node('onExit').startedAt ?? 0).to.be.at.least(run.node('onSuccess').finishedAt ?? Number.NaN)
    expect((run.run.finishedAt ?? 0) - (run.run.startedAt ?? 0)).to.be.at.least(200)
  })
})
