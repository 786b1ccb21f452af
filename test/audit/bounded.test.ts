/** What an entry shows of texts: nothing of a secret that is named like one. Source: docs/operating/audit.md "What is in an entry". */
import { expect } from 'chai'
import { maskLines, maskOf, shownValue } from '../../src/audit/bounded.ts'
import { textDiff } from '../../src/audit/text-diff.ts'
import { growth, LINEAR } from '../support/processor-time.ts'

const SECRET = 'hunter2hunter2'
const mask = maskOf({ DEPLOY_TOKEN: SECRET, PATH: '/usr/bin:/bin' })

describe('audit › masked', () => {
  for (const text of [
    `TOKEN=${SECRET} A=1`,
    `PASSWORD="${SECRET} and more"`,
    `{"password": "${SECRET}"}`,
    `{API_KEY: ${SECRET}, A: 1}`,
    `https://me:${SECRET}@example.org/`,
    `Authorization: Bearer ${SECRET}`,
    `anything with ${SECRET} in it`
  ])
    it(text.replace(SECRET, '...'), () => {
      const other = maskOf({})
      expect(mask(text)).not.to.contain(SECRET)
      if (text.startsWith('anything')) return
      expect(other(text)).not.to.contain(SECRET)
      expect(other(text)).to.contain('***')
    })
  it('a text without a space is masked in linear time', async () => {
    const word = 'x'.repeat(1_000_000)
    const masked = (length: number) => expect(mask(word.slice(-length))).to.have.length(length)
    expect(await growth(masked, 100_000)).to.be.below(LINEAR)
    expect(mask(`${word}.TOKEN=${SECRET}`)).not.to.contain(SECRET)
  })
  it('what is no secret stays', () => {
    const text = 'A=1 DAY="2026-03-01" name: etl, "steps": "none" /usr/bin:/bin'
    expect(mask(text)).to.equal(text)
  })
  it('of a definition: values, blocks below a name, and those beside one', () => {
    const text = [
      'env:',
      `  - API_TOKEN: ${SECRET}`,
      '  - CERT_KEY: |',
      `      ${SECRET}`,
      '      second line',
      '  - DAY: monday',
      'params:',
      '  - name: PASSWORD',
      `    default: ${SECRET}x`,
      '  - name: DAY',
      '    default: today'
    ].join('\n')
    const shown = maskLines(text, maskOf({}))
    for (const hidden of [SECRET, 'second line']) expect(shown).not.to.contain(hidden)
    expect(shown).to.contain('DAY: monday').and.to.contain('default: today')
  })
  it('a difference in what is masked alone is none', () => {
    expect(textDiff(`TOKEN: a\n`, `TOKEN: b\n`, mask)).to.equal(undefined)
    expect(textDiff('a: 1\nTOKEN: x\n', 'a: 2\nTOKEN: y\n', mask)).to.equal(
      '@@ -1,2 +1,2 @@\n-a: 1\n+a: 2\n TOKEN: ***\n'
    )
  })
  it('members that are named like a secret, at any depth; depth, length and number are bounded', () => {
    const deep = { a: { b: [{ token: SECRET, c: 'fine' }] } }
    expect(JSON.stringify(shownValue(deep, mask))).to.equal('{"a":{"b":[{"token":"***","c":"fine"}]}}')
    let nested: unknown = 'end'
    for (let n = 0; n < 1_000; n++) nested = { nested }
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`m${n}`, 'x'.repeat(10_000)]))
    expect(JSON.stringify(shownValue({ nested, wide }, mask)).length).to.be.lessThan(50_000)
  })
})
