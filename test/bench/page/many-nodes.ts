/** A run of 1,000 nodes: while it is live, opened afterwards, at moments that have passed, as a table. */
import type { Page } from 'playwright-core'
import type { Asked } from './asked.ts'
import { note } from './figures.ts'

const NODES = 1_000
const RANK = 25

/** Ranks of 25, each node after three of the rank before. */
export const MANY_NODES = `name: large
type: graph
maxActiveSteps: 8
steps:
${Array.from({ length: NODES }, (_, at) => {
  const first = at - RANK - (at % RANK)
  const depends = [...new Set([0, 1, 2].map((k) => `n${first + ((at * 7 + k * 5) % RANK)}`))]
  return `  - name: n${at}\n    command: "true"\n${at < RANK ? '' : `    depends: [${depends.join(', ')}]\n`}`
}).join('')}`

/** The steps in sight are drawn: that is all of the graph that there is. */
const graph = (page: Page) => page.locator('.dag-node text').first().waitFor()

export async function manyNodes({ visitor, client }: Asked): Promise<void> {
  const { page, open, timed, work } = visitor
  const succeeded = () => page.locator('.run-head .status.s-succeeded').waitFor()
  const latest = async () => Number(await page.getByRole('slider').getAttribute('max'))

  const fragment = `#/runs/large/${await client.start('large')}`
  await open(fragment)
  await graph(page)
  console.log('live, until the run has ended')
  const [before, beganAt] = [await work(), await latest()]
  await visitor.longestTask(succeeded, 100)
  const after = await work()
  const told = (await latest()) - beganAt
  const perRedraw = (after.ms - before.ms) / (after.draws - before.draws)
  note('  events told', told, '')
  note('  processor time per redraw', perRedraw, 'ms', 50)
  note('  processor time per event', (after.ms - before.ms) / told, 'ms')

  await visitor.leave()
  const opened = async () => {
    await open(fragment)
    await page.locator('.time input').waitFor()
  }
  await timed('open: usable, with heading, status, slider', opened, 2_000)
  await timed('open: until the graph is drawn, more', () => graph(page))
  note('open: elements of the page', await visitor.elements(), '', 1_500)

  const events = await latest()
  for (const share of [0.25, 0.75]) {
    const there = async () => {
      await page.getByRole('slider').fill(String(Math.round(events * share)))
      await page.locator('.run-head .status.s-running').waitFor()
    }
    await timed(`travel to ${share * 100} % of ${events} events`, there)
    await page.getByRole('button', { name: 'Now', exact: true }).click()
    await succeeded()
  }
  const table = async () => {
    await page.getByRole('tab', { name: 'Steps' }).click()
    await page.locator('table.steps tbody button').first().waitFor()
  }
  await timed('table of all steps', table)
  note('table: elements of the page', await visitor.elements(), '', 1_500)
}
