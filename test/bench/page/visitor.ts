/** Somebody who looks at the page, in a real Chromium: how long they wait, what that costs the page, and whether it stands still meanwhile. */
import type { Browser, Page } from 'playwright-core'
import { watchedPage } from '../../support/page/browser.ts'
import { note } from './figures.ts'
import { tasksDuring } from './tasks.ts'

const PATIENCE_MS = 120_000

export interface Visitor {
  page: Page
  /** Opens a view after `leave`: the page is loaded anew, its files are in the cache. @param fragment such as `#/runs` */
  open(fragment: string): Promise<void>
  leave(): Promise<void>
  /** Processor time of the page's main thread so far in ms, painting included, and the number of redraws. */
  work(): Promise<{ ms: number; draws: number }>
  /** Notes how long `act` takes, and the processor time that the page takes for it. @returns the first, in ms */
  timed(figure: string, act: () => Promise<unknown>, most?: number): Promise<number>
  /** Notes the longest task of the page while `act` goes on, during which nothing that is pressed is heard. @param most in ms */
  longestTask(act: () => Promise<unknown>, most: number): Promise<void>
  /** Elements of the document. */
  elements(): Promise<number>
}

/** @param address of the server */
export async function visitor(browser: Browser, address: string): Promise<Visitor> {
  const { page } = await watchedPage(browser)
  page.setDefaultTimeout(PATIENCE_MS)
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
    async longestTask(act, most) {
      const tasks = await tasksDuring(browser, act)
      note('  longest task: processor time', Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1_000, 'ms', most)
      note('  longest task: by the wall clock', Math.max(0, ...tasks.map(({ dur = 0 }) => dur)) / 1_000, 'ms', most)
    },
    elements: () => page.evaluate<number>('document.querySelectorAll("*").length')
  }
}
