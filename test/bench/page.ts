/**
 * The web page with a run of 1,000 nodes, in a real Chromium: `node dist/test/bench/page.js`, after a build. Prints what a visitor waits for, and
 * the processor time of the page, which other work on the machine disturbs least.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { serve } from '../../src/api/server.ts'
import { createEngine } from '../../src/index.ts'
import { openBrowser, watchedPage } from '../support/page/browser.ts'

const NODES = 1_000
const RANK = 25

/** Ranks of 25, each node after three of the rank before. */
const spec = `name: large
type: graph
maxActiveSteps: 8
steps:
${Array.from({ length: NODES }, (_, at) => {
  const first = at - RANK - (at % RANK)
  const depends = [...new Set([0, 1, 2].map((k) => `n${first + ((at * 7 + k * 5) % RANK)}`))]
  return `  - name: n${at}\n    command: "true"\n${at < RANK ? '' : `    depends: [${depends.join(', ')}]\n`}`
}).join('')}`

const LONG_TASKS = `
window.longest = 0
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
}).observe({ type: 'longtask', buffered: true })`

const figures: { figure: string; value: number; unit: string }[] = []
const note = (figure: string, value: number, unit: string) =>
  figures.push({ figure, value: Math.round(value * 10) / 10, unit })

/** Processor seconds of the page's main thread so far, painting included, and the number of redraws. */
async function work(cdp: CDPSession): Promise<{ seconds: number; draws: number }> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0
  return { seconds: of('TaskDuration'), draws: of('RecalcStyleCount') }
}

/** Waits for what a visitor waits for, and notes both how long that takes and the processor time that the page takes for it. */
async function noteTimed(cdp: CDPSession, figure: string, act: () => Promise<unknown>): Promise<void> {
  const [begin, before] = [performance.now(), await work(cdp)]
  await act()
  note(figure, performance.now() - begin, 'ms')
  note('  of that, processor time of the page', 1_000 * ((await work(cdp)).seconds - before.seconds), 'ms')
}

/** The steps in sight are drawn: that is all of the graph that there is. */
const graph = (page: Page) => page.locator('.dag-node text').first().waitFor()

const elements = (page: Page) => page.evaluate<number>('document.querySelectorAll("*").length')

const GRID = { steps: 35, runs: 50 }
/** What the API has of so many runs, made up. */
function statistics(): string {
  const steps = Array.from({ length: GRID.steps }, (_, at) => ({
    name: `step-${at}`,
    count: 50,
    failures: 0,
    p50Ms: 9,
    p95Ms: 90
  }))
  const history = Array.from({ length: GRID.runs }, (_, at) => ({
    ...{ dagRunId: `r${at}`, statusLabel: 'succeeded', createdAtMs: 1_760_000_000_000 + at, ms: 100 + at },
    steps: steps.map(() => ({ statusLabel: 'succeeded', ms: 9 }))
  }))
  return JSON.stringify({ runs: steps[0], steps, history })
}

async function main(): Promise<void> {
  const browser = await openBrowser()
  if (!browser) throw new Error('there is no Chromium: install the package chromium')
  const engine = await createEngine({ temporary: true, defaultShell: 'sh' })
  const server = await serve(engine, { port: 0, host: '127.0.0.1' })
  const address = (id: string, query = '') => `${server.address}/#/runs/large/${id}${query}`
  try {
    const { page } = await watchedPage(browser)
    page.setDefaultTimeout(120_000)
    await page.addInitScript(LONG_TASKS)
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })

    const live = await engine.start({ spec })
    await page.goto(address(live.dagRunId))
    await graph(page)
    await page.evaluate('window.longest = 0')
    const [before, beganAt] = [await work(cdp), engine.latestSeq(live)]
    await engine.result(live)
    await page.locator('.run-head .status.s-succeeded').waitFor()
    const told = engine.latestSeq(live) - beganAt
    note('live: events told', told, '')
    const after = await work(cdp)
    note(
      'live: processor time per redraw (at most 100)',
      (1_000 * (after.seconds - before.seconds)) / (after.draws - before.draws),
      'ms'
    )
    note('live: processor time per event', (1_000 * (after.seconds - before.seconds)) / told, 'ms')
    note('live: longest task, by the wall clock', Number(await page.evaluate('window.longest')), 'ms')

    await page.goto('about:blank')
    const open = async () => {
      await page.goto(address(live.dagRunId))
      await page.locator('.time input').waitFor()
    }
    await noteTimed(cdp, 'open: usable, with heading, status, slider (at most 2,000)', open)
    await noteTimed(cdp, 'open: until the graph is drawn, more', () => graph(page))
    note('open: elements of the page (fewer than 1,500)', await elements(page), '')

    const latest = engine.latestSeq(live)
    const slider = page.getByRole('slider')
    for (const share of [0.25, 0.75]) {
      const there = async () => {
        await slider.fill(String(Math.round(latest * share)))
        await page.locator('.run-head .status.s-running').waitFor()
      }
      await noteTimed(cdp, `travel to ${share * 100} % of ${latest} events`, there)
      await page.getByRole('button', { name: 'Now', exact: true }).click()
      await page.locator('.run-head .status.s-succeeded').waitFor()
    }
    const step = async () => {
      await page.getByRole('tab', { name: 'Steps' }).click()
      await page.locator('table.steps tbody button').first().waitFor()
    }
    await noteTimed(cdp, 'table of all steps', step)
    await engine.createDefinition('edited', 'steps:\n  - name: one\n    command: "true"\n')
    await page.goto(`${server.address}/#/definitions/edited`)
    const link = page.getByRole('link', { name: 'Edit', exact: true })
    await link.waitFor()
    const opened = async () => {
      await link.click()
      await page.locator('.cm-content').waitFor()
    }
    await noteTimed(cdp, 'editor: ready after the click (at most 500)', opened)

    note('table: elements of the page (fewer than 1,500)', await elements(page), '')

    mkdirSync(engine.config.dagsDir, { recursive: true })
    writeFileSync(join(engine.config.dagsDir, 'small.yaml'), 'steps: ["true"]')
    await page.route(/\/statistics\?/, (route) =>
      route.fulfill({ contentType: 'application/json', body: statistics() })
    )
    await page.goto(`${server.address}/#/definitions/small`)
    const tab = page.getByRole('tab', { name: 'Grid' })
    await tab.waitFor()
    const grid = async () => {
      await tab.click()
      await page.locator(`#cell-${GRID.steps - 1}-${GRID.runs - 1}`).waitFor()
    }
    await noteTimed(cdp, `grid of ${GRID.steps} x ${GRID.runs} (at most 300)`, grid)
    console.log(`page, run of ${NODES} nodes; ${availableParallelism()} cores`)
    for (const { figure, value, unit } of figures) console.log(`${figure.padEnd(62)}${value} ${unit}`)
  } finally {
    await browser.close()
    await server.close()
    await engine.close()
  }
}

await main()
