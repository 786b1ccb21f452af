/** What a definition means by the release of Dagu that it was written for. Source: docs/operating/coming-from-dagu.md. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readDefinition } from '../../src/definition/read.ts'
import type { Release } from '../../src/import/dagu/translate/pen.ts'
import { releaseOf } from '../../src/import/dagu/translate/release.ts'
import { translated } from '../../src/import/dagu/translate/translated.ts'
import { temporaryFolder } from '../support/homes.ts'
import { errorOf, importInto, said } from './scene.ts'

interface Outcome {
  text: string
  /** Each step with what it waits for. */
  order: string[]
  said: string[]
}

/** @param release of a file that does not tell it */
function becomes(text: string, release?: Release): Outcome {
  const found = translated(text, { isDefinition: (name) => name === 'child', ...(release ? { release } : {}) })
  const { plan, problems } = readDefinition(found.text, { fallbackName: 'x' })
  return {
    text: found.text,
    order: plan
      ? plan.steps.map(({ name, depends }) => `${name}<${depends.join(',')}`)
      : problems.map(({ message }) => message),
    said: found.changes.map(({ kind, text }) => `${kind}: ${text}`)
  }
}
const kinds = ({ said }: Outcome) => [...new Set(said.map((one) => one.split(':')[0]))].sort()
const NEW = 'type: graph is written, as it is of release 2.7 or later'

/** Two steps that wait for nothing, and one for both. */
const fan = (word: string) =>
  `steps:\n  - id: first\n    ${word}: sleep 1\n  - id: second\n    ${word}: sleep 1\n  - id: last\n    ${word}: echo last\n    depends: [first, second]\n`

describe('import › the release of a definition', () => {
  it('a word of release 2.7 or later means a graph: type: graph is written and said', () => {
    const found = becomes(fan('run'))
    expect(found.order).to.deep.equal(['first<', 'second<', 'last<first,second'])
    expect(found.said).to.include(`translated: ${NEW}`)
    for (const word of ['consts: {A: b}', 'tools: [jq@1]', 'outputs: {a: b}']) {
      const { said, text } = becomes(`${word}\n${fan('command')}`)
      expect(said, word).to.include(`translated: ${NEW}`)
      expect(text, word).to.contain('type: graph')
    }
    for (const step of ['action: noop', 'run: [echo a, echo b]', 'run: echo a\n    with: {shell: bash}'])
      expect(becomes(`steps:\n  - ${step}\n  - command: echo b\n`).text, step).to.contain('type: graph')
  })
  it('every document of the file is of its release', () => {
    const { text } = becomes(
      'steps:\n  - run: echo a\n---\nname: b\nsteps:\n  - command: echo b\n  - command: echo c\n'
    )
    expect(text.split('---')[1]).to.contain('type: graph')
  })
  it('a type that is written stays', () => {
    expect(becomes(`type: chain\n${fan('run')}`).order).to.deep.equal(['first<', 'second<first', 'last<first,second'])
    const text = 'steps:\n  - run: echo a\n  - run: echo b\n'
    expect(translated(text, { isDefinition: () => false, baseHasType: true }).text).to.not.contain('type: graph')
  })
  it('--from says the release where the file cannot tell', () => {
    expect(becomes(fan('command'), 'new').order).to.deep.equal(['first<', 'second<', 'last<first,second'])
    const old = becomes(fan('command'), 'old')
    expect([old.order, kinds(old)]).to.deep.equal([['first<', 'second<first', 'last<first,second'], ['translated']])
    const told = becomes(`maxActiveRuns: 2\n${fan('command')}`)
    expect([told.order[1], kinds(told)]).to.deep.equal(['second<first', ['translated']])
    expect(becomes(fan('run'), 'old').said).to.include(`translated: ${NEW}`)
  })
  it('a file that cannot be told apart, and differs, is named as such', () => {
    expect(becomes(fan('command')).said.filter((one) => one.startsWith('note'))).to.deep.equal([
      'note: nothing tells its release: its steps run one after another here, as before 2.7; since then each waits for its depends only'
    ])
  })
  it('nothing is said where the order is the same either way', () => {
    for (const text of [
      'steps:\n  - name: a\n    command: x\n',
      'steps:\n  - name: a\n    command: x\n  - name: b\n    command: x\n    depends: a\n  - name: c\n    command: x\n    depends: [a, b]\n',
      'steps:\n  - name: a\n    command: x\n  - name: b\n    command: x\n    depends: []\n',
      'steps:\n  a: {command: x}\n  b: {command: x}\n'
    ])
      expect(becomes(text)).to.deep.include({ text, said: [] })
  })
  it('steps that are out of order are a graph, as no chain could run them; of an earlier release that is said, without the cycle', () => {
    const text = 'steps:\n  - id: last\n    command: x\n    depends: first\n  - id: first\n    command: x\n'
    expect(becomes(text).order).to.deep.equal(['last<first', 'first<'])
    expect(becomes(text).said).to.include('translated: type: graph is written, as a step depends on a later one')
    expect(becomes(text, 'old').said).to.include(
      'left: a step depends on a later one, and before release 2.7 its steps run one after another'
    )
  })
  it('a step with an id alone has it as its name', () => {
    const { order, text } = becomes(
      'steps:\n  - id: build\n    command: x\n  - - id: b\n      command: x\n    - id: c\n      name: d\n      command: x\n'
    )
    expect(order).to.deep.equal(['build<', 'b<build', 'd<build'])
    expect(text).to.contain('  - name: build\n    id: build\n')
  })
  it('run: WORD of a release is a command or a call as it means it; else it is named', () => {
    expect(becomes('steps:\n  - run: child\n', 'new').text).to.equal('steps:\n  - command: child\n')
    expect(becomes('steps:\n  - run: make\n  - run: echo b\n').text).to.contain('command: make')
    expect(becomes('steps:\n  - run: child\n', 'old')).to.deep.include({ text: 'steps:\n  - run: child\n', said: [] })
    expect(becomes('steps:\n  - run: child\n').said).to.deep.equal([
      'note: run: child is read as the call of the workflow child, as before release 2.7; since then it is a command'
    ])
  })
  it('a release is a number with what follows it; only of 2 it must say which', () => {
    for (const [version, release] of [
      ['2.7', 'new'],
      ['v2.15.3', 'new'],
      ['3', 'new'],
      ['1.x', 'old'],
      ['1.30.2', 'old'],
      ['2.6.5', 'old']
    ])
      expect(releaseOf(version ?? ''), version).to.equal(release)
    for (const version of ['2', '2.x', 'new', ''])
      expect(() => releaseOf(version), version).to.throw('--from: wanted a release of Dagu such as 2.15 or 1.30, found')
  })
})

describe('import › typed params', () => {
  const imported = async (name: string, text: string) => {
    const [from, to] = [temporaryFolder(), temporaryFolder()]
    mkdirSync(join(from, 'dags'))
    mkdirSync(join(from, 'data'))
    writeFileSync(join(from, 'dags', `${name}.yaml`), text)
    const done = await importInto(to, from)
    const written = (file: string) =>
      existsSync(join(to, 'dags', file)) ? readFileSync(join(to, 'dags', file), 'utf8') : undefined
    return {
      text: written(`${name}.yaml`),
      schema: written(`${name}.params.json`),
      left: said(done, 'definitions', 'left')
    }
  }

  it('a map with a name beside a word of typed params is one param: its command is its default, its checks are a JSON Schema', async () => {
    const { text, schema, left } = await imported(
      'typed',
      [
        'params:',
        '  - name: day',
        '    eval: "`date +%F`"',
        '  - name: size',
        '    type: integer',
        '    default: 25',
        '    minimum: 1',
        '  - name: stage',
        '    enum: [dev, "1"]',
        '    required: true',
        '  - name: home',
        '    default: ${HOME}/x',
        '  - PLAIN: 1',
        'steps: [echo a]',
        ''
      ].join('\n')
    )
    expect(left).to.deep.equal([])
    expect(text).to.equal(
      [
        'params:',
        '  schema: ./typed.params.json',
        '  values:',
        '    - day: "`date +%F`"',
        '    - size: 25',
        '    - PLAIN: 1',
        'steps: [echo a]',
        ''
      ].join('\n')
    )
    expect(JSON.parse(schema ?? '')).to.deep.equal({
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 1 },
        stage: { enum: ['dev', '1', 1] },
        home: { default: `\${HOME}/x` }
      },
      required: ['stage']
    })
  })
  it('a name with a description alone is no two params', async () => {
    const { text, schema } = await imported(
      'b',
      'params:\n  - name: who\n    description: Whom to greet\nsteps: [echo a]\n'
    )
    expect(text).to.contain('values:\n    - who: ""')
    expect(JSON.parse(schema ?? '').properties).to.deep.equal({ who: { description: 'Whom to greet' } })
  })
  it('a schema within the definition is a file, too', async () => {
    const { text, schema } = await imported(
      'c',
      'params:\n  schema: {type: object, properties: {n: {type: integer, default: 3}}}\n  values: {n: 4}\nsteps: [echo a]\n'
    )
    expect(text).to.contain('schema: ./c.params.json\n  values: {n: 4}')
    expect(JSON.parse(schema ?? '').properties.n).to.deep.equal({ type: 'integer', default: 3 })
  })
  it('in a file of 1.x two entries of a map are two params', () => {
    const text = 'maxActiveRuns: 1\nparams:\n  - name: a\n    type: b\nsteps: [echo a]\n'
    expect(becomes(text)).to.deep.include({ text, said: [] })
  })
  it('a release that is none is refused', async () => {
    const error = await errorOf(importInto(temporaryFolder(), temporaryFolder(), { from: 'two' }))
    expect(error).to.deep.include({ code: 'bad_request' })
  })
})
