/**
 * A journal of 20,000 events, and what a look into it costs: 1,000 steps that fail nine times each, on a simulated clock and in a real
 * store.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import type { RunKey } from '../../machines/vocabulary.ts'
import { CHECKPOINT_EVENTS } from '../../src/inspect/checkpoint-keeper.ts'
import { checkpointText } from '../../src/store/entries/checkpoint-text.ts'
import { latestSeq } from '../../src/store/history.ts'
import { simulatedClock } from '../support/simulated/simulated-clock.ts'
import { simulatedFacts } from '../support/simulated/simulated-facts.ts'
import { type Simulation, simulate } from '../support/simulated/simulation.ts'

const STEPS = 1_000
const FAILURES = 9
const LOOKS = 200

export interface LongJournal {
  events: number
  /** Processor ms of the first look of this process. */
  firstMs: number
  /** Of looks at events here and there, in rising order. */
  looksMs: number[]
  /** With its checkpoints. */
  bytesPerNode: number
}

/** Such a run, and the engine that it ended in. */
export async function longRun(home: string): Promise<{ simulation: Simulation; key: RunKey }> {
  const script = (_: string, execution: number) => ({ ms: 100, exitCode: execution > FAILURES ? 0 : 1 })
  const simulation = await simulate(home, script, simulatedClock(), { checkpoints: CHECKPOINT_EVENTS })
  const steps = Array.from(
    { length: STEPS },
    (_, at) => `  - {name: s${at}, command: x, retryPolicy: {limit: ${FAILURES}, intervalSec: 1}}\n`
  )
  const key = await simulation.start(`name: long\ntype: graph\nmaxActiveSteps: 50\nsteps:\n${steps.join('')}`, 'r')
  await simulation.play()
  return { simulation, key }
}

/** @param timed returns the processor ms of its work */
export async function longJournal(timed: (work: () => unknown) => number): Promise<LongJournal> {
  const home = await mkdtemp(join(tmpdir(), 'troupe-bench-'))
  try {
    const { simulation, key } = await longRun(home)
    const { store } = simulation
    const events = latestSeq(store, key)
    const facts = simulatedFacts(simulation)
    const look = (at: number) => timed(() => facts.run(key, { at, brief: true }))
    const firstMs = look(events)
    const looksMs = Array.from({ length: LOOKS }, (_, index) => look((index * 7_919) % (events + 1)))
    const records = simulation.journal(key).reduce((sum, record) => sum + serialize(record).length, 0)
    const checkpoints = Array.from(store.checkpoints.getRange(), ({ value }) => checkpointText.encode(value).length)
    const bytes = checkpoints.reduce((sum, length) => sum + length, records)
    await store.root.close()
    return { events, firstMs, looksMs: looksMs.sort((a, b) => a - b), bytesPerNode: bytes / STEPS }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
