/** Strict JSON reading. Source: reliability F19, F20, 5.3 R1, R4. */
import { expect } from 'chai'
import fc from 'fast-check'
import { type Json, readJson } from '../../../src/api/input/json.ts'
import { TroupeError } from '../../../src/errors.ts'
import { ofAll } from '../../support/long.ts'

const messageOf = (text: string): string => {
  try {
    return `accepted ${JSON.stringify(readJson(text))}`
  } catch (error) {
    if (error instanceof TroupeError) return error.message
    throw error
  }
}

describe('strict JSON', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 10 }), fc.integer({ min: 0, max: 2 }), (text, spaces) => {
        const spaced = JSON.stringify(JSON.parse(text), null, spaces)
        fc.pre(!/"(__proto__|constructor|prototype)"/.test(spaced))
        expect(JSON.stringify(readJson(spaced))).to.equal(JSON.stringify(JSON.parse(spaced)))
      })
    )
  })

  it('refuses what JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,0-.e\\ntru 1a\n\u0001') }), (text) => {
        let native: Json | undefined
        try {
          native = JSON.parse(text)
        } catch {
          native = undefined
        }
        if (native === undefined) expect(messageOf(text)).to.match(/^malformed JSON at character \d+: /)
        else expect(messageOf(text)).to.match(/^accepted|given twice|out of range/)
      }),
      { numRuns: ofAll(400, 2_000) }
    )
  })

  it('names the place and what was found there', () => {
    expect(messageOf('{"a": tru}')).to.equal('malformed JSON at character 7: wanted a value, found "t"')
    expect(messageOf('{"a": 1')).to.equal('malformed JSON at character 8: wanted }, found the end')
    expect(messageOf('[1] 2')).to.equal('malformed JSON at character 5: wanted the end, found "2"')
  })

  it('nesting limit 64: one level more is refused, 100,000 levels too', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(messageOf(nested(64))).to.match(/^accepted/)
    expect(messageOf(nested(65))).to.contain('nested deeper than 64')
    expect(messageOf('['.repeat(100_000))).to.contain('nested deeper than 64')
    expect(messageOf('{"a":'.repeat(100_000))).to.contain('nested deeper than 64')
  })

  it('duplicate keys are refused', () => {
    expect(messageOf('{"a": 1, "\\u0061": 2}')).to.contain('key "a" is given twice')
  })

  it('keys __proto__, constructor, prototype are refused, and objects have no prototype', () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      expect(messageOf(`{"a": {"${key}": 1}}`)).to.contain(`key "${key}" is not allowed`)
    }
    expect(Object.getPrototypeOf(readJson('{}'))).to.equal(null)
  })

  it('a string of 2 MiB is no trouble', () => {
    const text = 'a"\\\n'.repeat(500_000)
    expect(readJson(JSON.stringify(text))).to.equal(text)
  })
})
