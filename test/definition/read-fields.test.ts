import { expect } from 'chai'
import { problemText } from '../../src/definition/problem-text.ts'
import { readDefinition } from '../../src/definition/read.ts'
import { messagesOf, oneStep, planOf, problemsOf, stepOf } from './reading.ts'

describe('reader › unknown fields, aliases, errors (execution-semantics 1.6)', () => {
  it('1.6.1 field names are matched case-insensitively at the top level and in steps', () => {
    const plan = planOf(
      'NAME: a\nMaxActiveRuns: 3\nSTEPS:\n  - Command: x\n    continueon: {Failure: true}\n    TIMEOUTSEC: 2'
    )
    expect(plan).to.include({ name: 'a', maxActiveRuns: 3 })
    expect(plan.steps[0]).to.deep.include({ command: 'x', timeoutMs: 2000 })
    expect(plan.steps[0]?.continueOn.failure).to.equal(true)
  })

  it('1.6.2 unknown key: has invalid keys, with the nearest known key', () => {
    expect(problemsOf('name: a\nzzz: 1\nstesp: []')).to.deep.equal([
      { message: 'has invalid keys: zzz, stesp (did you mean steps instead of stesp?)', path: '', line: 2, column: 1 }
    ])
    expect(messagesOf(oneStep('command: x', 'comand: y'))).to.deep.equal([
      "field 'steps[0]': has invalid keys: comand (did you mean command instead of comand?)"
    ])
    expect(messagesOf('timeout: 1\ndelay: 1\nmaxCleanUpTime: 1')[0], '1.9').to.match(
      /^has invalid keys: timeout, delay, maxCleanUpTime/
    )
  })

  it('1.6.2 unknown key that is a word of other engines: what to use instead', () => {
    expect(messagesOf('webhook: {}\nstesp: []')).to.deep.equal([
      'has invalid keys: webhook, stesp (webhook: Troupe does not have it: have the other system start the run ' +
        '(POST /dags/{fileName}/start). did you mean steps instead of stesp?)'
    ])
    expect(messagesOf(oneStep('command: x', 'undo: y'))[0]).to.contain('(undo: Troupe does not have it: use a handler')
  })

  it('1.6.2 unknown key in a typed object below', () => {
    expect(messagesOf(oneStep('command: x', 'continueOn: {failures: true}'))).to.deep.equal([
      "field 'steps[0].continueOn': has invalid keys: failures (did you mean failure instead of failures?)"
    ])
    expect(messagesOf(oneStep('command: x', 'retryPolicy: {limit: 1, x: 1, y: 2}'))).to.deep.equal([
      "field 'steps[0].retryPolicy': has invalid keys: x, y"
    ])
    expect(messagesOf('handlerOn: {start: echo}')).to.deep.equal(["field 'handlerOn': has invalid keys: start"])
  })

  it('1.6.2 executor has invalid key, precondition has invalid key', () => {
    expect(messagesOf(oneStep('command: x', 'executor: {type: shell, foo: 1}'))).to.deep.equal([
      "field 'executor': executor has invalid key: foo"
    ])
    expect(problemsOf('preconditions:\n  - condition: x\n    expect: y')).to.deep.equal([
      {
        message: "field 'preconditions[0]': precondition has invalid key: expect",
        path: 'preconditions[0]',
        line: 3,
        column: 5
      }
    ])
  })

  it('1.6.2 unknown keys inside executor.config are ignored', () => {
    expect(messagesOf(oneStep('command: x', 'executor: {type: shell, config: {any: thing}}'))).to.deep.equal([])
  })

  it('1.6.3 all problems of one load are collected, in the order of the text, each with its place', () => {
    const { plan, problems } = readDefinition(
      'name: a b\nmaxActiveSteps: -1\nsteps:\n  - name: a\n    depends: zz\n    retryPolicy: {limit: 1, backoff: 1}\n  - name: a\n    command: x\n    queue: q\n'
    )
    expect(plan).to.equal(undefined)
    expect(problems.map((problem) => `${problem.path}: ${problemText(problem)}`)).to.deep.equal([
      'name: field \'name\': name must only contain alphanumeric characters, dashes, dots, and underscores (value: "a b") (line 1, column 7)',
      "maxActiveSteps: field 'maxActiveSteps': maxActiveSteps must be zero or greater (value: -1) (line 2, column 17)",
      "steps[0].command: field 'command': step command is required (line 4, column 5)",
      "steps[0].depends: field 'depends': step a depends on non-existent step zz (line 5, column 14)",
      "steps[0].retryPolicy.backoff: field 'backoff': backoff must be greater than 1.0 for exponential growth (value: 1) (line 6, column 38)",
      'steps[1].name: field \'name\': step name must be unique (value: "a") (line 7, column 11)',
      "steps[1]: field 'steps[1]': has invalid keys: queue (line 9, column 5)"
    ])
  })

  it('1.6.3 the value is printed as JSON, and cut when it is long', () => {
    expect(messagesOf('maxActiveRuns: {a: [1.10, "x", null, true]}')).to.deep.equal([
      'field \'maxActiveRuns\': must be an integer (value: {"a":[1.10,"x",null,true]})'
    ])
    expect(messagesOf(`maxActiveRuns: ${'x'.repeat(5000)}`)[0]).to.have.length.lessThan(160)
  })

  it('1.6.4 a text with problems still shows its name and what could be built', () => {
    const { name, outline } = readDefinition(
      'name: a\ngroup: g\ndescription: d\ntags: T\nparams: A=1\nqueue: q\nsteps: [x, {command: y, id: 1}, [[z]]]'
    )
    expect(name).to.equal('a')
    expect({ ...outline, steps: outline.steps.map((step) => step.name) }).to.deep.equal({
      name: 'a',
      group: 'g',
      description: 'd',
      tags: ['t'],
      params: [{ name: 'A', value: '1', positional: false }],
      steps: ['cmd_1', 'cmd_2']
    })
    expect(readDefinition('{', { fallbackName: 'file' }).outline).to.deep.equal({
      name: 'file',
      group: '',
      description: '',
      tags: [],
      params: [],
      steps: []
    })
  })

  it('1.6 aliases: workingDir before dir', () => {
    expect(stepOf(oneStep('command: x', 'dir: /d')).dir).to.equal('/d')
    expect(stepOf(oneStep('command: x', 'dir: /d', 'workingDir: /w')).dir).to.equal('/w')
  })

  it('1.6 aliases: preconditions and precondition are concatenated, preconditions first', () => {
    const both = 'precondition: one\npreconditions: [two, three]'
    const expected = [{ condition: 'two' }, { condition: 'three' }, { condition: 'one' }]
    expect(planOf(both).preconditions).to.deep.equal(expected)
    expect(stepOf(oneStep('command: x', ...both.split('\n'))).preconditions).to.deep.equal(expected)
  })

  it('1.6 aliases: retryPolicy.exitCodes before exitCode', () => {
    const codes = (keys: string) => stepOf(oneStep('command: x', `retryPolicy: {limit: 1, ${keys}}`)).retry.exitCodes
    expect(codes('exitCode: 3')).to.deep.equal([3])
    expect(codes('exitCode: [3], exitCodes: [4, "5"]')).to.deep.equal([4, 5])
  })

  it('1.6 aliases: condition or command of a precondition, both given is an error', () => {
    expect(planOf('preconditions: {command: test -f x}').preconditions).to.deep.equal([{ condition: 'test -f x' }])
    expect(messagesOf('preconditions: {command: a, condition: b}')).to.deep.equal([
      "field 'command': precondition takes condition or command, not both"
    ])
  })

  it('1.6 aliases: executor shell is "" and command; an unknown type is not registered', () => {
    for (const executor of ['shell', '""', 'command', '{type: shell}', '{type: ""}', '{}', '{config: {}}', 'null']) {
      expect(messagesOf(oneStep('command: x', `executor: ${executor}`)), executor).to.deep.equal([])
    }
    expect(messagesOf(oneStep('command: x', 'executor: ftp'))).to.deep.equal([
      'field \'executor\': executor type "ftp" is not registered'
    ])
  })
})

describe('reader › fields of another place', () => {
  it('queues belong to the global configuration, and the message says so', () => {
    expect(problemsOf('name: a\nqueues: {enabled: true}')).to.deep.equal([
      {
        message: 'queues are global configuration: wanted in config.yaml of the application home, not in a definition',
        path: 'queues',
        line: 2,
        column: 1
      }
    ])
  })
})
