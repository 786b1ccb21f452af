/** The pictures of the README, made anew from real runs: `make pictures`. They are kept in `docs/images/`. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../../../src/api/server.ts'
import { createEngine } from '../../../src/index.ts'
import { PROJECT } from '../project.ts'
import { openBrowser, watchedPage } from './browser.ts'

const MOST_BYTES = 150_000
const SIZE = { width: 1200, height: 760 }
const RUNS = 16

const sources = ['orders', 'customers', 'prices', 'stock', 'returns']
const clean = sources.filter((name) => name !== 'returns')
const step = (name: string, command: string, depends: readonly string[], more = '') =>
  `  - {name: ${name}, command: ${JSON.stringify(command)}, depends: [${depends.join(', ')}]${more}}\n`
/** What fails depends on the parameter N. */
const NIGHTLY = `description: Loads what the shops sold
schedule: "0 2 * * *"
tags: [warehouse]
params: "N=0"
type: graph
maxActiveSteps: 12
steps:
${sources.map((name, at) => step(`load-${name}`, `sleep 0.${at + 2}`, [])).join('')}${clean
  .map((name) => step(`clean-${name}`, 'sleep 0.1', [`load-${name}`]))
  .join('')}${step(
  'join',
  'test $((N % 5)) -ne 3 || { echo "row 17 of prices has no article" >&2; exit 3; }',
  clean.map((name) => `clean-${name}`),
  ', retryPolicy: {limit: 1, intervalSec: 1}'
)}${step('check-returns', 'test $((N % 4)) -ne 2', ['load-returns'], ', continueOn: {failure: true}')}${step('report', 'sleep 0.2', ['join', 'check-returns'])}${step('publish', 'echo published', ['report'])}`

async function main(): Promise<void> {
  const browser = await openBrowser()
  if (!browser) throw new Error('there is no Chromium: install the package chromium-headless-shell')
  const engine = await createEngine({ temporary: true, defaultShell: 'sh', schedules: true })
  const server = await serve(engine, { port: 0, host: '127.0.0.1' })
  try {
    const folder = join(PROJECT, 'docs', 'images')
    mkdirSync(folder, { recursive: true })
    mkdirSync(engine.config.dagsDir, { recursive: true })
    writeFileSync(join(engine.config.dagsDir, 'warehouse.yaml'), NIGHTLY)
    let failed = { name: 'warehouse', dagRunId: '' }
    for (let at = 0; at < RUNS; at++) {
      const run = await engine.start({ fileName: 'warehouse', params: `N=${at}` })
      if ((await engine.result(run)).run.status === 'failed') failed = run
    }
    const picture = async (name: string, hash: string, colorScheme: 'light' | 'dark', ready: string) => {
      const { page } = await watchedPage(browser, { viewport: SIZE, colorScheme })
      await page.goto(`${server.address}/${hash}`)
      await page.locator(ready).first().waitFor()
      await page.locator(ready).last().scrollIntoViewIfNeeded()
      await page.waitForTimeout(1_000)
      const path = join(folder, `${name}.png`)
      await page.screenshot({ path })
      await page.context().close()
      const { size } = statSync(path)
      console.log(`${path}: ${size} bytes`)
      if (size > MOST_BYTES) throw new Error(`${path} is larger than ${MOST_BYTES} bytes`)
    }
    const of = `#/runs/${failed.name}/${failed.dagRunId}`
    await picture('run', `${of}?step=join&side=chart`, 'light', '.state.lit')
    await picture('grid', '#/definitions/warehouse?tab=grid', 'dark', '.cell')
  } finally {
    await browser.close()
    await server.close()
    await engine.close()
  }
}

await main()
