/** The editor from the click to its text, and the grid of a definition's latest runs. */
import type { Asked } from './asked.ts'

export const GRID = { steps: 35, runs: 50 }
/** As many steps as the grid has rows. */
export const GRADED = `name: graded\nsteps:\n${Array.from(
  { length: GRID.steps },
  (_, at) => `  - name: step-${at}\n    command: "true"\n`
).join('')}`

export async function editorAndGrid({ visitor }: Asked): Promise<void> {
  const { page, open, timed } = visitor
  await open('#/definitions/graded')
  const link = page.getByRole('link', { name: 'Edit', exact: true })
  await link.waitFor()
  const ready = async () => {
    await link.click()
    await page.locator('.cm-content').waitFor()
  }
  await timed('editor: ready after the click', ready, 500)

  await visitor.leave()
  await open('#/definitions/graded')
  const tab = page.getByRole('tab', { name: 'Grid' })
  await tab.waitFor()
  const grid = async () => {
    await tab.click()
    await page.locator(`#cell-${GRID.steps - 1}-${GRID.runs - 1}`).waitFor()
  }
  await timed(`grid of ${GRID.steps} x ${GRID.runs}`, grid, 300)
}
