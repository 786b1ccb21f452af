/** Running times go by the server's clock, whatever the visitor's says. Source: docs/page.md "Time". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { heardTime, localNow, now } from '../../src/page/clock.ts'
import { oneIn } from '../support/long.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'

const HOUR_MS = 3_600_000

/** Runs in the browser before the page: its clock is `shift` ms ahead. */
const shifted = (shift: number) => `(() => {
  const Real = Date
  globalThis.Date = class extends Real {
    constructor(...parts) { parts.length === 0 ? super(Real.now() + ${shift}) : super(...parts) }
    static now() { return Real.now() + ${shift} }
  }
})()`

/** Seconds of a text such as `1 min 5 s`, `12.3 s` or `400 ms`. */
function secondsOf(text: string): number {
  const units: Record<string, number> = { d: 86_400, h: 3_600, min: 60, s: 1, ms: 0.001 }
  const parts = [...text.matchAll(/([\d.]+) (d|h|min|ms|s)\b/g)]
  expect(parts, text).to.not.deep.equal([])
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? Number.NaN), 0)
}

describe('page › running times of a visitor whose clock is wrong', () => {
  let page: Page
  const { api, visit } = livePage((opened) => {
    page = opened
  })
  const NAMES: [string, number][] = [
    ['three hours behind', -3 * HOUR_MS],
    ['ten minutes behind', -HOUR_MS / 6],
    ['right', 0],
    ['five hours ahead', 5 * HOUR_MS],
    ['a year ahead', 365 * 24 * HOUR_MS]
  ]
  for (const [name, shift] of oneIn(3, NAMES))
    it(`${name}: the head, the panel, the table, the list and the time that a wait still takes are right`, async () => {
      await page.addInitScript(shifted(shift))
      api.write('waits', 'steps: [{name: x, command: exit 1, retryPolicy: {limit: 5, intervalSec: 3600}}]')
      const [dagRunId, waiting] = [await api.started('slow'), await api.started('waits')]
      const began = Date.now()
      /** What the page counts by itself from then on. */
      const counts = () => page.waitForTimeout(1_200)
      const isRight = async (selector: string, what: string) => {
        const shown = page.locator(selector).last()
        const [text, real] = [(await shown.textContent()) ?? '', (Date.now() - began) / 1_000]
        expect(secondsOf(text.replace(/^[^,]*\d\d:\d\d:\d\d,/, '')), `${what}: ${text}`).to.be.closeTo(real, 2.5)
      }
      await visit(runAddress('slow', dagRunId, '?step=talk&view=steps'))
      await page.locator('.run-state .soft').waitFor()
      await counts()
      await isRight('.run-state .soft', 'head')
      await isRight('.facts > div:has(dt:text("Duration")) dd', 'panel')
      await isRight('.steps td.figure', 'table')
      await visit('#/runs?name=slow&status=1')
      await page.locator('.runs tbody tr').waitFor()
      await counts()
      await isRight('.runs tbody tr td:nth-child(5)', 'list')
      await visit(runAddress('waits', waiting, '?step=x'))
      const left = await page.locator('.why .waits .soft', { hasText: ' left.' }).first().textContent()
      expect(secondsOf(left ?? ''), 'wait').to.be.closeTo(3_600 - (Date.now() - began) / 1_000, 3)
      for (const [run, id] of [
        ['slow', dagRunId],
        ['waits', waiting]
      ])
        await api.call('POST', `/dag-runs/${run}/${id}/stop`)
      await api.ended('slow', dagRunId)
    })
})

describe('page › the clock of the server', () => {
  const dateIn = (ms: number) => new Date(Math.floor((localNow() + ms) / 1_000) * 1_000).toUTCString()
  const aheadBy = () => now() - localNow()

  it('is that of this browser as long as nothing says otherwise', () => {
    expect(aheadBy()).to.equal(0)
    heardTime(null, localNow())
    heardTime('no date', localNow())
    heardTime(dateIn(0), localNow())
    expect(aheadBy()).to.equal(0)
  })
  it('is learnt to a second from one answer, and more exactly from each', () => {
    heardTime(dateIn(3 * HOUR_MS), localNow())
    expect(aheadBy()).to.be.closeTo(3 * HOUR_MS, 1_000)
    heardTime(dateIn(3 * HOUR_MS), localNow() - 60_000)
    expect(aheadBy(), 'after an answer that took a minute').to.be.closeTo(3 * HOUR_MS, 1_000)
  })
  it('follows when one of the two clocks is set', () => {
    heardTime(dateIn(-5 * HOUR_MS), localNow())
    expect(aheadBy()).to.be.closeTo(-5 * HOUR_MS, 1_000)
    heardTime(dateIn(0), localNow())
    expect(Math.abs(aheadBy())).to.be.at.most(1_000)
  })
})
