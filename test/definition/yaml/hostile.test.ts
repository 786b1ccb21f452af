import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { readDefinition } from '../../../src/definition/read.ts'
import { casesOf, fixture } from '../../golden/cases.ts'
import { LINEAR } from '../../support/processor-time.ts'
import { messagesOf, planOf } from '../reading.ts'
import type { Hostile } from './hostile.ts'

describe('reader › bad input (architecture 7)', () => {
  let found: Hostile[] = []
  const named = (prefix: string) => found.filter(({ name }) => name.startsWith(prefix))

  before(() => {
    const child = fileURLToPath(new URL('hostile.js', import.meta.url))
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, [child], { encoding: 'utf8' })
    expect({ status, signal }, stderr.slice(0, 500)).to.deep.equal({ status: 0, signal: null })
    found = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Hostile)
  })

  it('the process that read them all is alive to the last', () => {
    expect(found.at(-1)).to.include({ name: 'prototypes are clean' })
    expect(found.at(-1)?.problems).to.deep.equal([])
  })

  it('__proto__ is refused at every level, executor.config included', () => {
    expect(named('__proto__').length).to.be.greaterThan(30)
    for (const { name, problems } of named('__proto__')) {
      expect(problems, name).to.include('key is not allowed: __proto__')
    }
  })

  it('bombs of aliases are refused wherever they stand', () => {
    expect(named('bomb')).to.have.length(4)
    for (const { name, problems } of named('bomb')) {
      expect(
        problems.some((problem) => /aliases/.test(problem)),
        name
      ).to.equal(true)
    }
  })

  it('regular expressions that would never end are read, and searched for in linear time', () => {
    expect(named('pattern').length).to.be.greaterThan(40)
    expect(named('search').length).to.be.greaterThan(10)
    expect(named('search').filter(({ growth = LINEAR }) => growth >= LINEAR)).to.deep.equal([])
  })

  it('10,001 steps and other masses are refused, in linear time', () => {
    expect(named('other').length).to.be.greaterThan(9)
    for (const { name, problems, growth } of named('other')) {
      expect(problems, name).not.to.deep.equal([])
      expect(growth, name).to.be.below(LINEAR)
    }
  })

  it('Windows line ends and a byte order mark change nothing', () => {
    for (const name of casesOf('expand')) {
      const text = fixture(`expand/${name}/dag.yaml`)
      const options = { fallbackName: name }
      const { plan, problems } = readDefinition(`\uFEFF${text.replaceAll('\n', '\r\n')}`, options)
      expect(problems, name).to.deep.equal([])
      expect(plan, name).to.deep.equal(readDefinition(text, options).plan)
    }
  })

  for (const [place, text] of Object.entries({
    'a definition': 'queue: a\nqueue: b',
    'a definition, in another case': 'queue: a\nQueue: b',
    schedule: 'schedule: {start: "0 1 * * *", start: "0 2 * * *"}',
    workerSelector: 'workerSelector: {a: b, a: c}',
    secrets: 'secrets: [{name: A, name: B, provider: env, key: C}]',
    container: 'container: {image: a, IMAGE: b}',
    registryAuths: 'registryAuths: {a.io: {username: b, username: c}}',
    'executor.config': 'steps: [{command: ., executor: {type: jq, config: {a: 1, a: 2}}}]',
    'deep in executor.config': 'steps: [{command: ., executor: {type: jq, config: {a: [{b: 1, b: 2}]}}}]',
    'an item of parallel': 'steps: [{call: k, parallel: [{a: 1, a: 2}]}]'
  })) {
    it(`duplicate keys are refused in ${place}`, () => {
      expect(messagesOf(text).filter((message) => message.startsWith('duplicate key'))).to.have.length(1)
    })
  }

  it('a base file is held to the same limits', () => {
    const bad = ['['.repeat(50_000), `a: "${'x'.repeat(1024 * 1024)}"`, 'env: {"__proto__": 1}', 'a: &a [*a]']
    for (const text of bad) {
      const { problems } = readDefinition('name: a', { base: { text, path: 'base.yaml' } })
      expect(problems[0]?.message, text.slice(0, 20)).to.match(/^failed to decode base config: /)
    }
    expect(planOf('name: a', { base: { text: '\uFEFFgroup: b\r\n', path: 'base.yaml' } }).group).to.equal('b')
  })
})
