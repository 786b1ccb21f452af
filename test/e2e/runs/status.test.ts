/** Which node and run ends how. Source: execution-semantics 1.3, 1.4, 5.2, 5.5. */
import { statSync } from 'node:fs'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('node statuses', () => {
  const live = liveEngine()

  it('5.2 a dependency is failed and may not continue: canceled, upstream failed, no log files, no startedAt', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: fails, command: exit 3}
        - {name: next, depends: fails, command: echo no}
        - {name: after next, depends: next, command: echo no}
        - {name: apart, command: echo yes}
    `)
    expect(run.statuses).to.deep.equal(['failed', 'canceled', 'canceled', 'succeeded'])
    expect([run.node('next').error, run.node('after next').error]).to.deep.equal([
      'upstream failed',
      'upstream canceled'
    ])
    for (const name of ['next', 'after next'])
      expect(run.node(name)).not.to.have.any.keys('startedAt', 'stdout', 'stderr', 'finishedAt')
    expect(run.status).to.equal('failed')
    expect(run.node('fails')).to.include({ exitCode: 3, doneCount: 1, retryCount: 0 })
    expect(run.node('apart')).to.include({ exitCode: 0, doneCount: 1 }).and.have.any.keys('startedAt')
  })

  it('5.2 precondition not met: skipped, log files exist and are empty, finishedAt set, error empty; a dependent is skipped: upstream skipped', async () => {
    const run = await live.run(`
      steps:
        - {name: skipped, command: echo no, preconditions: ["false"]}
        - {name: next, command: echo no}
        - {name: after next, command: echo no}
    `)
    expect(run.statuses).to.deep.equal(['skipped', 'skipped', 'skipped'])
    expect(run.status, 'all nodes skipped: succeeded').to.equal('succeeded')
    const node = run.node('skipped')
    expect(node).to.have.any.keys('startedAt').and.have.any.keys('finishedAt')
    expect(node).not.to.have.property('error')
    expect([node.stdout, node.stderr].map((path) => statSync(path ?? '').size)).to.deep.equal([0, 0])
    for (const name of ['next', 'after next'])
      expect(run.node(name)).to.include({ error: 'upstream skipped' }).and.not.have.any.keys('startedAt')
  })

  it('5.2 several dependencies: a node is resolved when every dependency is terminal; canceled beats skipped', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: fails, command: exit 1}
        - {name: canceled, depends: fails, command: echo no}
        - {name: skipped, command: echo no, preconditions: ["false"]}
        - {name: waits, depends: [skipped, slow], command: echo no}
        - {name: slow, command: sleep 0.2}
        - {name: both, depends: [canceled, skipped], command: echo no}
        - {name: turned, depends: [skipped, canceled], command: echo no}
    `)
    expect(run.node('both')).to.include({ status: 'canceled', error: 'upstream canceled' })
    expect(run.node('turned')).to.include({ status: 'canceled', error: 'upstream canceled' })
    expect(run.node('waits')).to.include({ status: 'skipped', error: 'upstream skipped' })
  })

  it('5.2 retry settings that cannot be prepared: failed, the run fails', async () => {
    const run = await live.run('steps: [{name: odd, command: echo no, retryPolicy: {limit: "${UNSET}x"}}, echo no]')
    expect(run.statuses).to.deep.equal(['failed', 'canceled'])
    expect(run.node('odd').error).to.equal('retryPolicy.limit: wanted an integer from 0, found "x"')
    expect(run.status).to.equal('failed')
  })

  it('1.4 chain: each step depends on the previous one; graph: only explicit depends; 1.4.3 depends: [] removes it for that step', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      name: described
      description: of a run
      group: Tests
      tags: One, TWO
      workingDir: ${folder}
      steps:
        - [sleep 0.1; echo 1 >>order, sleep 0.1; echo 1 >>order]
        - {name: second, id: two, description: of a step, command: echo 2 >>order}
        - {name: free, depends: [], command: echo 0 >>order}
        - {name: last, depends: two, command: echo 3 >>order; cat order}
    `)
    expect(run.out('last')).to.equal('0\n1\n1\n2\n3\n')
    expect(run.plan).to.include({ name: 'described', description: 'of a run', group: 'Tests', type: 'chain' })
    expect(run.plan.tags).to.deep.equal(['one', 'two'])
    expect(run.nodes.map(({ step }) => step.depends)).to.deep.equal([
      [],
      [],
      ['cmd_1', 'cmd_2'],
      [],
      ['second', 'free']
    ])
    expect(run.nodes[2]?.step).to.include({ id: 'two', description: 'of a step' })
  })

  it('1.3.4 steps missing: the run ends succeeded at once and fires success and exit handlers', async () => {
    const run = await live.run('handlerOn: {success: echo yes, exit: echo $DAG_RUN_STATUS, failure: echo no}')
    expect(run.status).to.equal('succeeded')
    expect([run.out('onSuccess'), run.out('onExit'), run.node('onFailure').status]).to.deep.equal([
      'yes\n',
      'succeeded\n',
      'not_started'
    ])
  })
})

describe('run status at the end', () => {
  const live = liveEngine()

  it('5.5 partially_succeeded: failed nodes with matching continueOn only, and at least one node succeeded; without one: failed', async () => {
    const failing = '{name: fails, command: exit 3, continueOn: {failure: true}}'
    const partial = await live.run(
      `{handlerOn: {success: echo yes, exit: echo $DAG_RUN_STATUS}, steps: [${failing}, echo yes]}`
    )
    expect(partial.status).to.equal('partially_succeeded')
    expect([partial.out('onSuccess'), partial.out('onExit')]).to.deep.equal(['yes\n', 'partially_succeeded\n'])
    const skipping = '{name: skipped, command: echo no, preconditions: ["false"]}'
    const none = await live.run(`{type: graph, steps: [${failing}, ${skipping}]}`)
    expect(none.status).to.equal('failed')
  })

  it('5.5 handlers can change the result once: succeeded + failing handler = failed; partially_succeeded and canceled stay', async () => {
    const failed = await live.run('{handlerOn: {success: exit 3, exit: echo $DAG_RUN_STATUS}, steps: [echo yes]}')
    expect(failed.status).to.equal('failed')
    expect(failed.out('onExit'), '8.6 exit sees failed when the success handler failed').to.equal('failed\n')
    const partial = await live.run(`
      handlerOn: {exit: exit 3}
      steps: [{name: fails, command: exit 3, continueOn: {failure: true}}, echo yes]
    `)
    expect(partial.status).to.equal('partially_succeeded')
    const canceled = await live.run('{handlerOn: {cancel: exit 3}, preconditions: ["false"], steps: [echo no]}')
    expect(canceled.status).to.equal('canceled')
  })
})
