import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { LineCounter } from 'yaml'
import { MAX_DOCUMENTS, MAX_TEXT_BYTES, tokensOf } from '../../../src/definition/yaml/nesting.ts'
import { itLong } from '../../support/long.ts'
import { growth, LINEAR } from '../../support/processor-time.ts'
import { messagesOf, planOf, problemsOf, warningsOf } from '../reading.ts'

const levels = (count: number) => `params: {A: ${'['.repeat(count - 2)}${']'.repeat(count - 2)}}`
const refusedBecause = (text: string) => {
  const read = tokensOf(text, new LineCounter())
  return 'refused' in read ? read.refused : 'read'
}

describe('reader › limits (architecture 7)', () => {
  it('deeply nested text cannot abort the process: it is refused before the parser recurses', () => {
    const child = fileURLToPath(new URL('attack.js', import.meta.url))
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, [child], { encoding: 'utf8' })
    expect({ status, signal }, stderr.slice(0, 500)).to.deep.equal({ status: 0, signal: null })
    const { texts, refused } = JSON.parse(stdout) as Record<string, number>
    expect(texts).to.be.greaterThan(700)
    expect(refused).to.equal(texts)
  })

  for (const [shape, text] of Object.entries({
    flow: '['.repeat(65),
    'flow of maps': '{a: '.repeat(65),
    'sequences on one line': '- '.repeat(65),
    'explicit keys': '? '.repeat(65),
    'indentation of maps': Array.from({ length: 65 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
    'indentation of lists': Array.from({ length: 65 }, (_, level) => `${' '.repeat(level)}-`).join('\n'),
    'maps on one line': 'a: '.repeat(66),
    'maps on one line, line after line': 'a: b: c\n'.repeat(65)
  })) {
    it(`nesting 64: ${shape} is refused`, () => {
      expect(refusedBecause(text)).to.equal('a definition has at most 64 levels of nesting')
    })
  }

  it('nesting 64 is allowed, 65 is not, and the position is reported', () => {
    expect(planOf(levels(64)).params[0]?.value).to.equal(`${'['.repeat(62)}${']'.repeat(62)}`)
    expect(problemsOf(levels(65))).to.deep.equal([
      { message: 'a definition has at most 64 levels of nesting', path: '', line: 1, column: 75 }
    ])
  })

  it('nesting counts what an alias stands for', () => {
    const deep = `x-a: &a ${'['.repeat(40)}${']'.repeat(40)}\n`
    expect(messagesOf(`${deep}params: {A: ${'['.repeat(20)}*a${']'.repeat(20)}}`)).to.deep.equal([])
    expect(messagesOf(`${deep}params: {A: ${'['.repeat(25)}*a${']'.repeat(25)}}`)).to.deep.equal([
      'alias *a goes beyond 64 levels of nesting'
    ])
  })

  it('definition text 1 MiB: exactly that is read, one byte more is refused', () => {
    const text = `description: ${'é'.repeat((MAX_TEXT_BYTES - 13) / 2)}`
    expect(Buffer.byteLength(`${text}x`)).to.equal(MAX_TEXT_BYTES)
    expect(messagesOf(`${text}x`)).to.deep.equal([])
    expect(messagesOf(`${text}xx`)).to.deep.equal(['a definition has at most 1048576 bytes, this one has 1048577'])
  })

  it('100 aliases are allowed, 101 are not', () => {
    const text = (count: number) => `x-a: &a {K: v}\nenv: [${'*a,'.repeat(count)}]`
    expect(planOf(text(100)).env).to.have.length(100)
    expect(messagesOf(text(101))).to.include('a definition has at most 100 aliases')
  })

  it('aliases that stand for gigabytes are refused before they are followed', async () => {
    const refused = (levels: number) => {
      const bomb = Array.from(
        { length: levels },
        (_, level) => `x-${level + 1}: &a${level + 1} [${`*a${level},`.repeat(10)}]\n`
      )
      expect(messagesOf(`x-0: &a0 [${'lol,'.repeat(10)}]\n${bomb.join('')}params: {A: *a${levels}}`)).to.deep.equal([
        'aliases stand for more than 1048576 characters'
      ])
    }
    // With each level the text stands for ten times as much.
    expect(await growth(refused, 6, 9)).to.be.below(LINEAR)
  })

  it('10,000 steps are allowed, 10,001 are not, groups and local workflows counted', () => {
    const steps = (count: number) => `steps: [${'a,'.repeat(count)}]`
    expect(planOf(steps(10_000)).steps).to.have.length(10_000)
    expect(messagesOf(steps(10_001))).to.deep.equal([
      "field 'steps': a definition has at most 10000 steps, this one has 10001 or more"
    ])
    expect(messagesOf(`steps: [[${'a,'.repeat(5001)}], [${'a,'.repeat(5000)}]]`)).to.have.length(1)
    expect(messagesOf(`${steps(6000)}\n---\nname: b\n${steps(6000)}`)).to.have.length(1)
  })

  it('100,000 dependencies are allowed, more are not', () => {
    const groups = (first: number, second: number) => `steps: [[${'a,'.repeat(first)}], [${'a,'.repeat(second)}]]`
    expect(planOf(groups(1000, 100)).steps).to.have.length(1100)
    expect(messagesOf(groups(1000, 101))).to.deep.equal(["field 'steps': a definition has at most 100000 dependencies"])
  })

  it('a text has at most 1000 documents and 600,000 words and signs', () => {
    expect(refusedBecause('---\n'.repeat(MAX_DOCUMENTS + 1))).to.equal('a definition has at most 1000 documents')
    expect(refusedBecause(`[${'a,'.repeat(400_000)}]`)).to.equal('a definition has at most 600000 words and signs')
  })

  it('a 1 MB definition of 8,000 steps is read, in linear time', async () => {
    const step = (index: number) =>
      `  - name: s${index}\n    command: echo hello ${index}\n    depends: [s${Math.max(0, index - 7)}]\n` +
      `    output: OUT_${index}\n    retryPolicy: {limit: 3, intervalSec: 1}\n`
    const text = (length: number) =>
      `type: graph\nsteps:\n  - {name: s0, command: a}\n${Array.from({ length }, (_, index) => step(index + 1)).join('')}`
    expect(text(8_000).length).to.be.within(900_000, MAX_TEXT_BYTES)
    const read = (count: number) => expect(planOf(text(count)).steps).to.have.length(count + 1)
    read(8_000)
    expect(await growth(read, 200)).to.be.below(LINEAR)
  })

  it('mistakes without number are reported up to 100, and the rest counted', () => {
    const messages = messagesOf(`steps:\n${'- {command: x, foo: 1}\n'.repeat(150)}`)
    expect(messages).to.have.length(101)
    expect(messages.at(-1)).to.equal('50 more problems are not shown')
  })

  it('so are warnings', () => {
    const warnings = warningsOf(`steps:\n${'- {run: kid}\n'.repeat(150)}`)
    expect(warnings).to.have.length(101)
    expect(warnings.at(-1)).to.equal('50 more warnings are not shown')
  })

  itLong('a mebibyte of syntax errors is refused in linear time, with the first of them', async () => {
    const refused = (count: number) => expect(messagesOf(`a: "${'\\q'.repeat(count)}"`)).to.have.length(10)
    expect(await growth(refused, 50_000)).to.be.below(LINEAR)
  })
})
