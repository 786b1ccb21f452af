/** Answers to a page that come when a test lets them. */
import type { Page } from 'playwright-core'

export interface HeldAnswers {
  /** Resolves when the first one has been asked for. */
  asked: Promise<void>
  /** Releases all of them, and holds no more. */
  release(): Promise<void>
}

/** Holds the answers of addresses that match. */
export async function heldAnswers(page: Page, pattern: RegExp): Promise<HeldAnswers> {
  let tell = () => {}
  let open = () => {}
  const asked = new Promise<void>((resolve) => {
    tell = resolve
  })
  const isOpen = new Promise<void>((resolve) => {
    open = resolve
  })
  await page.route(pattern, async (route) => {
    tell()
    await isOpen
    // Nobody may wait for it any more.
    await route.continue().catch(() => {})
  })
  return {
    asked,
    async release() {
      open()
      await page.unroute(pattern)
    }
  }
}
