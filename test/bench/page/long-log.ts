/** A log of 1,000,000 lines that a step has written: its first lines on the page, and what is found in it. */
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { until } from '../waiting.ts'
import type { Asked } from './asked.ts'
import { note } from './figures.ts'

const LINES = 1_000_000
const WRITER = fileURLToPath(new URL('log-writer.js', import.meta.url))
export const LONG_LOG = `steps:\n  - name: talk\n    command: ${process.execPath} ${WRITER} ${LINES}\n`
const WRITTEN_MS = 120_000
const HEALTH_MS = 20

/** Parts of lines, not in the case that they are written in. */
const TEXTS = [
  { line: 3, text: 'the-third-LINE' },
  { line: LINES - 1, text: 'The-Last-Line-But-One' }
]

export async function longLog({ server, client, visitor }: Asked): Promise<void> {
  const { page, open, timed } = visitor
  const dagRunId = await client.start('wordy')
  await until('the log to be written', WRITTEN_MS, async () =>
    (await client.run('wordy', dagRunId))?.statusLabel === 'succeeded' ? true : undefined
  )
  const spent = () => server.tree.usage(server.pid).engine.cpuMs
  const log = page.getByRole('log')
  const first = async () => {
    await open(`#/runs/wordy/${dagRunId}?step=talk&side=out`)
    await log.locator('.log-text', { hasText: 'the-last-line-but-one' }).waitFor()
  }
  await open(`#/runs/wordy/${dagRunId}`)
  await page.locator('.dag-node').first().waitFor()
  // The server, too, looks at the log for the first time.
  for (const which of ['first lines drawn', 'the same when the server knows it']) {
    await visitor.leave()
    const before = spent()
    await timed(`log of ${LINES} lines: ${which}`, first, 1_000)
    note('  processor time of the server', spent() - before, 'ms')
  }
  for (const { line, text } of TEXTS) {
    const before = spent()
    const find = page.getByPlaceholder('Find')
    const found = async () => {
      await find.fill(text)
      await page.getByText('1 line', { exact: true }).waitFor()
      await find.press('F3')
      await log
        .locator('.found')
        .getByRole('button', { name: `Link to line ${line}`, exact: true })
        .waitFor()
    }
    const ended = new AbortController()
    const health = slowestHealth(server.port, ended.signal)
    await timed(`  line ${line} found, all lines searched, and drawn`, found, 2_000)
    ended.abort()
    note('  processor time of the server', spent() - before, 'ms')
    note('  longest answer of /health meanwhile', await health, 'ms')
    await find.fill('')
  }
}

async function slowestHealth(port: number, signal: AbortSignal): Promise<number> {
  let slowest = 0
  while (!signal.aborted) {
    const begin = performance.now()
    await (await fetch(`http://127.0.0.1:${port}/api/v2/health`)).text()
    slowest = Math.max(slowest, performance.now() - begin)
    await pause(HEALTH_MS)
  }
  return slowest
}
