/** The list of 10,000 runs: its first rows, and scrolling through all of them. */
import type { Asked } from './asked.ts'
import { note } from './figures.ts'

export const RUNS = 10_000
export const RUN_NAMES = ['often', 'nightly', 'weekly', 'hourly']
/** Of one turn of the wheel. */
const TURN_PX = 2_000
const PAUSE_MS = 30
const PATIENCE_MS = 120_000

export async function manyRuns({ visitor }: Asked): Promise<void> {
  const { page, open, timed, work } = visitor
  const rows = async () => {
    await open('#/runs')
    await page.locator('table.runs tbody tr').first().waitFor()
  }
  await rows()
  await visitor.leave()
  await timed(`list of ${RUNS} runs: first rows`, rows, 300)
  const before = await work()
  const begin = performance.now()
  await page.mouse.move(600, 500)
  const longest = await visitor.longestTask(async () => {
    while (!(await atTheLast())) {
      if (performance.now() - begin > PATIENCE_MS) throw new Error('the list has no end')
      await page.mouse.wheel(0, TURN_PX)
      await page.waitForTimeout(PAUSE_MS)
    }
  })
  note('  scrolled to the oldest run', performance.now() - begin, 'ms')
  note('  of that, processor time of the page', (await work()).ms - before.ms, 'ms')
  note('  longest task meanwhile, by the wall clock', longest, 'ms', 50)
  note('  elements of the page', await visitor.elements(), '', 1_500)

  function atTheLast(): Promise<boolean> {
    return page.evaluate<boolean>(`(() => {
      const more = [...document.querySelectorAll('button')].find((one) => one.textContent === 'Older runs')
      const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 4
      if (more && isAtEnd && !more.disabled) more.click()
      return !more && isAtEnd
    })()`)
  }
}
