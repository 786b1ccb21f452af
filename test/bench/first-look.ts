/**
 * The first look into a journal of 20,000 events: `node dist/test/bench/first-look.js [processes]`. Each look (processor ms, ms by the clock)
 * is the first of its process: at the latest event, at one just before a checkpoint, at others. The process reads the store as an
 * engine does; HTTP is left out.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHECKPOINT_EVENTS } from '../../src/inspect/checkpoint-keeper.ts'
import { latestSeq } from '../../src/store/history.ts'
import { openStore } from '../../src/store/open.ts'
import { simulatedClock } from '../support/simulated/simulated-clock.ts'
import { simulatedFacts } from '../support/simulated/simulated-facts.ts'
import { longRun } from './long-journal.ts'

const [first = '5', at] = process.argv.slice(2)
if (at === undefined) await inOthers(Number(first))
else look(first, Number(at))

/** In a separate process. */
function look(home: string, at: number): void {
  const store = openStore(join(home, 'data'), { readOnly: true })
  const facts = simulatedFacts({ store, clock: simulatedClock() })
  const before = process.cpuUsage()
  const began = performance.now()
  facts.run({ name: 'long', dagRunId: 'r' }, { at, brief: true })
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify([(user + system) / 1_000, ms]))
}

async function inOthers(processes: number): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'troupe-bench-'))
  try {
    const { simulation, key } = await longRun(home)
    const events = latestSeq(simulation.store, key)
    await simulation.store.root.close()
    const worst = Math.floor(events / CHECKPOINT_EVENTS) * CHECKPOINT_EVENTS - 1
    for (const at of [events, worst, Math.floor(events / 2), 1]) {
      const looks = Array.from({ length: processes }, (): [number, number] =>
        JSON.parse(
          execFileSync(process.execPath, [fileURLToPath(import.meta.url), home, String(at)], { encoding: 'utf8' })
        )
      )
      const [cpu = [], clock = []] = [0, 1].map((part) => looks.map((one) => one[part] ?? 0).sort((a, b) => a - b))
      const figures = [cpu, clock].map((one) => (one[Math.floor(one.length / 2)] ?? 0).toFixed(1))
      console.log(
        `state of 1,000 nodes at event ${at} of ${events}, first look (at most 100 ms)`.padEnd(75),
        `${figures.join(' ms CPU, ')} ms`
      )
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
