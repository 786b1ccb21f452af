/** Which runs `troupe runs` lists. Source: api-semantics 3.6. */
import { expect } from 'chai'
import { limitOf, runFilterOf } from '../../../src/cli/input/run-filter.ts'

describe('troupe runs › filters', () => {
  const args = (text: Record<string, string>, operand = '') => ({
    operand,
    operands: [],
    words: [],
    text,
    on: new Set<string>()
  })
  const NOW = 100 * 86_400_000
  const refusal = (text: Record<string, string>) => {
    try {
      return runFilterOf(args(text), NOW)
    } catch (error) {
      return String(error)
    }
  }

  it('none: the newest twenty', () => {
    expect([runFilterOf(args({}), NOW), limitOf(args({}))]).to.deep.equal([{}, 20])
  })

  it('more than can be shown is refused, and what can be is said', () => {
    expect(limitOf(args({ limit: '1000' }))).to.equal(1_000)
    for (const limit of ['1001', '0', '-1', 'all'])
      expect(() => limitOf(args({ limit })), limit).to.throw(
        `--limit: wanted a number from 1 to 1000, found "${limit}"`
      )
  })

  it('several statuses and triggers: any of them; several tags: all of them', () => {
    expect(runFilterOf(args({ waiting: 'approval, sleep' }), NOW)).to.deep.equal({ waitingFor: ['approval', 'sleep'] })
    expect(refusal({ waiting: 'aproval' })).to.contain('did you mean approval?')
    expect(
      runFilterOf(
        args({ status: 'failed,queued', trigger: 'schedule', tag: 'A, b', by: 'ci', params: 'X=', id: '01' }, 'etl'),
        NOW
      )
    ).to.deep.equal({
      name: 'etl',
      status: ['failed', 'queued'],
      trigger: ['schedule'],
      tags: ['a', 'b'],
      byContains: 'ci',
      paramContains: 'X=',
      idContains: '01'
    })
  })

  it('times: how long ago, in hours or days, or a date', () => {
    expect(runFilterOf(args({ since: '24h', until: '1d' }), NOW)).to.deep.equal({
      from: NOW - 86_400_000,
      to: NOW - 86_400_000
    })
    expect(runFilterOf(args({ since: '1970-01-02T00:00:00Z' }), NOW)).to.deep.equal({ from: 86_400_000 })
    expect(runFilterOf(args({ since: '9999d' }), NOW)).to.deep.equal({ from: 0 })
  })

  it('what is none of these is refused, with what was wanted', () => {
    expect(refusal({ status: 'faild' })).to.contain('did you mean failed?')
    expect(refusal({ trigger: 'webhook' })).to.contain('wanted any of schedule, api, cli, host')
    for (const since of ['yesterday', '1', '2026-99-99', '-1d'])
      expect(refusal({ since }), since).to.contain('--since: wanted how long ago')
  })
})
