/** Somebody who looks at the page, in a real Chromium: how long they wait, what that costs the page, and whether it stands still meanwhile. */
import type { Browser, Page } from 'playwright-core'
import { watchedPage } from '../../support/page/browser.ts'
import { note } from './figures.ts'

/** Tasks that browsers report are those of 50 ms and more. */
const LONG_TASKS = `
window.longest = 0
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
}).observe({ type: 'longtask', buffered: true })`

const PATIENCE_MS = 120_000
/** For what browsers report a moment later. */
const REPORTED_MS = 200

export interface Visitor {
  page: Page
  /** Opens a view after `leave`: the page is loaded anew, its files are in the cache. @param fragment such as `#/runs` */
  open(fragment: string): Promise<void>
  leave(): Promise<void>
  /** Processor time of the page's main thread so far in ms, painting included, and the number of redraws. */
  work(): Promise<{ ms: number; draws: number }>
  /** Notes how long `act` takes, and the processor time that the page takes for it. @returns the first, in ms */
  timed(figure: string, act: () => Promise<unknown>, most?: number): Promise<number>
  /** The longest task of the page while `act` goes on, in ms; 0: none of 50 ms. */
  longestTask(act: () => Promise<unknown>): Promise<number>
  /** Elements of the document. */
  elements(): Promise<number>
}

/** @param address of the server */
export async function visitor(browser: Browser, address: string): Promise<Visitor> {
  const { page } = await watchedPage(browser)
  page.setDefaultTimeout(PATIENCE_MS)
  await page.addInitScript(LONG_TASKS)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const work = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0
    return { ms: 1_000 * of('TaskDuration'), draws: of('RecalcStyleCount') }
  }
  return {
    page,
    work,
    open: async (fragment) => void (await page.goto(`${address}/${fragment}`)),
    leave: async () => void (await page.goto('about:blank')),
    async timed(figure, act, most) {
      const [begin, before] = [performance.now(), await work()]
      await act()
      const took = performance.now() - begin
      note(figure, took, 'ms', most)
      note('  of that, processor time of the page', (await work()).ms - before.ms, 'ms')
      return took
    },
    async longestTask(act) {
      await page.evaluate('window.longest = 0')
      await act()
      await page.waitForTimeout(REPORTED_MS)
      return Number(await page.evaluate('window.longest'))
    },
    elements: () => page.evaluate<number>('document.querySelectorAll("*").length')
  }
}
