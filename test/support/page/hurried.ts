/** A page that waits less: for tests of what it asks for again by itself. */
import type { Page } from 'playwright-core'

// D1574: tests of what the page asks for by itself shorten its timers
/** Timers of 5 s and more ring after a tenth of that, in what is loaded after this. */
export async function hurry(page: Page): Promise<void> {
  await page.addInitScript(`
    {
      const { setTimeout: wait } = globalThis
      globalThis.setTimeout = (ring, ms, ...given) => wait(ring, ms >= 5_000 ? ms / 10 : ms, ...given)
    }
  `)
}
