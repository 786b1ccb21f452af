/** Which forms a value may have, and what they are read as: of any field, of params. */
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
