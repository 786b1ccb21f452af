/** Plays one seed: definitions, requests, crashes, closes, outages and clocks at random, until the faults stop and all must have ended. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { seeded } from '../support/random.ts'
import { type Bug, NO_BUG } from './bugs.ts'
import { openCharts } from './charts.ts'
import { randomDefinition } from './definitions.ts'
import type { Finding } from './findings.ts'
import { type Life, openLife } from './life.ts'
import { openMachine } from './machine.ts'
import { nextOperation, type Operation } from './operations.ts'
import { HOMES, openQuickFiles } from './quick-files.ts'

export interface Played {
  seed: number
  findings: readonly Finding[]
  /** Of all that was committed. */
  digest: string
  counts: Record<string, number>
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Around them clocks change in one of the zones. */
const CHANGES = ['2026-03-08', '2026-03-29', '2026-04-04', '2026-10-03', '2026-10-25', '2026-11-01']
/** After the last fault: longer than any run, with its retries, limits and clean-up; three steps of three attempts take 11 hours. */
const AFTERWARDS_MS = 16 * HOUR
/** Instants at which nothing of a seed is left to be done are not looked at: the end comes earlier. */
const MOST_STEPS = 200_000

export async function play(seed: number, bug: Bug = NO_BUG): Promise<Played> {
  const random = seeded(seed)
  const { below, chance, pick } = random
  const day = chance(0.5) ? Date.parse(pick(CHANGES)) - DAY / 2 : Date.UTC(2026, below(12), 1 + below(28))
  const machine = openMachine(join(HOMES, String(seed)), random, seed, day + below(DAY), bug)
  const { clock, rules, findings, disk } = machine
  const begun = clock.now()
  let areFaultsOver = false
  const files = openQuickFiles()
  let passed = 0
  const restore = openCharts(
    (decided, key, queue, state) => life.moments.alive && rules.queues.decided(decided, key, queue, state),
    (charts) => bug.charts?.(charts)
  )
  const counts = { steps: 0, operations: 0, crashes: 0, lives: 1 }
  const moment = () => (chance(0.5) ? 1 + below(1_500) : undefined)
  /** Most disks are quick, some take longer than a step. */
  const speed = () => pick([0, 0, 0, 900, 9_000])
  disk.slowMs = speed()
  let life: Life = openLife(machine, moment())

  /** Lets pending work finish, while the clock stands still. */
  async function quiet(): Promise<void> {
    for (let idle = 0; idle < 2; idle++) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (life.moments.pending > 0) idle = -1
    }
  }
  function die(): void {
    life.moments.end()
    machine.ended()
    counts.crashes++
  }
  function live(last = moment()): void {
    counts.lives++
    disk.slowMs = areFaultsOver ? 0 : speed()
    life = openLife(machine, last)
  }
  /** Lets time pass, alarm by alarm. An engine that dies is followed by the next one. */
  async function until(at: number): Promise<void> {
    for (;;) {
      await quiet()
      counts.steps++
      if (findings.all.length > 0 || counts.steps > MOST_STEPS) return
      if (!life.moments.alive) {
        die()
        live()
        continue
      }
      const isAtRest = !disk.full && disk.writer !== life.moments && life.system?.transactions.stalled === undefined
      if (life.isReady && isAtRest) {
        const isOpen = life.system?.isOpen ?? (() => false)
        rules.queues.quiet(isOpen)
        rules.runs.quiet(isOpen, rules.queues.has)
        rules.schedules.quiet()
      }
      const next = clock.next() ?? Number.POSITIVE_INFINITY
      if (next > at) break
      clock.goTo(next)
    }
    clock.goTo(at)
  }

  try {
    for (let n = 0; n < 2 + below(4); n++) machine.put(`d${n}`, randomDefinition(random, `d${n}`))
    const operations = 15 + below(30)
    const pace = chance(0.04) ? 30 : 1
    for (; counts.operations < operations && findings.all.length === 0; counts.operations++) {
      const operation: Operation = nextOperation(random, machine, pace)
      await until(clock.now() + operation.after)
      if (findings.all.length > 0) break
      const before = clock.now()
      await operation.act({ machine, life: () => life, die, live, until })
      passed += Math.abs(clock.now() - before)
    }
    // The faults stop, and nothing new begins.
    disk.full = false
    areFaultsOver = true
    for (const fileName of [...machine.definitions.keys()]) machine.remove(fileName)
    const finished = clock.now() + AFTERWARDS_MS
    await until(clock.now() + 1)
    life.moments.alive && die()
    live(Number.POSITIVE_INFINITY)
    await until(clock.now() + 60_000)
    for (const { record } of rules.runs.runs.values())
      if (record.status === 'queued') {
        rules.retention.dequeuing(record)
        void life.system?.dequeue(record)
      }
    // A waiting restart means another run.
    const isOpen = () => disk.tables.open.count() + disk.tables.restarts.count() > 0
    while (findings.all.length === 0 && clock.now() < finished && isOpen()) await until(clock.now() + HOUR)
    die()
    const opened = clock.now()
    live(Number.POSITIVE_INFINITY)
    await until(opened + 60_000)
    if (findings.all.length === 0) {
      rules.runs.over()
      rules.schedules.over()
      rules.retention.looked(opened)
    }
  } finally {
    life.moments.end()
    restore()
    files.close()
  }
  const { ticks, fired, skipped, backfilled, restarts } = rules.schedules.counts
  return {
    seed,
    findings: findings.all,
    digest: createHash('sha256').update(machine.history.toSorted().join('\n')).digest('hex'),
    counts: {
      ...counts,
      ...rules.runs.counts,
      removed: rules.retention.counts.removed,
      longestQueue: rules.queues.most,
      ticks,
      fired,
      skipped,
      backfilled,
      restarts,
      hours: Math.round((clock.now() - begun) / HOUR),
      jumped: Math.round(passed / HOUR)
    }
  }
}
