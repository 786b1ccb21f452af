import { expect } from 'chai'
import fc from 'fast-check'
import { paramsText } from '../../../src/cli/input/params-text.ts'
import { parseOverride } from '../../../src/definition/dag/params.ts'

const arrived = (...words: string[]) => parseOverride(paramsText(words)).map(({ name, value }) => [name, value])

describe('command line › words after -- are params', () => {
  it('K=two words arrives as one value', () => {
    expect(paramsText(['a', 'K=two words', 'N=5'])).to.equal('a K="two words" N=5')
    expect(arrived('a', 'K=two words', 'N=5')).to.deep.equal([
      ['1', 'a'],
      ['K', 'two words'],
      ['N', '5']
    ])
  })

  it('a single bare value with blanks stays one value', () => {
    expect(arrived('two words')).to.deep.equal([['1', 'two words']])
    expect(arrived('two words', 'three more words')).to.deep.equal([
      ['1', 'two words'],
      ['2', 'three more words']
    ])
  })

  it('quotes, backslashes, backticks, line breaks and empty values arrive unchanged', () => {
    for (const value of ['say "hi"', 'C:\\new\\', '`date`', 'a\nb', "it's", '$HOME', '\\"', '']) {
      expect(arrived(`K=${value}`), JSON.stringify(value)).to.deep.equal([['K', value]])
    }
  })

  it('only the first = splits', () => {
    expect(arrived('D=a=b')).to.deep.equal([['D', 'a=b']])
  })

  it('a single word that is a JSON object or array is passed on as it is', () => {
    expect(arrived('{"A":5,"B":"x y"}')).to.deep.equal([
      ['A', '5'],
      ['B', 'x y']
    ])
    expect(arrived('["a","b"]')).to.deep.equal([
      ['1', 'a'],
      ['2', 'b']
    ])
  })

  it('2.2.5 a single word that begins with { or [ is JSON or refused, as --params is; with a name it is a value', () => {
    for (const broken of ['{"A":', '{not json', ' [draft]'])
      expect(() => arrived(broken), broken).to.throw(
        'wanted words, or JSON such as {"NAME": "value"}, found broken JSON'
      )
    expect(arrived('1=[draft]')).to.deep.equal([['1', '[draft]']])
    expect(arrived('[a', 'b')).to.deep.equal([
      ['1', '[a'],
      ['2', 'b']
    ])
  })

  it('no words are no params', () => {
    expect(paramsText([])).to.equal('')
  })

  it('any words arrive one by one, whatever is in them', () => {
    const name = fc.stringMatching(/^[A-Za-z_]\w{0,5}$/)
    const word = fc.oneof(
      fc
        .string({ unit: fc.constantFrom('a', ' ', '"', '\\', '`', "'", '=', '{', '[', '$', '\n', 'é') })
        .map((value) => ({ value })),
      fc.tuple(name, fc.string()).map(([name, value]) => ({ name, value }))
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const texts = words.map((word) => ('name' in word ? `${word.name}=${word.value}` : word.value))
        fc.pre(!texts.some((text) => text.includes('\0') || /^\s*[{[]/.test(text)))
        const expected = texts.map((text, index) => {
          const [, name, value = ''] = /^([^\s"`=]+)=([\s\S]*)$/.exec(text) ?? []
          return name === undefined ? [String(index + 1), text] : [name, value]
        })
        expect(arrived(...texts)).to.deep.equal(expected)
      }),
      { numRuns: 500 }
    )
  })
})
