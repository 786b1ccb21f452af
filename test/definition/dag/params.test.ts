import { expect } from 'chai'
import fc from 'fast-check'
import {
  defaultParamsText,
  evaluateParams,
  mergeParams,
  paramsText,
  parseOverride,
  parseParamWords
} from '../../../src/definition/dag/params.ts'
import type { Lookup } from '../../../src/definition/text/lookup.ts'
import { TroupeError } from '../../../src/errors.ts'
import { ofAll } from '../../support/long.ts'

/** `1=one NAME=x`, with the positional ones marked by an asterisk. */
const shown = (text: string) =>
  parseParamWords(text).map(({ name, value, positional }) => `${positional ? '*' : ''}${name}=${value}`)
const pairs = (text: string) => parseOverride(text).map(({ name, value }) => [name, value])
const environment = (values: Record<string, string>): Lookup => ({ variable: (name) => values[name] })
const refusal = (text: string): TroupeError => {
  try {
    parseOverride(text)
  } catch (cause) {
    if (cause instanceof TroupeError) return cause
  }
  throw new Error(`accepted: ${text}`)
}

describe('params › declaring (2.1)', () => {
  it('2.1.1 separates words by blanks; a word is NAME=value or a bare value', () => {
    expect(shown('  one\tNAME=v \n two ')).to.deep.equal(['*1=one', 'NAME=v', '*3=two'])
  })
  it('2.1.1 a value in double quotes loses them, inner \\" and \\\\ are unescaped', () => {
    expect(shown('A="x \\"y\\" \\\\" "p q"')).to.deep.equal(['A=x "y" \\', '*2=p q'])
  })
  it('2.1.1 a quoted value that ends in \\" keeps its last character', () => {
    expect(shown('A="say \\"hi\\"" B=1')).to.deep.equal(['A=say "hi"', 'B=1'])
  })
  it('2.1.1 a backtick value is one word and keeps its backticks', () => {
    expect(shown('A=`date +%F` `echo "a b"` x')).to.deep.equal(['A=`date +%F`', '*2=`echo "a b"`', '*3=x'])
  })
  it('2.1.1 only the first = splits', () => {
    expect(shown('D=a=b =c')).to.deep.equal(['D=a=b', '*2==c'])
  })
  it('2.1.1 single quotes have no meaning', () => {
    expect(shown("A='x y'")).to.deep.equal(["A='x", "*2=y'"])
  })
  it('2.1.1 a quoted bare value may hold an equals sign', () => {
    expect(shown('"a=b" c')).to.deep.equal(['*1=a=b', '*2=c'])
  })
  it('Choice: an unclosed quote runs to the end, NAME= is an empty value, an empty text has no params', () => {
    expect(shown('A= B="x y')).to.deep.equal(['A=', 'B=x y'])
    expect(shown('""')).to.deep.equal(['*1='])
    expect(shown('')).to.deep.equal([])
    expect(shown(' \n')).to.deep.equal([])
  })
  it('2.1.3 a bare value is named by its position among all params, named ones too', () => {
    expect(shown('one two NAME=x "q r"')).to.deep.equal(['*1=one', '*2=two', 'NAME=x', '*4=q r'])
  })
  it('2.1.3 counts on from the params before the text', () => {
    expect(parseParamWords('a', 2)).to.deep.equal([{ name: '3', value: 'a', positional: true }])
  })
  it('reads 1 MB of quotes or backticks in linear time', () => {
    for (const mark of ['"', '`', '\\', 'a=', '\\"', '` ', '\\` ']) parseParamWords(mark.repeat(500_000))
  })
})

describe('params › overriding at start (2.2)', () => {
  it('2.2.1 uses the grammar of declared params', () => {
    expect(pairs('three FOO="two words"')).to.deep.equal([
      ['1', 'three'],
      ['FOO', 'two words']
    ])
  })
  it('2.2.1 a string wrapped whole in double quotes is unquoted first', () => {
    expect(pairs('"A=1 B=\\"x y\\""')).to.deep.equal([
      ['A', '1'],
      ['B', 'x y']
    ])
    expect(pairs('"a b" "c d"')).to.deep.equal([
      ['1', 'a b'],
      ['2', 'c d']
    ])
    expect(pairs(' "{\\"A\\": \\"x y\\", \\"B\\": [1]}" ')).to.deep.equal([
      ['A', 'x y'],
      ['B', '[1]']
    ])
    expect(pairs('"[\\"a b\\", {\\"C\\": 1}]"')).to.deep.equal([
      ['1', 'a'],
      ['2', 'b'],
      ['C', '1']
    ])
  })
  it('2.1.1 one value in double quotes is one value, with the blanks, quotes and backslashes in it', () => {
    const one = (text: string) => expect(pairs(text), text)
    one('"two words"').to.deep.equal([['1', 'two words']])
    one(' "two words" ').to.deep.equal([['1', 'two words']])
    one('"word"').to.deep.equal([['1', 'word']])
    one("\"it's 'one' value\"").to.deep.equal([['1', "it's 'one' value"]])
    one('"say \\"hi there\\""').to.deep.equal([['1', 'say "hi there"']])
    one('"C:\\\\some dir\\\\ \\n"').to.deep.equal([['1', 'C:\\some dir\\ \\n']])
    one('"several\nlines = one value"').to.deep.equal([['1', 'several\nlines = one value']])
    one('"see A=1 and B=2"').to.deep.equal([['1', 'see A=1 and B=2']])
    one('"[draft] of {all}"').to.deep.equal([['1', '[draft] of {all}']])
    one('"`no command` $X"').to.deep.equal([['1', '`no command` $X']])
    one('""').to.deep.equal([['1', '']])
    one('NAME="a b"').to.deep.equal([['NAME', 'a b']])
  })
  it('2.2.5 a JSON object sets params by key; nested values become compact JSON and numbers keep all digits', () => {
    const text = '{"A": 5, "B": "x y", "C": {"k": [1, 2]}, "N": 12345678901234567890123, "T": true, "Z": null}'
    expect(pairs(text)).to.deep.equal([
      ['A', '5'],
      ['B', 'x y'],
      ['C', '{"k":[1,2]}'],
      ['N', '12345678901234567890123'],
      ['T', 'true'],
      ['Z', 'null']
    ])
  })
  it('2.2.5 a JSON array of strings and objects is the list form', () => {
    expect(pairs('["a","b"]')).to.deep.equal([
      ['1', 'a'],
      ['2', 'b']
    ])
    expect(pairs(' [{"K":"v"},{"L":"w"},"M=1 two",7]')).to.deep.equal([
      ['K', 'v'],
      ['L', 'w'],
      ['M', '1'],
      ['4', 'two'],
      ['5', '7']
    ])
  })
  it('refuses broken JSON and says what was wanted', () => {
    for (const text of ['{"A": }', '{A: 1}', '["a"', '[1] x', `${'['.repeat(60_000)}`]) {
      const { code, message } = refusal(text)
      expect(code).to.equal('bad_request')
      expect(message).to.match(/^params: wanted words, or JSON such as \{"NAME": "value"\}, found broken JSON: ./)
    }
  })
  it('refuses a text of more than 64 KB', () => {
    expect(parseOverride('x'.repeat(65_536))).to.have.length(1)
    expect(refusal('x'.repeat(65_537)).code).to.equal('bad_request')
    expect(refusal('é'.repeat(32_769)).code).to.equal('bad_request')
  })
  it('refuses names of an object prototype and NUL characters', () => {
    const texts = ['__proto__=1', '{"__proto__": 1}', '[{"constructor": 1}]', 'prototype=x', '{"A": "\\u0000"}', 'A=\0']
    for (const text of texts) expect(refusal(text).code, text).to.equal('bad_request')
    expect(Object.hasOwn(Object.prototype, 'A')).to.equal(false)
  })
  it('2.2.6 leaves backticks and references of a caller as they are', () => {
    expect(pairs('A=`id` B=${HOME}')).to.deep.equal([
      ['A', '`id`'],
      ['B', '${HOME}']
    ])
  })

  const merged = (declared: string, override: string) =>
    paramsText(mergeParams(parseParamWords(declared), parseOverride(override)))
  it('2.2.2 NAME=v replaces the default of that name or is appended when unknown', () => {
    expect(merged('A=1 B=2', 'B=3 C=4')).to.equal('A=1 B=3 C=4')
  })
  it('2.2.3 a bare value replaces the positional default of its number', () => {
    expect(merged('one two', 'three FOO=bar')).to.equal('1=three 2=two FOO=bar')
  })
  it('2.2.3 named defaults are never hit by a bare value; it is appended as p=value', () => {
    expect(merged('NAME=x', 'y')).to.equal('NAME=x 1=y')
    expect(merged('one NAME=x', 'A=1 y')).to.equal('1=one NAME=x A=1 2=y')
  })
  it('2.2.4 defaults that referred to an overridden param are not evaluated again', async () => {
    const declared = await evaluateParams(parseParamWords('A=1 D=${A}x'), environment({}))
    expect(paramsText(mergeParams(declared, parseOverride('A=2')))).to.equal('A=2 D=1x')
  })
  it('an empty override keeps the defaults', () => {
    expect(merged('one A=1', '')).to.equal('1=one A=1')
  })
})

describe('params › evaluation (2.1.5, 2.1.6)', () => {
  it('2.1.5 evaluates from left to right: earlier params, earlier positions, then the lookup', async () => {
    const params = parseParamWords('one A=${1}-$HOME B="${A} ${LATER}" LATER=x')
    expect(paramsText(await evaluateParams(params, environment({ HOME: '/h' })))).to.equal(
      '1=one A=one-/h B=one-/h  LATER=x'
    )
  })
  it('2.1.5 an earlier param hides the process environment', async () => {
    const params = parseParamWords('HOME=mine X=$HOME')
    expect(paramsText(await evaluateParams(params, environment({ HOME: '/h' })))).to.equal('HOME=mine X=mine')
  })
  it('2.1.4 what stands in a list or map stays compact JSON, whatever a value holds', async () => {
    const [, json] = parseOverride('{"A": 1, "L": [1.10, {"${X}": "<${X}>"}]}')
    const found = await evaluateParams(json ? [json] : [], environment({ X: 'a","b\n' }))
    expect(found).to.deep.equal([{ name: 'L', value: '[1.10,{"${X}":"<a\\",\\"b\\n>"}]' }])
  })
  it('2.1.5 backticks are run by the shell, with earlier params put in', async () => {
    const ran: string[] = []
    const look: Lookup = {
      variable: () => undefined,
      substitute: async (command) => {
        ran.push(command)
        return `out${ran.length}`
      }
    }
    const params = parseParamWords('A=`echo 1` B="x `echo $A $NOT`"')
    expect(paramsText(await evaluateParams(params, look))).to.equal('A=out1 B=x out2')
    expect(ran).to.deep.equal(['echo 1', 'echo out1 $NOT'])
  })
  it('2.1.6 a failing substitution is refused', async () => {
    const look: Lookup = {
      variable: () => undefined,
      substitute: () => Promise.reject(new Error('failed to execute command "false": exit status 1'))
    }
    const failure = await evaluateParams(parseParamWords('A=`false`'), look).catch((cause: unknown) => cause)
    expect(failure).to.be.instanceOf(TroupeError).and.include({
      code: 'bad_request',
      message: `field 'params': invalid parameter value: failed to execute command "false": exit status 1`
    })
  })
})

describe('params › how params show (2.4)', () => {
  it('run params are NAME=value joined by one blank, positional as 1=value, no quotes', () => {
    const params = [
      { name: '1', value: 'one' },
      { name: 'NAME', value: 'a b' }
    ]
    expect(paramsText(params)).to.equal('1=one NAME=a b')
  })
  it('defaultParams are every default as NAME="value", positional as 1="one", unevaluated', () => {
    expect(defaultParamsText(parseParamWords('one N=`date` P="say \\"x\\" \\\\"'))).to.equal(
      '1="one" N="`date`" P="say \\"x\\" \\\\"'
    )
  })
  it('property: defaultParams can be sent back as params', () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/)
    const value = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))
    const params = fc.uniqueArray(fc.record({ name, value, positional: fc.constant(false) }), {
      selector: (p) => p.name
    })
    fc.assert(
      fc.property(params, (declared) => {
        const kept = declared.filter(({ name }) => !['constructor', 'prototype', '__proto__'].includes(name))
        expect(parseOverride(defaultParamsText(kept))).to.deep.equal(kept)
      }),
      { numRuns: ofAll(40, 200) }
    )
  })
})
