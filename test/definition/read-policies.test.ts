/** What a step runs, and what is done when that has ended: commands, output, continueOn, retryPolicy, handlers. */
import { expect } from 'chai'
import {
  messagesOf,
  oneStep,
  planOf,
  problemsOf,
  stepOf,
  commandWith as stepWith,
  wrongCommandWith as wrongWith
} from './reading.ts'

describe('reader › what a step runs (execution-semantics 4.1, 4.5)', () => {
  it('4.1.1 command with a newline (after trim) is a script', () => {
    expect(stepOf('steps:\n  - command: |\n      echo 1\n      echo 2\n'))
      .to.include({ script: 'echo 1\necho 2\n' })
      .and.not.to.have.property('command')
    expect(stepOf('steps:\n  - command: |\n      echo 1\n'))
      .to.include({ command: 'echo 1' })
      .and.not.to.have.property('script')
    expect(stepOf('steps:\n  - |\n    echo 1\n    echo 2\n').script).to.equal('echo 1\necho 2\n')
  })

  it('4.1.1 command with several lines and script are exclusive', () => {
    expect(messagesOf(oneStep('command: "a\\nb"', 'script: c'))).to.deep.equal([
      "field 'command': command with several lines and script are exclusive"
    ])
    expect(stepOf(oneStep('command: python3 -u', 'script: print(1)'))).to.include({
      command: 'python3 -u',
      script: 'print(1)'
    })
  })

  it('4.1.8 step with none of command, script and a shell executor: step command is required', () => {
    for (const step of [
      'name: a',
      'name: a\n    executor: shell',
      'name: a\n    command:',
      'name: a\n    script: ""'
    ]) {
      expect(messagesOf(`steps:\n  - ${step}`), step).to.deep.equal(["field 'command': step command is required"])
    }
  })

  it('4.5.4 output: a leading $ is dropped', () => {
    expect([stepWith('output: $OUT').output, stepWith('output: OUT').output]).to.deep.equal(['OUT', 'OUT'])
    expect(stepWith('output: ""')).not.to.have.property('output')
  })

  it('paths and texts are kept as written', () => {
    expect(
      stepWith('dir: "${HOME}/x"', 'stdout: "out-${DAG_RUN_ID}.txt"', 'stderr: ~/err', 'description: "`date`"')
    ).to.include({
      dir: '${HOME}/x',
      stdout: 'out-${DAG_RUN_ID}.txt',
      stderr: '~/err',
      description: '`date`'
    })
    expect(planOf('workingDir: ${HOME}').workingDir).to.equal('${HOME}')
  })
})

describe('reader › continueOn, retryPolicy, handlers (execution-semantics 5.4, 6.1, 8)', () => {
  it('5.4 continueOn takes all its keys', () => {
    expect(
      stepWith('continueOn: {failure: true, skipped: true, exitCode: 3, output: x, markSuccess: true}').continueOn
    ).to.deep.equal({
      failure: true,
      skipped: true,
      exitCodes: [3],
      outputs: ['x'],
      markSuccess: true
    })
    expect(wrongWith('continueOn: true')).to.deep.equal([
      "field 'continueOn': must be a map with any of the keys failure, skipped, exitCode, output, markSuccess (value: true)"
    ])
  })

  it('5.4.1 invalid regular expression: rejected at load, in continueOn.output and in expected', () => {
    expect(problemsOf(oneStep('command: x', 'continueOn: {output: [a, "re:("]}'))).to.deep.equal([
      {
        message:
          'field \'output[1]\': invalid regular expression: error parsing regexp: missing closing ): `(` (value: "re:(")',
        path: 'steps[0].continueOn.output[1]',
        line: 4,
        column: 30
      }
    ])
    expect(messagesOf('preconditions: [{condition: a, expected: "re:[z-a]"}]')).to.have.length(1)
    expect(wrongWith('continueOn: {output: "re:(?=a)"}'), 'look-ahead needs backtracking').to.have.length(1)
    expect(wrongWith(`continueOn: {output: "re:${'a'.repeat(10_000)}"}`)[0]).to.contain('at most 10000 characters')
  })

  it('6.1 retryPolicy takes all its keys; the interval is in milliseconds when numeric', () => {
    expect(
      stepWith('retryPolicy: {limit: 3, intervalSec: 5, exitCodes: [1, 2], backoff: true, maxIntervalSec: 60}').retry
    ).to.deep.equal({
      limit: 3,
      interval: 5000,
      exitCodes: [1, 2],
      backoff: 2,
      maxIntervalMs: 60_000
    })
  })

  it('6.1.2 limit required: retryPolicy.Limit: invalid type; intervalSec optional, 0', () => {
    expect(problemsOf(oneStep('command: x', 'retryPolicy: {intervalSec: 1}'))).to.deep.equal([
      {
        message:
          "field 'limit': retryPolicy.Limit: invalid type, wanted an integer or a string with variables, found none",
        path: 'steps[0].retryPolicy.limit',
        line: 4,
        column: 18
      }
    ])
    expect(wrongWith('retryPolicy: {limit: true}')[0]).to.contain('retryPolicy.Limit: invalid type')
    expect(wrongWith('retryPolicy: {limit: 1.5}')[0]).to.contain('retryPolicy.Limit: invalid type')
    expect(wrongWith('retryPolicy: {limit: -1}')).to.deep.equal([
      "field 'limit': limit must be zero or greater (value: -1)"
    ])
    expect(stepWith('retryPolicy: {limit: 0}').retry).to.include({ limit: 0, interval: 0 })
  })

  it('6.1.6 text values are kept as text', () => {
    expect(stepWith('retryPolicy: {limit: "${N}", intervalSec: "3"}').retry).to.include({
      limit: '${N}',
      interval: '3'
    })
  })

  it('8.5 handlers are named onSuccess, onFailure, onCancel, onExit whatever name says; an id is kept', () => {
    const { handlers } = planOf(
      'handlerOn:\n  success: echo ok\n  failure: {command: x, name: mine, id: f}\n  cancel: {script: y}\n  exit: {command: [z]}'
    )
    expect(Object.entries(handlers).map(([kind, step]) => [kind, step?.name, step?.id])).to.deep.equal([
      ['success', 'onSuccess', undefined],
      ['failure', 'onFailure', 'f'],
      ['cancel', 'onCancel', undefined],
      ['exit', 'onExit', undefined]
    ])
  })

  it('8.8 depends and continueOn on a handler are ignored with a warning; retryPolicy and preconditions are honoured', () => {
    const text =
      'handlerOn: {exit: {command: x, depends: nobody, continueOn: {failure: true}, retryPolicy: {limit: 2}, preconditions: a}}'
    const { exit } = planOf(text).handlers
    expect(exit?.depends).to.deep.equal([])
    expect(exit?.continueOn.failure).to.equal(false)
    expect([exit?.retry.limit, exit?.preconditions.length]).to.deep.equal([2, 1])
  })

  it('a handler has its problems reported, and its name and id are taken', () => {
    expect(messagesOf('handlerOn: {exit: {name: x}}')).to.deep.equal(["field 'command': step command is required"])
    expect(messagesOf('handlerOn: {exit: x}\nsteps: [{name: onExit, command: x}]')).to.deep.equal([
      'field \'name\': step name must be unique (value: "onExit")'
    ])
    expect(messagesOf('handlerOn: {exit: {command: x, id: a}}\nsteps: [{id: a, command: x}]')).to.deep.equal([
      "field 'id': duplicate step ID: a"
    ])
  })
})
