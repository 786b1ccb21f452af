/**
 * The web page in a real Chromium, on a real server with a home full of runs: `node dist/test/bench/page/main.js`, after a build. Prints what
 * a visitor waits for beside what it may be at most, and the processor time of the page, which other work on the machine disturbs least.
 */
import { availableParallelism } from 'node:os'
import { openBrowser } from '../../support/page/browser.ts'
import { troupe } from '../engines.ts'
import { leaveNothingBehind } from '../leaving.ts'
import { seedRuns } from '../seeding.ts'
import { startServer } from '../server.ts'
import type { Asked } from './asked.ts'
import { editorAndGrid, GRADED, GRID } from './editor-and-grid.ts'
import { LONG_LOG, longLog } from './long-log.ts'
import { MANY_NODES, manyNodes } from './many-nodes.ts'
import { manyRuns, RUN_NAMES, RUNS } from './many-runs.ts'
import { visitor } from './visitor.ts'

/** In this order; `ONLY=log` asks those that have the word in their name. */
const QUESTIONS: Record<string, (asked: Asked) => Promise<void>> = {
  nodes: manyNodes,
  editor: editorAndGrid,
  runs: manyRuns,
  log: longLog
}

const often = (name: string) =>
  `name: ${name}\nparams: DAY=today\nsteps:\n  - name: extract\n    command: echo extract\n  - name: load\n    command: echo load\n    depends: extract\n`

async function main(): Promise<void> {
  const only = process.env.ONLY ?? ''
  const browser = await openBrowser()
  if (!browser) throw new Error('there is no Chromium: install the package chromium-headless-shell')
  try {
    const definitions = {
      large: MANY_NODES,
      wordy: LONG_LOG,
      graded: GRADED,
      ...Object.fromEntries(RUN_NAMES.map((name) => [name, often(name)]))
    }
    const server = await startServer(troupe(), definitions, async (place) => {
      await seedRuns(place, RUN_NAMES, RUNS)
      await seedRuns(place, ['graded'], GRID.runs)
    })
    console.log(`page, ${RUNS} runs in the home; ${availableParallelism()} cores`)
    for (const [name, question] of Object.entries(QUESTIONS)) {
      if (!name.includes(only)) continue
      const seen = await visitor(browser, `http://127.0.0.1:${server.port}`)
      await question({ server, client: server.client, visitor: seen })
      await seen.page.context().close()
    }
    server.end()
  } finally {
    await browser.close()
  }
}

leaveNothingBehind()
await main()
