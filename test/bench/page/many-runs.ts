/** The list of 10,000 runs: its first rows, and scrolling through all of them. */
import type { Asked } from './asked.ts'
import { note } from './figures.ts'

export const RUNS = 10_000
export const RUN_NAMES = ['often', 'nightly', 'weekly', 'hourly']
/** Of one turn of the wheel. */
const TURN_PX = 1_000
const PAUSE_MS = 30
const PATIENCE_MS = 120_000

export async function manyRuns({ visitor }: Asked): Promise<void> {
  const { page, open, timed, work } = visitor
  const rows = () => page.locator('table.runs tbody tr').first().waitFor()
  await open('#/queues')
  const link = page.getByRole('link', { name: 'Runs', exact: true })
  await link.waitFor()
  const shown = async () => {
    await link.click()
    await rows()
  }
  await timed(`list of ${RUNS} runs: first rows after the click`, shown, 300)
  await visitor.leave()
  const loaded = async () => {
    await open('#/runs')
    await rows()
  }
  await timed('  first rows when the page is loaded anew', loaded)
  const before = await work()
  const begin = performance.now()
  await page.mouse.move(600, 500)
  console.log('  scrolled to the oldest run')
  const scrolled = async () => {
    while (!(await atTheLast())) {
      if (performance.now() - begin > PATIENCE_MS) throw new Error('the list has no end')
      await page.mouse.wheel(0, TURN_PX)
      await page.waitForTimeout(PAUSE_MS)
    }
  }
  await visitor.longestTask(scrolled, 50)
  note('  until it was seen', performance.now() - begin, 'ms')
  note('  of that, processor time of the page', (await work()).ms - before.ms, 'ms')
  note('  elements of the page', await visitor.elements(), '')

  function atTheLast(): Promise<boolean> {
    return page.evaluate<boolean>(`(() => {
      const more = [...document.querySelectorAll('button')].find((one) => one.textContent === 'Older runs')
      const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 4
      if (more && isAtEnd && !more.disabled) more.click()
      return !more && isAtEnd
    })()`)
  }
}
