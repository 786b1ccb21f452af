/** Running times go by the server's clock, whatever the visitor's says. Source: docs/page.md "Time". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { heardTime, localNow, now } from '../../src/page/clock.ts'
import { oneIn } from '../support/long.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

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

/** Runs in the page. */
const textAndTime = (it: { textContent: string | null }): [string, number] => [it.textContent ?? '', Date.now()]

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
      const begun = await eventually('both have begun', async () => {
        const [{ dagRunDetails: run }, { events }] = [
          await api.get(`/dag-runs/slow/${dagRunId}`),
          await api.get(`/dag-runs/waits/${waiting}/journal`)
        ]
        const failed = events.find(({ to }: { to: string }) => to === 'waiting')
        const [node] = run.nodes
        return failed && node.startedAtMs
          ? { run: run.startedAtMs, step: node.startedAtMs, wait: failed.atMs }
          : undefined
      })
      /** What the page counts by itself from then on. */
      const counts = () => page.waitForTimeout(1_200)
      /** A busy machine draws late, but no later than its next second or two; a wrong clock stays wrong. */
      const isRight = (selector: string, what: string, from: number, sign: 1 | -1 = 1) =>
        eventually(`${what} is right`, async () => {
          const [text, at] = await page.locator(selector).last().evaluate(textAndTime)
          const shown = secondsOf(text.replace(/^[^,]*\d\d:\d\d:\d\d,/, ''))
          return Math.abs(shown - (sign * (at - shift - from)) / 1_000) < 2.5 || undefined
        })
      await visit(runAddress('slow', dagRunId, '?step=talk&view=steps'))
      await page.locator('.run-state .soft').waitFor()
      await counts()
      await isRight('.run-state .soft', 'head', begun.run)
      await isRight('.facts > div:has(dt:text("Duration")) dd', 'panel', begun.step)
      await isRight('.steps td.figure', 'table', begun.step)
      await visit('#/runs?name=slow&status=1')
      await page.locator('.runs tbody tr').waitFor()
      await counts()
      await isRight('.runs tbody td.took', 'list', begun.run)
      await visit(runAddress('waits', waiting, '?step=x'))
      await isRight('.why .waits .soft:has-text(" left.")', 'wait', begun.wait + HOUR_MS, -1)
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
