/** Which node and run ends how. Source: execution-semantics 5. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { liveEngine } from '../support/live.ts'
import { gone, pidIn } from '../support/processes.ts'

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

  it('5.2 several dependencies: a node is settled when every dependency is terminal; canceled beats skipped', async () => {
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

describe('continueOn', () => {
  const live = liveEngine()
  /** A step that fails with `continueOn`, and one that depends on it. */
  const pair = (name: string, continueOn: string, command = 'echo out line; echo err line >&2; exit 3') => `
        - {name: ${name}, command: '${command}', continueOn: ${continueOn}}
        - {name: after ${name}, depends: ${name}, command: echo yes}`

  it('5.4 failure, exitCode, output (text and re:), any match suffices; stderr is not searched', async () => {
    const run = await live.run(`
      type: graph
      steps:${[
        pair('failure', '{failure: true}'),
        pair('code', '{exitCode: [2, 3]}'),
        pair('single code', '{exitCode: "3"}'),
        pair('other code', '{exitCode: [0, 4]}'),
        pair('text', '{output: t li}'),
        pair('list', '{output: [nothing, "re:^out +l"]}'),
        pair('anchored', '{output: ["re:^line", "re:out$"]}'),
        pair('stderr', '{output: err}'),
        pair('either', '{exitCode: 9, output: out}'),
        pair('nothing', '{skipped: true, markSuccess: true}')
      ].join('')}
    `)
    const continued = run.nodes.filter(({ node }) => node.continues).map(({ step }) => step.name)
    const released = run.nodes.filter(({ node }) => node.status === 'succeeded').map(({ step }) => step.name)
    expect(continued).to.deep.equal(['failure', 'code', 'single code', 'text', 'list', 'either'])
    expect(released).to.deep.equal(continued.map((name) => `after ${name}`))
    expect(run.status, 'a failed node without a match').to.equal('failed')
  })

  it('5.4 skipped: true releases the dependents of a skipped step', async () => {
    const run = await live.run(`
      steps:
        - {name: skipped, command: echo no, preconditions: ["false"], continueOn: {skipped: true}}
        - {name: next, command: echo yes}
    `)
    expect(run.statuses).to.deep.equal(['skipped', 'succeeded'])
    expect(run.status).to.equal('succeeded')
  })

  it('5.4 markSuccess: nothing by itself; with a failure match the node becomes succeeded, its error text is kept; all marked: succeeded', async () => {
    const run = await live.run(`
      steps:
        - {name: marked, command: exit 3, continueOn: {exitCode: 3, markSuccess: true}}
        - {name: next, command: echo yes}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded'])
    expect(run.node('marked')).to.include({ exitCode: 3, error: 'failed to execute step "marked": exit status 3' })
    expect(run.status).to.equal('succeeded')
    const alone = await live.run('steps: [{name: alone, command: exit 3, continueOn: {markSuccess: true}}]')
    expect(alone.statuses).to.deep.equal(['failed'])
  })

  it('5.4.2 output searches the log of all attempts of this run; 5.4.3 markSuccess after refused retries', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      type: graph
      steps:
        - name: first attempt
          command: '[ -e tried ] || echo needle; touch tried; exit 3'
          retryPolicy: {limit: 1}
          continueOn: {output: needle}
        - name: refused retry
          command: exit 3
          retryPolicy: {limit: 5, exitCodes: [4]}
          continueOn: {failure: true, markSuccess: true}
    `)
    expect(run.node('first attempt')).to.include({ status: 'failed', retryCount: 1, continues: true })
    expect(run.node('refused retry')).to.include({ status: 'succeeded', retryCount: 0 })
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

describe('preconditions', () => {
  const live = liveEngine()
  const errors = (conditions: { error: string }[] | undefined) => conditions?.map(({ error }) => error)

  it('5.6.1 all entries are evaluated, in order, even after one failed; 5.6.6 messages', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      params: X=value
      steps:
        - name: step
          command: echo no
          preconditions:
            - echo 1 >>order
            - {condition: "\${X}", expected: other}
            - {command: echo 2 >>order; exit 4}
            - {condition: "\`echo 3 >>order; printf 'a b'\`", expected: "a b"}
            - {condition: "kill -KILL $$"}
          continueOn: {skipped: true}
        - {name: looks, command: cat order}
    `)
    expect(run.out('looks')).to.equal('1\n2\n3\n')
    expect(errors(run.node('step').conditions)).to.deep.equal([
      'other condition was not met',
      'condition was not met: expected "other", got "value"',
      'condition was not met: exit status 4',
      'other condition was not met',
      'condition was not met: signal: killed'
    ])
    expect(run.node('step').conditions?.map(({ matched }) => matched)).to.deep.equal([true, false, false, true, false])
    expect(run.node('step')).to.include({ status: 'skipped' }).and.not.have.property('error')
  })

  it('5.6.2 compared line by line, one equal line suffices, exact, no trimming; re: searched unanchored in each line; 5.6.3 empty values', async () => {
    const met = (condition: string, expected: string) => `{condition: "${condition}", expected: "${expected}"}`
    const all = [
      met("`printf 'one\\\\ntwo'`", 'two'),
      met('Value', 're:(?i)^value$'),
      met('some value', 're:val'),
      met('${UNSET}', 're:^$')
    ]
    const none = [
      met('value', 'Value'),
      met(' value', 'value'),
      met('value', 'val'),
      met('${UNSET}', 'x'),
      met('x', 're:^y')
    ]
    const step = (name: string, condition: string) => `
        - {name: ${name}, command: echo ran, preconditions: [${condition}]}`
    const run = await live.run(`
      type: graph
      steps:${[...all, ...none].map((condition, index) => step(`s${index}`, condition)).join('')}
        - {name: all, command: echo ran, preconditions: [${all.join(', ')}]}
    `)
    expect(run.statuses).to.deep.equal([...all.map(() => 'succeeded'), ...none.map(() => 'skipped'), 'succeeded'])
    expect(errors(run.node('all').conditions)).to.deep.equal(['', '', '', ''])
  })

  it("5.6.4 without expected the condition is run by the shell, its output discarded; 5.6.5 in the step's environment and directory", async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      type: graph
      params: P=p
      steps:
        - name: met
          dir: sub
          env: {OWN: own}
          command: echo ran
          preconditions:
            - echo noise; echo noise >&2; touch here
            - {condition: 'test "$OWN-\${P}-$DAG_RUN_STEP_NAME-$(basename "$PWD")" = own-p-met-sub', expected: ""}
        - {name: plain text, env: {FLAG: "true"}, command: echo ran, preconditions: $FLAG}
        - {name: no command, env: {FLAG: no such command}, command: echo no, precondition: $FLAG}
        - {name: strict, command: echo no, preconditions: ["false; true"]}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded', 'skipped', 'skipped'])
    expect(run.out('met')).to.equal('ran\n')
    expect(existsSync(join(folder, 'sub/here'))).to.equal(true)
    expect(errors(run.node('no command').conditions)).to.deep.equal(['condition was not met: exit status 127'])
  })

  it("5.6.6 with an author's error text that text is shown instead, and becomes the node's error too", async () => {
    const run = await live.run(`
      steps:
        - name: step
          command: echo no
          preconditions:
            - "true"
            - {condition: "false", error: not on Sundays}
    `)
    expect(run.node('step')).to.include({ status: 'skipped', error: 'not on Sundays' })
    expect(errors(run.node('step').conditions)).to.deep.equal(['other condition was not met', 'not on Sundays'])
  })

  it("5.6.7 negate: true inverts the entry; an evaluation error is not inverted; 5.6.8 it counts as not met and is the node's error", async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: inverted, command: echo ran, preconditions: [{condition: "false", negate: true}, {condition: a, expected: b, negate: true}]}
        - {name: matched, command: echo no, preconditions: [{condition: "true", negate: true}]}
        - {name: error, command: echo no, preconditions: [{condition: "\`exit 3\`", expected: x, negate: true}]}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'skipped', 'skipped'])
    expect(errors(run.node('matched').conditions)).to.deep.equal([
      'condition was not met: condition matched but negate is true'
    ])
    expect(run.node('error').error).to.equal('failed to execute command "exit 3": exit status 3')
    expect(errors(run.node('error').conditions)).to.deep.equal([run.node('error').error])
  })

  it("5.6.9 DAG level not met: run canceled, all nodes not_started, handlers cancel and exit run; in the DAG's environment and directory", async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      env: {E: e}
      params: P=p
      preconditions:
        - test "$E-\${P}-$PWD" = "e-p-${folder}"
        - {condition: "\${P}", expected: q}
        - {condition: "false", error: closed}
      handlerOn: {cancel: echo $DAG_RUN_STATUS, exit: echo $DAG_RUN_STATUS, failure: echo no, success: echo no}
      steps: [echo no, echo no]
    `)
    expect(run.status).to.equal('canceled')
    expect(run.statuses).to.deep.equal(['not_started', 'not_started'])
    expect([run.out('onCancel'), run.out('onExit')]).to.deep.equal(['canceled\n', 'canceled\n'])
    expect([run.node('onFailure').status, run.node('onSuccess').status]).to.deep.equal(['not_started', 'not_started'])
    expect(errors(run.preconditions)).to.deep.equal([
      'other condition was not met',
      'condition was not met: expected "q", got "p"',
      'closed'
    ])
  })

  it('5.6.9 DAG level met: the run goes on', async () => {
    const run = await live.run(
      '{preconditions: ["true", {condition: "`date +%Y`", expected: "re:^2"}], steps: [echo yes]}'
    )
    expect(run.status).to.equal('succeeded')
    expect(errors(run.preconditions)).to.deep.equal(['', ''])
  })

  it('5.6.10 preconditions are checked before the first execution only, not before retries', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      steps:
        - name: again
          command: "[ -e tried ] || { touch tried; exit 3; }"
          preconditions: [echo x >>checked, "test ! -e tried"]
          retryPolicy: {limit: 1}
        - {name: looks, command: cat checked}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded'])
    expect(run.out('looks')).to.equal('x\n')
  })

  it('5.6.11 a condition that is still running when a stop arrives leaves its node canceled, and is killed', async () => {
    const folder = temporaryFolder()
    const key = await live.start(`
      workingDir: ${folder}
      steps:
        - {name: waits, command: echo no, preconditions: ["echo $$ >pid; exec sleep 60"]}
    `)
    const pid = await pidIn(join(folder, 'pid'))
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect([run.status, ...run.statuses]).to.deep.equal(['canceled', 'canceled'])
    await gone(pid)
  })
})
