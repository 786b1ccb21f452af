/** Items of `parallel`. Source: execution-semantics 9.4. */
import { expect } from 'chai'
import { itemsOf, itemText, splitItems } from '../../../src/definition/steps/items.ts'

const look = (values: Record<string, string> = {}) => ({ variable: (name: string) => values[name] })

describe('parallel › 9.4.4 a text is split by the first rule that fits', () => {
  const cases: Record<string, [string, string[]]> = {
    'a JSON array: strings raw, others as JSON text, null as `null`': [
      '["a b", 1, true, null, [1,2]]',
      ['a b', '1', 'true', 'null', '[1,2]']
    ],
    'objects of an array: compact JSON with sorted keys': ['[{"b": 2, "a": "x"}]', ['{"a":"x","b":2}']],
    'one JSON object': ['{"b": 1, "a": 12345678901234567890}', ['{"a":12345678901234567890,"b":1}']],
    'several lines, trimmed, empties dropped': [' a b \n\n c \n', ['a b', 'c']],
    'double-quoted words': ['"a b" "c \\"d\\""', ['a b', 'c "d"']],
    'double-quoted words beside others': ['"a b" c=1 "" "d, e"', ['a b', 'c=1', '', 'd, e']],
    'a quote within a word, or a separator behind one: no quoted words': ['a"b" "c d",e', ['a"b" "c d"', 'e']],
    'the most frequent of tab, pipe, semicolon, comma': ['a,b,c|d', ['a', 'b', 'c|d']],
    'ties: tab, pipe, semicolon, comma': ['a;b|c', ['a;b', 'c']],
    'else blanks': ['  a  b c ', ['a', 'b', 'c']],
    'what begins like JSON and is none goes by another rule': ['[a, b', ['[a', 'b']],
    nothing: ['  ', []]
  }
  for (const [title, [text, items]] of Object.entries(cases))
    it(title, () => expect(splitItems(text)).to.deep.equal(items))
})

describe('parallel › items', () => {
  it('texts of a list are expanded and not split; maps are compact JSON with sorted keys', async () => {
    const items = await itemsOf({ items: ['${X} b', { b: '${X}', a: '1' }], maxConcurrent: 1 }, look({ X: 'x y' }))
    expect(items).to.deep.equal(['x y b', '{"a":"1","b":"x y"}'])
  })

  it('9.4.6 at least 1, at most 1000', async () => {
    const failure = (items: string | string[]) =>
      itemsOf({ items, maxConcurrent: 1 }, look()).then(
        () => '',
        ({ message }: Error) => message
      )
    expect(await failure('${NOTHING}')).to.equal('parallel execution requires at least one item')
    const many = Array.from({ length: 1_001 }, String)
    expect(await failure(many)).to.equal('parallel execution exceeds maximum limit: 1001 items (max: 1000)')
    expect(await failure(many.slice(1))).to.equal('')
  })

  it('9.4.5 without params a string item is words, an object sets params by key', () => {
    expect(itemText('one K=two')).to.equal('one K=two')
    expect(itemText('{"K":"a b","N":1}')).to.equal('K="a b" N="1"')
  })
})
