/** Cron expressions in words. Source: docs/page.md "Views"; definition-format "schedule". */
import { expect } from 'chai'
import { toString as words } from 'cronstrue'
import fc from 'fast-check'
import { cronRule } from '../../../src/definition/dag/schedule.ts'
import { meaningOf, meaningText } from '../../../src/page/schedule/meaning.ts'

const wordsOf = (pattern: string) => words(pattern, { use24HourTimeFormat: true })

describe('page › schedules in words', () => {
  for (const [expression, text] of [
    ['0 2 * * 1-5', 'At 02:00, Monday through Friday'],
    ['CRON_TZ=America/New_York 0 2 * * *', 'At 02:00, America/New_York'],
    ['TZ=UTC  */15 8-18 * * *', 'Every 15 minutes, between 08:00 and 18:59, UTC'],
    ['0 0 1,15 * MON', 'At 00:00, on day 1 and 15 of the month, and on Monday']
  ] as const)
    it(`${expression}: ${text}`, () => {
      expect(meaningText(expression, meaningOf(expression, wordsOf))).to.equal(text)
    })

  it('as long as there are no words, and where there are none, the expression is shown with its zone', () => {
    const expression = 'CRON_TZ=UTC 0 2 * * *'
    expect(meaningText(expression, meaningOf(expression, undefined))).to.equal(`${expression}, UTC`)
    const strange = () => {
      throw new Error('unknown')
    }
    expect(meaningOf(expression, strange)).to.deep.equal({ words: undefined, zone: 'UTC' })
  })

  it('whatever the engine takes has words', () => {
    const field = (least: number, most: number) => {
      const value = fc.integer({ min: least, max: most })
      const range = fc.tuple(value, value).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`)
      const stepped = fc
        .tuple(fc.oneof(fc.constant('*'), range), fc.integer({ min: 1, max: most }))
        .map((it) => it.join('/'))
      const item = fc.oneof(value.map(String), range, stepped)
      return fc.oneof(
        fc.constant('*'),
        fc.array(item, { minLength: 1, maxLength: 3 }).map((all) => all.join(','))
      )
    }
    const expressions = fc
      .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7))
      .map((fields) => fields.join(' '))
    fc.assert(
      fc.property(expressions, (expression) => {
        if ('wrong' in cronRule(expression)) return
        expect(meaningOf(expression, wordsOf).words, expression).to.be.a('string').and.not.equal('')
      })
    )
  })
})
