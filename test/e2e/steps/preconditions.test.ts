/** What a condition is, when it is met, and what is skipped or canceled when it is not. Source: execution-semantics 5.6. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone, pidIn } from '../../support/processes.ts'

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
