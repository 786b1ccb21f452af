/** Long answers are written in parts, and read as if they were not. Source: reliability P17, api-semantics T9. */
import { expect } from 'chai'
import { jsonText } from '../../src/api/rules/answer.ts'

describe('API › JSON of an answer', () => {
  const many = Array.from({ length: 700 }, (_, at) => ({
    at,
    text: `"${at}\n`,
    none: undefined,
    list: [at, null, undefined]
  }))
  for (const [name, value] of Object.entries({
    'short ones': { a: 1, b: [many.slice(0, 3)], c: undefined },
    'a long list': many,
    'long lists within': { run: { nodes: many, name: 'x', none: undefined }, other: [], 'a "key"': { many } },
    'long lists in a list': { runs: [{ nodes: many }, { nodes: [] }, { nodes: many }] },
    'a list of what JSON has no word for': [...many, undefined, new Date(0)],
    'one that lies too deep to be seen': { a: { b: { c: { d: { many } } } } },
    'a text and nothing': ['x', null]
  }))
    it(`is what JSON.stringify makes: ${name}`, async () => {
      expect(await jsonText(value)).to.equal(JSON.stringify(value))
    })
})
