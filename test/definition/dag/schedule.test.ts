import { expect } from 'chai'
import { Cron } from 'croner'
import fc from 'fast-check'
import { cronRule } from '../../../src/definition/dag/schedule.ts'
import { ofAll } from '../../support/long.ts'
import { messagesOf, planOf, problemsOf } from '../reading.ts'

const wrongOf = (expression: string) => {
  const rule = cronRule(expression)
  return 'wrong' in rule ? rule.wrong : undefined
}

describe('reader › schedule (execution-semantics 1.7, 11)', () => {
  it('1.7 a string, a list of strings, or {start, stop, restart} each string or list', () => {
    const none = { start: [], stop: [], restart: [] }
    expect(planOf('{}').schedule).to.deep.equal(none)
    expect(planOf('schedule: "0 1 * * *"').schedule).to.deep.equal({ ...none, start: ['0 1 * * *'] })
    expect(planOf('schedule: ["0 1 * * *", "0 2 * * *"]').schedule.start).to.deep.equal(['0 1 * * *', '0 2 * * *'])
    expect(planOf('schedule: {start: "0 1 * * *", stop: ["0 2 * * *"], restart: "0 3 * * *"}').schedule).to.deep.equal({
      start: ['0 1 * * *'],
      stop: ['0 2 * * *'],
      restart: ['0 3 * * *']
    })
  })

  it('1.7 schedule map with another key: invalid schedule key', () => {
    expect(problemsOf('schedule:\n  start: "0 1 * * *"\n  pause: "0 2 * * *"')).to.deep.equal([
      {
        message: "field 'schedule': invalid schedule key: pause (must be one of: start, stop, restart)",
        path: 'schedule',
        line: 3,
        column: 3
      }
    ])
  })

  it('11.1 ranges, lists, steps, *, ?, names in any case, Sunday 0 and 7', () => {
    for (const expression of [
      '* * * * *',
      '? ? ? ? ?',
      '*/5 0-23/2 1,15 JAN-mar MON-fri',
      '0 0 * * 0',
      '0 0 * * 7',
      '0 0 * * 5-7',
      '5/15 * * * *',
      '0 0 29 2 *',
      '0  0\t* * *',
      '59 23 31 12 sun',
      '0 0 31 2 *'
    ])
      expect(wrongOf(expression), expression).to.equal(undefined)
  })

  it('11.1 no seconds, no @daily words', () => {
    expect(wrongOf('0 0 0 * * *')).to.match(/^wanted five fields .*, found 6$/)
    expect(wrongOf('@daily')).to.match(/^wanted five fields .*, found 1$/)
    expect(wrongOf('')).to.match(/found 0$/)
  })

  for (const [expression, reason] of Object.entries({
    '60 * * * *': 'minute: wanted 0 to 59, found 60',
    '* 24 * * *': 'hour: wanted 0 to 23, found 24',
    '* * 0 * *': 'day of month: wanted 1 to 31, found 0',
    '* * * 13 *': 'month: wanted 1 to 12, found 13',
    '* * * * 8': 'day of week: wanted 0 to 7, found 8',
    '*/0 * * * *': 'minute: the step of */0 must be at least 1',
    '10-5 * * * *': 'minute: the range 10-5 ends before it begins',
    '1,,2 * * * *': 'minute: wanted a number, a range, * or a step, found ""',
    '* * L * *': 'day of month: wanted 1 to 31, found L',
    '* * * * 5#2': 'day of week: wanted a number, a range, * or a step, found "5#2"',
    '* * * january *': 'month: wanted 1 to 12, found january',
    'mon * * * *': 'minute: wanted 0 to 59, found mon'
  })) {
    it(`11.1 invalid schedule: ${expression}`, () => {
      expect(messagesOf(`schedule: "${expression}"`)).to.deep.equal([
        `field 'schedule': invalid schedule: ${reason} (value: "${expression}")`
      ])
    })
  }

  it('11.3 CRON_TZ= or TZ= before the fields; a zone that does not exist is refused', () => {
    expect(cronRule('CRON_TZ=Asia/Tokyo 0 9 * * *')).to.deep.equal({ pattern: '0 9 * * *', timezone: 'Asia/Tokyo' })
    expect(cronRule('TZ=UTC 0 9 * * *')).to.deep.equal({ pattern: '0 9 * * *', timezone: 'UTC' })
    expect(wrongOf('CRON_TZ=Mars/Base 0 9 * * *')).to.equal('unknown time zone "Mars/Base"')
    expect(wrongOf('CRON_TZ= 0 9 * * *')).to.equal('unknown time zone ""')
    expect(planOf('schedule: CRON_TZ=Asia/Tokyo 0 9 * * *').schedule.start).to.deep.equal([
      'CRON_TZ=Asia/Tokyo 0 9 * * *'
    ])
  })

  it('an expression is given to the cron package with numbers for names, and ? as *', () => {
    expect(cronRule('? 5/6 * feb-apr Sun')).to.deep.equal({ pattern: '* 5-23/6 * 2-4 0' })
    expect(cronRule('0 0 * * 1/2')).to.deep.equal({ pattern: '0 0 * * 1-6/2' })
  })

  it('11.1 a step beyond its range leaves the first of it', () => {
    expect(cronRule('*/90 */24 */40 5/12 1-5/10')).to.deep.equal({ pattern: '0 0 1 5 1' })
    expect(cronRule('*/59 10-20/10 * * *')).to.deep.equal({ pattern: '*/59 10-20/10 * * *' })
  })

  it('every wrong expression of a list is reported at its position', () => {
    expect(
      problemsOf('schedule:\n  - "0 1 * * *"\n  - nonsense\n  - "61 * * * *"').map(({ path, line }) => [path, line])
    ).to.deep.equal([
      ['schedule[1]', 3],
      ['schedule[2]', 4]
    ])
    expect(messagesOf('schedule: {start: [[a]]}')).to.deep.equal([
      'field \'start\': must be a cron expression or a list of those (value: [["a"]])'
    ])
  })

  it('Limits: at most 100 expressions in one definition, whatever kinds they are of', () => {
    const many = (count: number) => `[${'"0 0 * * *",'.repeat(count)}]`
    expect(planOf(`schedule: ${many(100)}`).schedule.start).to.have.length(100)
    const wanted = (found: number) => [`field 'schedule': must be at most 100 expressions, found ${found}`]
    expect(messagesOf(`schedule: ${many(101)}`)).to.deep.equal(wanted(101))
    expect(messagesOf(`schedule: {start: ${many(50)}, stop: ${many(50)}, restart: "0 0 * * *"}`)).to.deep.equal(
      wanted(101)
    )
  })

  it('the package takes every pattern that is made of an expression', () => {
    const item = (from: number, to: number) =>
      fc.oneof(
        fc.constantFrom('*', '?', '*/2', `*/${to}`, '*/9999'),
        fc
          .tuple(
            fc.integer({ min: from, max: to }),
            fc.integer({ min: from, max: to }),
            fc.option(fc.integer({ min: 1, max: 99 }))
          )
          .map(([a, b, step]) => `${Math.min(a, b)}-${Math.max(a, b)}${step === null ? '' : `/${step}`}`),
        fc
          .tuple(fc.integer({ min: from, max: to }), fc.option(fc.integer({ min: 1, max: 99 })))
          .map(([a, step]) => `${a}${step === null ? '' : `/${step}`}`)
      )
    const field = (from: number, to: number) => fc.array(item(from, to), { minLength: 1, maxLength: 3 }).map(String)
    const expressions = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6))
    fc.assert(
      fc.property(expressions, (fields) => {
        const rule = cronRule(fields.join(' '))
        if ('wrong' in rule) throw new Error(rule.wrong)
        new Cron(rule.pattern, { paused: true, mode: '5-part' })
      }),
      { numRuns: ofAll(60, 300) }
    )
  })
})
