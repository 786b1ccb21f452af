/**
 * Asks which runs are over: one that ended while this worker was out of reach is not known here to have ended, and what is at work for
 * it must not go on. Source: distribution 1 (D13), 7.
 */
import { type Bus, Unanswered } from '../../bus/bus.ts'
import { Unreadable } from '../../bus/readers.ts'
import { ANSWER_MS, MOST_TASKS, wordIn, writtenTask } from '../../bus/tasks.ts'
import type { Clock } from '../../clock.ts'
import type { TaskTable } from './task-table.ts'
import { runOf } from './work.ts'

export interface OverRunsParts {
  bus: Bus
  clock: Clock
  subject: string
  table: TaskTable
  /** An error that is none of the bus. */
  fault(error: unknown): void
}

/** After an absence it asks at once; a word may be lost all the same. */
const AGAIN_MS = 60_000

export function askForOverRuns({ bus, clock, subject, table, fault }: OverRunsParts) {
  /** The engines of the worker, and what it has of each. */
  function held(): Map<string, Map<string, { run: string; lease: number }>> {
    const found = new Map<string, Map<string, { run: string; lease: number }>>()
    for (const { record } of table.all()) {
      const { engine, run, lease } = record
      const runs = found.get(engine) ?? new Map()
      found.set(engine, runs.set(runOf(record), { run, lease }))
    }
    return found
  }
  async function ask(): Promise<void> {
    for (const [engine, all] of held())
      for (let runs = [...all.values()]; runs.length > 0; runs = runs.slice(MOST_TASKS)) {
        const question = writtenTask({ kind: 'runs', engine, runs: runs.slice(0, MOST_TASKS) })
        const word = wordIn(await bus.ask(subject, question, ANSWER_MS))
        if (word.kind === 'over') table.over(word.runs)
      }
  }
  const askNow = () => {
    ask().catch((error: unknown) => {
      if (!(error instanceof Unanswered || error instanceof Unreadable)) fault(error)
    })
  }
  let cancel = () => {}
  const later = () => {
    cancel = clock.after(AGAIN_MS, () => {
      askNow()
      later()
    })
  }
  later()
  if (bus.state === 'connected') askNow()
  const unstate = bus.onState((state) => {
    if (state === 'connected') askNow()
  })
  return {
    /** Asks at once. */
    ask: askNow,
    close() {
      cancel()
      unstate()
    }
  }
}
