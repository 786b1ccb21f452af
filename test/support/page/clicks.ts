/** Counts what a visitor presses: every real click of the pointer in a page, wherever it goes. The choice of an option is one more. */
import type { Locator, Page } from 'playwright-core'

const COUNTER = `addEventListener('click', (event) => {
  if (event.isTrusted && event.pointerType) sessionStorage.setItem('clicks', String(Number(sessionStorage.getItem('clicks')) + 1))
}, true)`

export interface Clicks {
  /** Chooses in a select: one click opens it, one chooses. */
  choose(select: Locator, option: string): Promise<void>
  /** So far. */
  count(): Promise<number>
}

/** To be called before the page is opened. */
export async function countClicks(page: Page): Promise<Clicks> {
  let choices = 0
  await page.addInitScript(COUNTER)
  return {
    async choose(select, option) {
      choices++
      await select.selectOption(option)
    },
    count: async () => 2 * choices + Number(await page.evaluate<string | null>(`sessionStorage.getItem('clicks')`))
  }
}
