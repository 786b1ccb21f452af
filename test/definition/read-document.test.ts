import { expect } from 'chai'
import { problemText } from '../../src/definition/problem-text.ts'
import { readDefinition } from '../../src/definition/read.ts'
import { messagesOf, oneStep, planOf, problemsOf, stepOf } from './reading.ts'

describe('reader › documents and names (execution-semantics 1.1)', () => {
  it('1.1.2 documents are separated by ---; the first non-empty one is the main workflow, every later one a local workflow', () => {
    const plan = planOf(
      '---\n# nothing\n---\nname: main\nsteps: [a]\n---\n---\nname: kid\nsteps: [b, c]\n---\nname: other\n'
    )
    expect(plan.name).to.equal('main')
    expect(plan.locals.map(({ name, steps }) => [name, steps.length])).to.deep.equal([
      ['kid', 2],
      ['other', 0]
    ])
    expect(plan.locals.flatMap(({ locals }) => locals)).to.deep.equal([])
  })

  it('1.1.3 a later document without name is an error', () => {
    expect(problemsOf('name: a\n---\nname: b\n---\nsteps: [x]')).to.deep.equal([
      {
        message: "field 'name': DAG at index 2 must have a name in multi-DAG file",
        path: 'documents[2].name',
        line: 5,
        column: 1
      }
    ])
  })

  it('1.1.3 two later documents of one name are an error; a local workflow may carry the name of the main one', () => {
    expect(messagesOf('name: a\n---\nname: b\n---\nname: b')).to.deep.equal([
      'field \'name\': duplicate DAG name "b" found'
    ])
    expect(messagesOf('name: a\n---\nname: a')).to.deep.equal([])
  })

  it('1.1.4 name derivation: the caller, then the field (trimmed), then the fallback', () => {
    const all = { name: 'caller', fallbackName: 'file' }
    expect(planOf('name: " field "', all).name).to.equal('caller')
    expect(planOf('name: " field "', { fallbackName: 'file' }).name).to.equal('field')
    expect(planOf('name: ""', { fallbackName: 'file' }).name).to.equal('file')
    expect(planOf('steps: []', { fallbackName: 'file' }).name).to.equal('file')
  })

  it('1.1.4 an inline spec without a name is refused: DAG name is required', () => {
    const { name, plan, problems } = readDefinition('steps: [a]')
    expect({ name, plan }).to.deep.equal({ name: '', plan: undefined })
    expect(problems).to.deep.equal([{ message: "field 'name': DAG name is required", path: 'name' }])
  })

  it('1.1.5 name must be less than 40 characters (fires at 41 and up), and only contain certain characters', () => {
    expect(messagesOf(`name: ${'n'.repeat(40)}`)).to.deep.equal([])
    expect(messagesOf(`name: ${'n'.repeat(41)}`)).to.deep.equal([
      `field 'name': name must be less than 40 characters (value: "${'n'.repeat(41)}")`
    ])
    expect(messagesOf('name: a b')).to.deep.equal([
      'field \'name\': name must only contain alphanumeric characters, dashes, dots, and underscores (value: "a b")'
    ])
    expect(messagesOf('name: a_B-1.0')).to.deep.equal([])
  })

  it('1.1.5 the name check applies to the derived name too, and to it alone', () => {
    const [problem] = problemsOf('steps: []', { fallbackName: 'a b' })
    expect(problem).to.include({ path: 'name' }).and.not.to.have.property('line')
    expect(messagesOf('name: a b', { name: 'fine' })).to.deep.equal([])
    expect(messagesOf('name: a\n---\nname: b b')).to.have.length(1)
  })

  it('1.1.7 the name override applies to the main document only', () => {
    expect(planOf('name: a\n---\nname: kid', { name: 'given' }).locals[0]?.name).to.equal('kid')
  })

  it('the directory of the file is the sourceDir of the main and the local workflows; an inline spec has none', () => {
    const plan = planOf('name: a\n---\nname: b', { sourceDir: '/dags' })
    expect([plan.sourceDir, plan.locals[0]?.sourceDir]).to.deep.equal(['/dags', '/dags'])
    expect(planOf('name: a')).not.to.have.property('sourceDir')
  })

  it('a text without any definition is refused', () => {
    for (const text of ['', ' \n', '# only this', '---\n---\n', 'null', '\uFEFF']) {
      expect(messagesOf(text), JSON.stringify(text)).to.deep.equal(['the definition is empty'])
    }
    for (const [text, value] of [
      ['hello', '"hello"'],
      ['[a]', '["a"]']
    ])
      expect(messagesOf(`${text}`)).to.deep.equal([
        `a definition must be a map with fields such as name and steps (value: ${value})`
      ])
  })
})

describe('reader › YAML (execution-semantics 1.6.5)', () => {
  it('YAML 1.2 booleans only (yes, on are strings)', () => {
    expect(planOf('description: yes').description).to.equal('yes')
    expect(messagesOf('steps: [{command: x, continueOn: {failure: on}}]')).to.deep.equal([
      'field \'failure\': must be true or false (value: "on")'
    ])
    expect(planOf('%YAML 1.1\n---\ndescription: yes').description).to.equal('yes')
  })

  it('anchors, aliases and merge keys work', () => {
    const plan = planOf(
      'x-base: &base {command: echo base, output: OUT, description: base}\n' +
        'x-more: &more {command: echo more, dir: /tmp}\n' +
        'x-word: &word hello\n' +
        'steps:\n  - description: own\n    <<: *base\n  - <<: [*base, *more]\n  - *word\n  - <<: {script: inline}\n'
    )
    expect(
      plan.steps.map(({ description, command, dir, script }) => ({ description, command, dir, script }))
    ).to.deep.equal([
      { description: 'own', command: 'echo base', dir: undefined, script: undefined },
      { description: 'base', command: 'echo base', dir: '/tmp', script: undefined },
      { description: '', command: 'hello', dir: undefined, script: undefined },
      { description: '', command: undefined, dir: undefined, script: 'inline' }
    ])
  })

  it('merged entries stand where the merge key stands, own ones win whatever the order', () => {
    const env = planOf('x-e: &e {A: a, B: b}\nenv:\n  Z: z\n  <<: *e\n  B: own\n').env
    expect(env.map(({ key, value }) => `${key}=${value}`)).to.deep.equal(['Z=z', 'A=a', 'B=own'])
  })

  it('a quoted "<<" is an ordinary key', () => {
    expect(planOf('env: {"<<": v}').env).to.deep.equal([{ key: '<<', value: 'v' }])
  })

  it('a merge key wants a map, an alias an anchor before it that does not hold the alias', () => {
    expect(messagesOf('<<: text')).to.deep.equal(['a merge key wants a map or a list of maps'])
    expect(messagesOf('name: *nobody')).to.deep.equal(['alias *nobody has no anchor before it'])
    expect(messagesOf('tags: &t [*t]')).to.include('alias *t is inside the value it names')
  })

  it('an anchor of one document is not visible in the next', () => {
    expect(messagesOf('name: &n a\n---\nname: *n')).to.include('alias *n has no anchor before it')
  })

  it('a top-level key starting with x- is accepted and ignored', () => {
    expect(messagesOf('x-anything: {a: [1]}\nX-Other: 1')).to.deep.equal([])
    expect(messagesOf('steps: [{command: a, x-y: 1}]')).to.deep.equal(["field 'steps[0]': has invalid keys: x-y"])
  })

  it('duplicate keys are an error, each with its place', () => {
    expect(problemsOf('name: a\nname: b\nsteps:\n  - command: x\n    command: y')).to.deep.equal([
      { message: 'duplicate key: name', path: 'name', line: 2, column: 1 },
      { message: 'duplicate key: command', path: 'steps[0].command', line: 5, column: 5 }
    ])
    expect(messagesOf('name: a\nNAME: b')).to.deep.equal(['duplicate key: NAME'])
    expect(messagesOf('params: {A: {b: 1, b: 2}}')).to.deep.equal(['duplicate key: b'])
  })

  it('keys __proto__, constructor, prototype are refused wherever they stand', () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      expect(messagesOf(`${key}: {polluted: 1}`)).to.deep.equal([`key is not allowed: ${key}`])
      expect(problemsOf(`steps: [{command: a, env: {"${key}": 1}}]`)).to.deep.equal([
        { message: `key is not allowed: ${key}`, path: `steps[0].env.${key}`, line: 1, column: 28 }
      ])
      expect(messagesOf(`params: ${key}=1`), 'as the name of a param').to.have.length(1)
    }
    expect(Object.prototype).not.to.have.property('polluted')
  })

  it('custom tags are refused, those of the core schema work', () => {
    expect(messagesOf('name: !mine a')).to.deep.equal(['invalid YAML: Unresolved tag: !mine'])
    expect(messagesOf('description: !!binary aGk=')).to.deep.equal([
      'invalid YAML: Unresolved tag: tag:yaml.org,2002:binary'
    ])
    expect(messagesOf('tags: !!set {a, b}')).to.have.length(1)
    expect(planOf('description: !!str 5\nmaxActiveRuns: !!int "3"')).to.include({ description: '5', maxActiveRuns: 3 })
  })

  it('errors of the YAML text are refused with line and column', () => {
    expect(problemsOf('name: a\nsteps: [a\nenv: {')).to.have.length.greaterThan(0)
    const [tab] = problemsOf('steps:\n\t- a')
    expect(tab).to.include({ line: 2, column: 1, path: '' })
    expect(tab?.message).to.match(/^invalid YAML: /)
    expect(readDefinition('name: real\nsteps: [', { fallbackName: 'file' })).to.deep.include({ name: 'file' })
  })

  it('where a text with ": " or " #" in it stands without quotes, the error says how to fix that', () => {
    const mending = '; a text with ": " or " #" in it has to be quoted, or stand in a | block'
    const nested = 'invalid YAML: Nested mappings are not allowed in compact mappings'
    for (const [lines, line, column, message] of [
      ['command: curl -H "A: b" http://x', 3, 14, nested],
      ['command: echo a:', 3, 14, nested],
      ['command: echo a: b\n  and more', 3, 14, nested],
      ['command:\n  echo a: b\n  echo c', 5, 7, 'invalid YAML: Implicit map keys need to be followed by map values'],
      ['command: echo a #1\n  echo c', 4, 1, 'invalid YAML: All mapping items must start at the same column'],
      ['env: {A: b c: d}', 3, 14, 'invalid YAML: Block collections are not allowed within flow collections']
    ] as const) {
      const [first] = problemsOf(oneStep(...lines.split('\n')))
      expect(first, lines).to.deep.equal({ path: '', message: `${message}${mending}`, line, column })
    }
  })

  it('other errors of the YAML text stay without it', () => {
    for (const text of [
      'steps:\n  - name: a\n     command: b',
      'name: a\ncommand',
      'steps: [',
      'steps:\n\t- echo a: b',
      'name: "a: b'
    ])
      for (const message of messagesOf(text)) expect(message, text).to.match(/^invalid YAML: [^;]+$/)
  })

  it('a text that holds a NUL character is refused', () => {
    expect(problemsOf('steps:\n  - "a\\0b"')).to.deep.equal([
      { message: 'a text must not hold a NUL character', path: 'steps[0]', line: 2, column: 5 }
    ])
  })

  it('scalars of env and params keep their source text, quoted strings their value', () => {
    const values =
      '{A: 1.10, B: 007, C: 123456789012345678901, D: 0x1F, E: 1e3, F: True, G: "1.10", H: "a\\tb", I: 2024-01-01, J: null, K: }'
    const expected = [
      '1.10',
      '007',
      '123456789012345678901',
      '0x1F',
      '1e3',
      'True',
      '1.10',
      'a\tb',
      '2024-01-01',
      '',
      ''
    ]
    expect(planOf(`env: ${values}`).env.map(({ value }) => value)).to.deep.equal(expected)
    expect(planOf(`params: ${values}`).params.map(({ value }) => value)).to.deep.equal(expected)
    expect(stepOf(`steps: [{command: a, env: ${values}}]`).env.map(({ value }) => value)).to.deep.equal(expected)
  })

  it('text with Windows line ends and a byte order mark is read', () => {
    expect(planOf('\uFEFFname: a\r\nsteps:\r\n  - command: |\r\n      one\r\n      two\r\n').steps[0]?.script).to.equal(
      'one\ntwo\n'
    )
  })

  it('a problem as a sentence ends with its place when it is known', () => {
    expect(problemText({ message: 'm', path: '', line: 3, column: 4 })).to.equal('m (line 3, column 4)')
    expect(problemText({ message: 'm', path: '', line: 3 })).to.equal('m (line 3)')
    expect(problemText({ message: 'm', path: '' })).to.equal('m')
  })
})
