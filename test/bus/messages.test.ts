/** What is read from the bus, and what is refused by name. Source: distribution 1 (D12), 3. */
import { expect } from 'chai'
import { MOST_BYTES } from '../../src/bus/envelope.ts'
import { answerIn, beatIn, helloIn, subjectsOf, written } from '../../src/bus/messages.ts'

const hello = {
  kind: 'hello',
  v: 1,
  minV: 1,
  id: 'gpu-1',
  home: '0123456789abcdef',
  session: 's1',
  labels: { gpu: 'true' },
  slots: 4,
  version: '0.5.0',
  host: 'box',
  pid: 42,
  executors: ['shell']
}
const said = (read: () => unknown): string => {
  try {
    read()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}
const refused = (change: object) => said(() => helloIn(JSON.stringify({ ...hello, ...change })))

describe('bus › messages', () => {
  it('a hello is read as it was said; members that are not known are ignored', () => {
    const { kind: _, ...members } = hello
    expect(helloIn(JSON.stringify({ ...hello, colour: 'red' }))).to.deep.equal(members)
  })
  it('garbage is refused, and the reason names the member', () => {
    expect(said(() => helloIn('\0\x01nonsense'))).to.equal('hello: wanted JSON, found something else')
    expect(said(() => helloIn('[]'))).to.equal('hello: wanted an object, found []')
    expect(said(() => helloIn('{}'))).to.equal('hello.kind: wanted "hello", found nothing')
    expect(refused({ v: '1' })).to.equal('hello.v: wanted an integer from 1 to 9007199254740991, found "1"')
    expect(refused({ minV: 2 })).to.equal('hello.minV: wanted at most 1, found 2')
    expect(refused({ id: '' })).to.equal('hello.id: wanted a text of 1 to 200 characters on one line, found ""')
    expect(refused({ id: 'a\nb' })).to.contain('hello.id')
    expect(refused({ labels: { a: 1 } })).to.contain('hello.labels.a: wanted a text')
    expect(refused({ labels: { a: '' } })).to.contain('hello.labels.a: wanted a text')
    expect(refused({ labels: ['a'] })).to.contain('hello.labels: wanted a map')
    expect(refused({ slots: 0 })).to.contain('hello.slots: wanted an integer from 1')
    expect(refused({ executors: Array.from({ length: 201 }, () => 'x') })).to.contain('hello.executors: wanted a list')
    expect(said(() => beatIn(JSON.stringify({ kind: 'beat', session: 's', n: 1, load: { cpu: 101 } })))).to.equal(
      'beat.load.cpu: wanted a number from 0 to 100, found 101'
    )
    expect(said(() => helloIn(JSON.stringify({ ...hello, id: 'x'.repeat(MOST_BYTES) })))).to.equal(
      `hello: wanted at most ${MOST_BYTES} bytes`
    )
    expect(said(() => answerIn('{"kind":["greet"]}'))).to.contain('answer.kind: wanted welcome')
    expect(said(() => answerIn('{"kind":"gift"}'))).to.equal(
      'answer.kind: wanted welcome, refused, heard or greet, found "gift"'
    )
  })
  it('names from a worker are data', () => {
    const { labels } = helloIn(JSON.stringify(hello).replace('"gpu"', '"__proto__"'))
    expect([Object.keys(labels), Object.getPrototypeOf(labels) === Object.prototype]).to.deep.equal([
      ['__proto__'],
      true
    ])
  })
  it('a hello of another version is read as far as every version has it', () => {
    const found = helloIn(JSON.stringify({ kind: 'hello', v: 9, minV: 7, id: 'x', home: hello.home, labels: 'none' }))
    expect(found).to.include({ v: 9, minV: 7, id: 'x', session: '' })
  })
  it('subjects: whose word it is', () => {
    const subjects = subjectsOf('blue')
    expect(subjects.read(subjects.up(hello.home, 'beat'))).to.deep.equal({ home: hello.home, kind: 'beat' })
    for (const other of ['trp.red.up.0123456789abcdef.beat', 'trp.blue.up.me.beat', 'trp.blue.up.0123456789abcdef.a.b'])
      expect(subjects.read(other)).to.equal(undefined)
  })
  it('answers are read as they were written', () => {
    const welcome = { kind: 'welcome', epoch: 3, engine: 'e', beatMs: 1_000, lostMs: 30_000 } as const
    expect(answerIn(written(welcome))).to.deep.equal(welcome)
    expect(answerIn(written({ kind: 'greet' }))).to.deep.equal({ kind: 'greet' })
  })
})
