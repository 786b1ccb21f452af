import { expect } from 'chai'
import { dependsOf, messagesOf, namesOf, planOf, problemsOf, stepOf, warningsOf } from './reading.ts'

describe('reader › steps shapes (execution-semantics 1.3)', () => {
  it('1.3.1 list of objects and/or strings; a string s equals {command: s}', () => {
    const [first, second] = planOf('steps:\n  - echo hi\n  - {name: cmd_1x, command: echo hi}').steps
    expect(first).to.deep.include({ name: 'cmd_1', command: 'echo hi' })
    expect({ ...second, name: '', depends: [] }).to.deep.equal({ ...first, name: '', depends: [] })
  })

  it('1.3.1 a scalar that is not a string is a command as it is written', () => {
    expect(stepOf('steps: [true]').command).to.equal('true')
  })

  it('1.3.2 a list item that is itself a list is a parallel group', () => {
    expect(
      dependsOf(
        'steps:\n- {name: a, command: x}\n- [{name: b, command: x}, {name: c, command: x}]\n- {name: d, command: x}'
      )
    ).to.deep.equal({
      a: [],
      b: ['a'],
      c: ['a'],
      d: ['b', 'c']
    })
  })

  it('1.3.2 an empty group is passed by', () => {
    expect(dependsOf('steps: [{name: a, command: x}, [], {name: b, command: x}]')).to.deep.equal({ a: [], b: ['a'] })
  })

  it('1.3.2 nesting deeper than one level: invalid step data', () => {
    const [problem] = problemsOf('steps: [[[echo]]]')
    expect(problem?.message).to.match(/^field 'steps\[0\]\[0\]': invalid step data/)
    expect(problem).to.include({ path: 'steps[0][0]', line: 1, column: 10 })
    expect(messagesOf('steps: [null]')[0]).to.contain('invalid step data')
  })

  it('1.3.1 a number is no command, wherever a step stands; in quotes it is one', () => {
    const told = (value: string) =>
      `invalid step data, wanted a map or a command, found a number: in quotes it is a command (value: ${value})`
    expect(messagesOf('steps: [1, 2.50]')).to.deep.equal([
      `field 'steps[0]': ${told('1')}`,
      `field 'steps[1]': ${told('2.50')}`
    ])
    expect(messagesOf('steps: [x, [y, 0x1F], [-.inf], 12345678901234567890]')).to.deep.equal([
      `field 'steps[1][1]': ${told('31')}`,
      `field 'steps[2][0]': ${told('null')}`,
      `field 'steps[3]': ${told('12345678901234567890')}`
    ])
    expect(messagesOf('steps: {one: 1, two: null}')).to.deep.equal([
      `field 'steps.one': ${told('1')}`,
      "field 'steps.two': invalid step data, wanted a map or a command (value: null)"
    ])
    expect(messagesOf('handlerOn: {exit: 1}\nsteps: [x]')).to.deep.equal([`field 'exit': ${told('1')}`])
    expect(dependsOf('steps: ["1", \'2\', yes]')).to.deep.equal({ cmd_1: [], cmd_2: ['cmd_1'], cmd_3: ['cmd_2'] })
  })

  it('a command with ": " in it is a map for YAML: the message has it quoted', () => {
    const first = (text: string) => messagesOf(`steps:\n  - ${text}\n`)[0]
    const told = 'a text with ": " in it has to be quoted'
    expect(first('echo a: b')).to.equal(`field 'steps[0]': has invalid keys: echo a (${told}: 'echo a: b')`)
    expect(first(`echo "it's: 5"`)).to.equal(
      `field 'steps[0]': has invalid keys: echo "it's (${told}: 'echo "it''s: 5"')`
    )
    expect(first('echo a: [b]'), 'nobody knows how it was written').to.equal(
      `field 'steps[0]': has invalid keys: echo a (${told})`
    )
    expect(messagesOf('steps: [{echo a: b, name: c}]')).to.include("field 'steps[0]': has invalid keys: echo a")
    expect(first('colour: red')).to.equal("field 'steps[0]': has invalid keys: colour")
  })

  it('1.3.3 map form: keys are step names; no chain dependencies are added, also under type chain', () => {
    const text =
      'type: chain\nsteps:\n  build: {command: x, name: other}\n  "test it": y\n  last: {command: z, depends: build}'
    expect(dependsOf(text)).to.deep.equal({ build: [], 'test it': [], last: ['build'] })
    expect(warningsOf(text)).to.deep.equal([
      'steps.build.name: has no effect in a map of steps, where the key is the name'
    ])
    expect(warningsOf('steps: {build: {command: x, name: build}}')).to.deep.equal([])
  })

  it('1.3.4 steps missing, null or []: valid', () => {
    for (const text of ['name: a', 'steps:', 'steps: []', 'steps: {}'])
      expect(planOf(text).steps, text).to.deep.equal([])
  })

  it('1.3.5 anything else: steps must be an array or a map', () => {
    expect(messagesOf('steps: echo')).to.deep.equal([
      'field \'steps\': steps must be an array or a map (value: "echo")'
    ])
    expect(messagesOf('steps: 5')).to.deep.equal(["field 'steps': steps must be an array or a map (value: 5)"])
  })
})

describe('reader › chain and graph (execution-semantics 1.4)', () => {
  const three = (type: string, ...depends: string[]) =>
    `${type}\nsteps:\n${['a', 'b', 'c'].map((name, index) => `  - {name: ${name}, id: id_${name}, command: x${depends[index] ?? ''}}\n`).join('')}`

  it('1.4.1 type absent or empty = chain', () => {
    for (const type of ['', 'type: ""', 'type:', 'type: chain']) {
      expect(planOf(three(type)).type, type).to.equal('chain')
      expect(dependsOf(three(type)), type).to.deep.equal({ a: [], b: ['a'], c: ['b'] })
    }
  })

  it('1.4.1 other types are refused', () => {
    expect(messagesOf('type: agent')).to.deep.equal(["field 'type': agent type is not yet implemented"])
    expect(messagesOf('type: x')).to.deep.equal(["field 'type': invalid type: x (must be one of: graph, chain, agent)"])
  })

  it('1.4.2 chain: each item depends on the previous item, in addition to its own depends', () => {
    expect(dependsOf(three('', '', '', ', depends: a'))).to.deep.equal({ a: [], b: ['a'], c: ['a', 'b'] })
  })

  it('1.4.3 depends: [] removes the automatic dependency of that step only', () => {
    expect(dependsOf(three('', '', ', depends: []'))).to.deep.equal({ a: [], b: [], c: ['b'] })
  })

  it('1.4.3 depends: "" is one dependency on the empty name and fails', () => {
    expect(messagesOf(three('', '', ', depends: ""'))).to.deep.equal([
      "field 'depends': step b depends on non-existent step "
    ])
  })

  it('1.4.3 depends: null is no depends', () => {
    expect(dependsOf(three('', '', ', depends: null'))).to.deep.equal({ a: [], b: ['a'], c: ['b'] })
  })

  it('1.4.4 graph: only explicit depends', () => {
    expect(dependsOf(three('type: graph', '', '', ', depends: [a]'))).to.deep.equal({ a: [], b: [], c: ['a'] })
  })

  it('1.4.5 ids are rewritten to names, and what is listed already is not added twice', () => {
    expect(dependsOf(three('', '', ', depends: id_a', ', depends: [id_b, b, a]'))).to.deep.equal({
      a: [],
      b: ['a'],
      c: ['b', 'a']
    })
  })

  it('1.4.5 depends must be a string or an array of strings', () => {
    expect(messagesOf(three('', '', ', depends: {a: 1}'))).to.deep.equal([
      'field \'depends\': depends must be a string or an array of strings (value: {"a":1})'
    ])
    expect(messagesOf(three('', '', ', depends: [[a]]'))).to.have.length(1)
  })

  it('1.4.6 unknown dependency, with line, column and path', () => {
    expect(problemsOf('type: graph\nsteps:\n  - name: b\n    command: x\n    depends:\n      - a')).to.deep.equal([
      {
        message: "field 'depends': step b depends on non-existent step a",
        path: 'steps[0].depends',
        line: 6,
        column: 9
      }
    ])
  })

  it('1.4.6 a step that comes later may be named', () => {
    expect(dependsOf(three('type: graph', ', depends: c'))).to.deep.equal({ a: ['c'], b: [], c: [] })
  })

  it('1.4.7 cycle, self-dependency included: rejected with cycle detected', () => {
    expect(messagesOf(three('type: graph', ', depends: c', ', depends: a', ', depends: b'))).to.deep.equal([
      "field 'depends': cycle detected (a -> c -> b -> a)"
    ])
    expect(messagesOf(three('type: graph', '', ', depends: id_b'))).to.deep.equal([
      "field 'depends': cycle detected (b -> b)"
    ])
    expect(messagesOf(three('', ', depends: c'))[0], 'against the chain').to.contain('cycle detected')
  })

  it('1.4.7 a diamond is no cycle', () => {
    expect(
      messagesOf(
        'type: graph\nsteps: {a: x, b: {command: x, depends: a}, c: {command: x, depends: a}, d: {command: x, depends: [b, c]}}'
      )
    ).to.deep.equal([])
  })
})

describe('reader › step names and ids (execution-semantics 1.5)', () => {
  it('1.5.1 step name must be unique; blanks around it are trimmed', () => {
    expect(problemsOf('steps:\n  - {name: a, command: x}\n  - {name: " a ", command: x}')).to.deep.equal([
      { message: 'field \'name\': step name must be unique (value: " a ")', path: 'steps[1].name', line: 3, column: 12 }
    ])
    expect(namesOf('steps: [{name: " a b/ü ", command: x}]')).to.deep.equal(['a b/ü'])
  })

  it('1.5.2 step names have no 40-character limit', () => {
    expect(namesOf(`steps: [{name: ${'n'.repeat(300)}, command: x}]`)[0]).to.have.length(300)
  })

  it('1.5.3 auto names: prefix by what the step is, number of the item, raised until free', () => {
    expect(namesOf('steps: [[a, b], c]')).to.deep.equal(['cmd_1', 'cmd_2', 'cmd_3'])
    expect(
      namesOf(
        'steps:\n- a\n- {script: b}\n- {command: "c\\nd"}\n- {executor: shell, command: e}\n- {command: [f]}\n- {executor: "", command: g}'
      )
    ).to.deep.equal(['cmd_1', 'script_2', 'script_3', 'shell_4', 'cmd_5', 'cmd_6'])
    expect(namesOf('steps: [{name: x, command: a}, b, {name: " ", command: c}]')).to.deep.equal(['x', 'cmd_2', 'cmd_3'])
  })

  it('1.5.3 the prefix of a step with command and script is script', () => {
    expect(namesOf('steps: [{command: python3, script: "print(1)"}]')).to.deep.equal(['script_1'])
  })

  it('1.5.4 auto names are also checked against explicit names anywhere in the list', () => {
    expect(namesOf('steps: [a, {name: cmd_1, command: b}, {name: cmd_2, command: c}]')).to.deep.equal([
      'cmd_3',
      'cmd_1',
      'cmd_2'
    ])
    expect(namesOf('steps: [a, {name: x, id: cmd_1, command: b}]')).to.deep.equal(['cmd_2', 'x'])
  })

  it('1.5.5 id: pattern, unique, not a reserved word in any case', () => {
    const ids = (...all: string[]) => messagesOf(`steps: [${all.map((id) => `{command: x, id: ${id}}`).join(', ')}]`)
    expect(ids('a', 'b-1_c')).to.deep.equal([])
    expect(ids('1a')).to.deep.equal([
      'field \'id\': invalid step ID format: must match pattern ^[a-zA-Z][a-zA-Z0-9_-]*$ (value: "1a")'
    ])
    expect(ids('a', 'a')).to.deep.equal(["field 'id': duplicate step ID: a"])
    for (const word of ['env', 'params', 'args', 'stdout', 'stderr', 'output', 'OUTPUTS']) {
      expect(ids(word)).to.deep.equal([`field 'id': step ID '${word}' is a reserved word`])
    }
  })

  it("1.5.6 an id may equal its own step's name but not another step's name", () => {
    expect(messagesOf('steps: [{name: a, id: a, command: x}]')).to.deep.equal([])
    for (const text of [
      'steps: [{name: a, command: x}, {name: b, id: a, command: x}]',
      'steps: [{name: b, id: a, command: x}, {name: a, command: x}]'
    ]) {
      expect(messagesOf(text)).to.deep.equal(["field 'id': step ID 'a' conflicts with another step's name"])
    }
  })

  it('1.5.7 an id containing - can be used in depends', () => {
    expect(
      dependsOf('type: graph\nsteps: [{name: a, id: the-id, command: x}, {name: b, command: x, depends: the-id}]')
    ).to.deep.equal({
      a: [],
      b: ['a']
    })
  })
})
