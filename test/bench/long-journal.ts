/**
 * A journal of 20,000 events, and what a look into it costs: 1,000 steps that fail nine times each, on a simulated clock and in a real
 * store. Source: issue "Watchable", figures.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { latestSeq } from '../../src/store/history.ts'
import { simulatedFacts } from '../support/simulated-facts.ts'
import { simulate } from '../support/simulation.ts'

const STEPS = 1_000
const FAILURES = 9
const LOOKS = 200

export interface LongJournal {
  events: number
  /** Processor ms of the first look, which reads all of it. */
  firstMs: number
  /** Of looks at events here and there, in rising order. */
  looksMs: number[]
  bytesPerNode: number
}

/** @param timed processor ms of what it is given */
export async function longJournal(timed: (work: () => unknown) => number): Promise<LongJournal> {
  const home = await mkdtemp(join(tmpdir(), 'troupe-bench-'))
  try {
    const simulation = await simulate(home, (_, execution) => ({ ms: 100, exitCode: execution > FAILURES ? 0 : 1 }))
    const steps = Array.from(
      { length: STEPS },
      (_, at) => `  - {name: s${at}, command: x, retryPolicy: {limit: ${FAILURES}, intervalSec: 1}}\n`
    )
    const key = await simulation.start(`name: long\ntype: graph\nmaxActiveSteps: 50\nsteps:\n${steps.join('')}`, 'r')
    await simulation.play()
    const events = latestSeq(simulation.store, key)
    const facts = simulatedFacts(simulation)
    const look = (at: number) => timed(() => facts.run(key, { at, brief: true }))
    const firstMs = look(events)
    const looksMs = Array.from({ length: LOOKS }, (_, index) => look((index * 7_919) % (events + 1)))
    const bytes = simulation.journal(key).reduce((sum, record) => sum + serialize(record).length, 0)
    await simulation.store.root.close()
    return { events, firstMs, looksMs: looksMs.sort((a, b) => a - b), bytesPerNode: bytes / STEPS }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
