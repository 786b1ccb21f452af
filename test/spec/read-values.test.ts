import { expect } from 'chai'
import { messagesOf, oneStep, planOf, problemsOf, stepOf } from './reading.ts'

const stepWith = (...lines: string[]) => stepOf(oneStep('command: x', ...lines))
const wrongWith = (...lines: string[]) => messagesOf(oneStep('command: x', ...lines))

describe('reader › value forms (execution-semantics 1.7)', () => {
  it('tags: comma-separated string or list; trimmed, lower-cased; empty pieces dropped', () => {
    expect(planOf('tags: " Daily, ,ETL,"').tags).to.deep.equal(['daily', 'etl'])
    expect(planOf('tags: [" Daily", "a,b"]').tags).to.deep.equal(['daily', 'a,b'])
    expect(messagesOf('tags: {a: 1}')).to.deep.equal([
      'field \'tags\': must be a string or a list of strings (value: {"a":1})'
    ])
  })

  it('env: list of one-or-more-key maps and/or K=V strings, or one map; non-string scalars are stringified', () => {
    const expected = [
      { key: 'A', value: '1' },
      { key: 'B', value: 'true' },
      { key: 'C', value: 'x=y' },
      { key: 'D', value: '' }
    ]
    expect(planOf('env: [{A: 1, B: true}, "C=x=y", D=]').env).to.deep.equal(expected)
    expect(planOf('env: {A: 1, B: true, C: x=y, D: }').env).to.deep.equal(expected)
    expect(stepWith('env: [{A: 1}, B=true, {C: x=y, D: ""}]').env).to.deep.equal(expected)
  })

  it('env: a string without = is refused', () => {
    const reason = 'env config should be map of strings or array of key=value formatted string'
    expect(problemsOf('env:\n  - A=1\n  - B')).to.deep.equal([
      { message: `field 'env[1]': ${reason} (value: "B")`, path: 'env[1]', line: 3, column: 5 }
    ])
    for (const env of ['A=1', '[[A=1]]', '{A: [1]}', '[{A: {b: 1}}]', '[5]', '[null]']) {
      expect(messagesOf(`env: ${env}`)[0], env).to.contain(reason)
    }
  })

  it('env: a later entry of the same key stays beside the earlier one (3.4.2 decides)', () => {
    expect(planOf('env: ["A=1", "A=${A}2"]').env).to.have.length(2)
  })

  it('env: a name a process cannot have is refused', () => {
    expect(messagesOf('env: {"A=B": 1, "": 2}')).to.deep.equal([
      'field \'A=B\': a variable cannot be named "A=B"',
      'a variable cannot be named ""'
    ])
  })

  it('command: string, or list (program then arguments; scalars stringified)', () => {
    expect(stepWith().command).to.equal('x')
    expect(stepOf(oneStep('command: [echo, 1.10, true, "a b"]'))).to.deep.include({
      argv: ['echo', '1.10', 'true', 'a b']
    })
    expect(stepOf(oneStep('command: [echo]'))).not.to.have.property('command')
    expect(stepOf(oneStep('command: "  echo hi  "')).command).to.equal('echo hi')
    expect(messagesOf(oneStep('command: {a: 1}'))).to.deep.equal([
      'field \'command\': must be a string or a list of strings (value: {"a":1})'
    ])
  })

  it('command: empty string: step command is empty', () => {
    for (const command of ['""', '"  "', '[]', '[""]']) {
      expect(messagesOf(oneStep(`command: ${command}`)), command).to.deep.equal([
        "field 'command': step command is empty"
      ])
    }
    expect(messagesOf('steps: [""]')).to.deep.equal(["field 'command': step command is empty"])
  })

  it('args: list of scalars', () => {
    expect(stepWith('args: [1.10, "a b", true]').args).to.deep.equal(['1.10', 'a b', 'true'])
    expect(stepWith().args).to.deep.equal([])
    expect(wrongWith('args: a b')).to.deep.equal(['field \'args\': must be a list of strings (value: "a b")'])
  })

  it('shell: string (split like a command line) or list verbatim; DAG and step level (4.2.3)', () => {
    expect(planOf('shell: bash -euo pipefail').shell).to.deep.equal(['bash', '-euo', 'pipefail'])
    expect(stepWith(`shell: "/opt/my\\\\ sh -x 'a b'"`).shell).to.deep.equal(['/opt/my sh', '-x', 'a b'])
    expect(planOf('shell: ["/opt/my sh", "-e -x"]').shell).to.deep.equal(['/opt/my sh', '-e -x'])
    for (const none of ['""', '[]', 'null']) expect(planOf(`shell: ${none}`), none).not.to.have.property('shell')
    expect(messagesOf('shell: ["", -e]')).to.have.length(1)
  })

  it('continueOn.exitCode: integer, numeric string, or list', () => {
    const codes = (value: string) => stepWith(`continueOn: {exitCode: ${value}}`).continueOn.exitCodes
    expect([codes('3'), codes('"4"'), codes('[-1, "5", 0x10]')]).to.deep.equal([[3], [4], [-1, 5, 16]])
    expect(wrongWith('continueOn: {exitCode: [1, x]}')).to.deep.equal([
      'field \'exitCode\': must be an integer or a list of integers (value: [1,"x"])'
    ])
    expect(wrongWith('continueOn: {exitCode: 1.5}')).to.have.length(1)
  })

  it('continueOn.output: string or list', () => {
    const outputs = (value: string) => stepWith(`continueOn: {output: ${value}}`).continueOn.outputs
    expect(outputs('warn')).to.deep.equal(['warn'])
    expect(outputs('["re:^a+$", b]')).to.deep.equal(['re:^a+$', 'b'])
  })

  it('backoff: true = 2.0, false/0 = none, number > 1.0', () => {
    const factor = (value: string) => stepWith(`retryPolicy: {limit: 1, backoff: ${value}}`).retry.backoff
    expect(['true', 'false', '0', '2', '2.0', '1.5', 'null'].map(factor)).to.deep.equal([2, 1, 1, 2, 2, 1.5, 1])
    for (const value of ['1', '1.0', '0.5', '-2', '.inf', '.nan']) {
      expect(wrongWith(`retryPolicy: {limit: 1, backoff: ${value}}`)[0], value).to.contain(
        'backoff must be greater than 1.0 for exponential growth'
      )
    }
    expect(wrongWith('retryPolicy: {limit: 1, backoff: fast}')).to.deep.equal([
      'field \'backoff\': must be a boolean or a number (value: "fast")'
    ])
  })

  it('signalOnStop: exact names; else invalid signal', () => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGKILL', 'SIGHUP', 'SIGUSR1']) {
      expect(stepWith(`signalOnStop: ${name}`).signalOnStop).to.equal(name)
    }
    expect(wrongWith('signalOnStop: TERM')).to.deep.equal(["field 'signalOnStop': invalid signal: TERM"])
    expect(wrongWith('signalOnStop: sigterm')).to.have.length(1)
    expect(wrongWith('signalOnStop: toString')).to.have.length(1)
  })

  it('preconditions: string, map, or list of those', () => {
    expect(planOf('preconditions: test -f x').preconditions).to.deep.equal([{ condition: 'test -f x' }])
    expect(
      planOf('preconditions: {condition: $A, expected: 1.10, error: no, negate: true}').preconditions
    ).to.deep.equal([{ condition: '$A', expected: '1.10', error: 'no', negate: true }])
    expect(
      stepWith('preconditions: ["true", {condition: a, expected: "", negate: false}]').preconditions
    ).to.deep.equal([{ condition: 'true' }, { condition: 'a' }])
    expect(messagesOf('preconditions: [{expected: a}]')).to.deep.equal([
      "field 'preconditions[0]': precondition has no condition"
    ])
    expect(messagesOf('preconditions: [[a]]')).to.have.length(1)
  })

  it('negative timeoutSec, maxActiveSteps and others: must be zero or greater', () => {
    expect(messagesOf('timeoutSec: -1\nmaxActiveSteps: -2\nmaxCleanUpTimeSec: -3\nmaxOutputSize: -4')).to.deep.equal([
      "field 'timeoutSec': timeoutSec must be zero or greater (value: -1)",
      "field 'maxActiveSteps': maxActiveSteps must be zero or greater (value: -2)",
      "field 'maxCleanUpTimeSec': maxCleanUpTimeSec must be zero or greater (value: -3)",
      "field 'maxOutputSize': maxOutputSize must be zero or greater (value: -4)"
    ])
    expect(wrongWith('timeoutSec: -1')).to.have.length(1)
  })

  it('integers: no text, no fraction, nothing beyond what can be counted', () => {
    for (const value of ['"5"', '1.5', 'x', '[1]', '99999999999999999999', 'true']) {
      expect(messagesOf(`maxActiveRuns: ${value}`)[0], value).to.match(/^field 'maxActiveRuns': must be an integer/)
    }
    expect(planOf('maxActiveRuns: 0x10').maxActiveRuns).to.equal(16)
    expect(messagesOf('timeoutSec: 1000000001')[0]).to.contain('timeoutSec must be at most 1000000000')
  })

  it('texts: any scalar as it is written, nothing else', () => {
    expect(planOf('description: 1.10\ngroup: true')).to.include({ description: '1.10', group: 'true' })
    expect(messagesOf('description: [a]')).to.deep.equal(['field \'description\': must be a string (value: ["a"])'])
  })

  it('a boolean field takes true and false only', () => {
    expect(wrongWith('continueOn: {skipped: 1}')).to.deep.equal(["field 'skipped': must be true or false (value: 1)"])
  })
})

describe('reader › defaults (execution-semantics 1.8)', () => {
  it('fills in every default of a plan and of a step', () => {
    expect(planOf('steps: [{name: a, command: x}]')).to.deep.equal({
      name: 'demo',
      group: '',
      description: '',
      tags: [],
      type: 'chain',
      env: [],
      dotenv: ['.env'],
      params: [],
      preconditions: [],
      schedule: { start: [], stop: [], restart: [] },
      restartWaitMs: 0,
      skipIfSuccessful: false,
      catchup: 'none',
      delayMs: 0,
      histRetentionDays: 30,
      secrets: [],
      mailOn: { failure: false, success: false },
      runConfig: { disableParamEdit: false, disableRunIdEdit: false },
      onInterrupt: 'resume',
      maxActiveRuns: 1,
      statesMaxActiveRuns: false,
      maxActiveSteps: 0,
      timeoutMs: 0,
      cleanUpMs: 5000,
      maxOutputSize: 1048576,
      handlers: {},
      steps: [
        {
          name: 'a',
          description: '',
          command: 'x',
          args: [],
          depends: [],
          preconditions: [],
          continueOn: { failure: false, skipped: false, exitCodes: [], outputs: [], markSuccess: false },
          retry: { limit: 0, interval: 0, exitCodes: [], backoff: 1, maxIntervalMs: 0 },
          env: [],
          timeoutMs: 0,
          executor: { type: 'shell', config: {} },
          mailOnError: false,
          shellPackages: []
        }
      ],
      locals: []
    })
  })

  it('maxActiveRuns 1 when absent or 0; negative = no limit', () => {
    expect(
      [planOf('maxActiveRuns: 0'), planOf('maxActiveRuns: -1'), planOf('maxActiveRuns: 4')].map(
        (plan) => plan.maxActiveRuns
      )
    ).to.deep.equal([1, -1, 4])
  })

  it('maxCleanUpTimeSec 5 (also for 0), maxOutputSize 1048576 bytes', () => {
    expect(planOf('maxCleanUpTimeSec: 0\nmaxOutputSize: 0')).to.include({ cleanUpMs: 5000, maxOutputSize: 1048576 })
    expect(planOf('maxCleanUpTimeSec: 7\nmaxOutputSize: 10\ntimeoutSec: 3\nmaxActiveSteps: 2')).to.include({
      cleanUpMs: 7000,
      maxOutputSize: 10,
      timeoutMs: 3000,
      maxActiveSteps: 2
    })
  })

  it('a plan is JSON only', () => {
    const plan = planOf('workingDir: /w\nshell: sh\nenv: {A: 1}\nsteps: [{command: [a], retryPolicy: {limit: 1}}]')
    expect(JSON.parse(JSON.stringify(plan))).to.deep.equal(plan)
  })
})

describe('reader › params (execution-semantics 2.1)', () => {
  const paramsOf = (text: string) =>
    planOf(text).params.map(({ name, value, positional }) => `${name}=${value}${positional ? ' positional' : ''}`)

  it('2.1.1 string: words separated by blanks', () => {
    expect(paramsOf('params: one N=x "q r"')).to.deep.equal(['1=one positional', 'N=x', '3=q r positional'])
  })

  it('2.1.2 list: items are maps (each key a param) and/or strings; map: each key a param; written order', () => {
    expect(paramsOf('params: [{B: 1, A: 2}, "C=3 D=4", E=5]')).to.deep.equal(['B=1', 'A=2', 'C=3', 'D=4', 'E=5'])
    expect(paramsOf('params: {B: 1, A: "x y"}')).to.deep.equal(['B=1', 'A=x y'])
    expect(paramsOf('params:\n  - NAME: default')).to.deep.equal(['NAME=default'])
  })

  it('2.1.3 a bare value at position p, counting all params, is named p', () => {
    expect(paramsOf('params: [one, {N: x}, "two three"]')).to.deep.equal([
      '1=one positional',
      'N=x',
      '3=two positional',
      '4=three positional'
    ])
  })

  it('2.1.4 non-string scalars are stringified; list or map values become compact JSON', () => {
    expect(paramsOf('params: {A: 5, B: true, C: [1.10, {k: v}], D: {n: 12345678901234567890, x: null}}')).to.deep.equal(
      ['A=5', 'B=true', 'C=[1.10,{"k":"v"}]', 'D={"n":12345678901234567890,"x":null}']
    )
  })

  it('2.1.7 nothing is evaluated', () => {
    expect(paramsOf('params: ["A=`date`", "B=${A}"]')).to.deep.equal(['A=`date`', 'B=${A}'])
  })

  it('other forms are refused', () => {
    expect(messagesOf('params: [[a]]')).to.deep.equal([
      'field \'params[0]\': must be a string, a map, or a list of those (value: ["a"])'
    ])
  })
})

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

  it('a handler has its problems told, and its name and id are taken', () => {
    expect(messagesOf('handlerOn: {exit: {name: x}}')).to.deep.equal(["field 'command': step command is required"])
    expect(messagesOf('handlerOn: {exit: x}\nsteps: [{name: onExit, command: x}]')).to.deep.equal([
      'field \'name\': step name must be unique (value: "onExit")'
    ])
    expect(messagesOf('handlerOn: {exit: {command: x, id: a}}\nsteps: [{id: a, command: x}]')).to.deep.equal([
      "field 'id': duplicate step ID: a"
    ])
  })
})
