/** `fault-kill`: kill -9 of a busy engine, again and again; in a second home what holds its steps dies with it. Source: reliability T1. */
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { identityIn } from '../../src/executors/processes/state-file.ts'
import { openStore } from '../../src/store/open.ts'
import { type Random, seeded } from '../support/random.ts'
import { eventually } from '../support/waiting.ts'
import { checkHome } from './check-home.ts'
import { type EngineProcess, killHolders, startEngine, stepProcesses } from './engine-process.ts'
import { newHome, removeHome } from './home.ts'
import { killTogether } from './kill-together.ts'
import { openLoader } from './loader.ts'
import { hasEnd, stateFiles } from './state-files.ts'
import { Findings, type Suite } from './suite.ts'
import { marksOf, writeDefinitions } from './workload.ts'

/** Source: P8. */
const RECOVERY_MS = 5_000
const SHORTEST_MS = 100
const LONGEST_MS = 3_000
const DRAIN_MS = 120_000
/** Runs asked for before a kill, where a planted bug is to be found. */
const ENOUGH = 40

/** What is done to a home while no engine lives: a bug that the next engine or the check has to show. Returns to how many steps. */
const BETWEEN: Record<string, (home: string) => number> = {
  /** The next engine does not know what runs, and runs it again. */
  'loses the records of executions': (home) => {
    const open = stateFiles(home).filter((path) => identityIn(path) && !hasEnd(path))
    for (const path of stateFiles(home)) rmSync(path)
    return open.length
  },
  /** What runs is put down as done, and is not. */
  'takes running steps for succeeded': (home) => {
    let harmed = 0
    for (const path of stateFiles(home)) {
      const identity = identityIn(path)
      if (!identity || hasEnd(path)) continue
      try {
        process.kill(-identity.pid, 'SIGKILL')
      } catch {
        continue
      }
      appendFileSync(path, '0 0\n')
      harmed++
    }
    return harmed
  }
}

export const kill: Suite = {
  name: 'fault-kill',
  promises: ['P1', 'P2', 'P3', 'P4', 'P5', 'P8', 'P9', 'P13', 'P14', 'P21'],
  small: 3,
  full: 50,
  plants: {
    'answers before it is stored': 1,
    'answers a second start of an id with 200': 2,
    'loses the records of executions': 10,
    'takes running steps for succeeded': 10
  },
  async run({ seed, size, plant }) {
    const findings = new Findings()
    const counts: Record<string, number> = {}
    const random = seeded(seed)
    const withHolders = plant ? 0 : Math.floor(size / 3)
    await loop(random, size - withHolders, false, plant, findings, counts)
    await loop(random, withHolders, true, plant, findings, counts)
    await killTogether(random, withHolders, findings, counts)
    return { rounds: size, counts, found: findings.found }
  }
}

async function loop(
  random: Random,
  cycles: number,
  holders: boolean,
  plant: string | undefined,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  if (cycles === 0) return
  const home = newHome()
  writeDefinitions(home, 'resume')
  const loader = openLoader(random, findings)
  const count = (name: string, more: number) => {
    counts[name] = (counts[name] ?? 0) + more
  }
  let plain: number | undefined
  const start = async (): Promise<EngineProcess> => {
    const engine = await startEngine({ home, schedules: true, ...(plant ? { plant } : {}) })
    counts.slowestRecoveryMs = Math.max(counts.slowestRecoveryMs ?? 0, Math.round(engine.startedInMs))
    // The first has nothing to recover: what it takes is the machine's.
    plain ??= engine.startedInMs
    const took = Math.round(engine.startedInMs - plain)
    findings.check(took <= RECOVERY_MS, 'P8', `recovery took ${took} ms`)
    return engine
  }
  for (let cycle = 0; cycle < cycles; cycle++) {
    const engine = await start()
    const loading = loader.load(engine)
    await new Promise((resolve) => setTimeout(resolve, SHORTEST_MS + random.below(LONGEST_MS - SHORTEST_MS)))
    // A planted bug has to meet enough work to be seen, on a slow machine too.
    const worked = () => loader.accounts.length >= (cycle + 1) * ENOUGH || engine.gone || undefined
    if (plant) await eventually('enough work', worked)
    const dead = engine.kill()
    if (holders) count('holdersKilled', killHolders(home))
    await Promise.all([dead, loading])
    count('kills', 1)
    const harmed = plant ? (BETWEEN[plant]?.(home) ?? 0) : 0
    if (harmed > 0 || (plant && findings.found.length > 0)) break
  }
  const last = await start()
  await eventually('all runs to end', async () => ((await loader.open(last)) === 0 ? true : undefined), DRAIN_MS).catch(
    (error: Error) => findings.add('P8', error.message)
  )
  const faults = last
    .log()
    .split('\n')
    .filter((line) => / a (defect|failure) was survived/.test(line))
  for (const fault of faults) findings.add('P22', fault.slice(0, 300))
  await last.close()
  const store = openStore(join(home, 'data'), { readOnly: true })
  const { runs, executions, interrupted } = checkHome(store, loader.accounts, marksOf(home), !holders, findings)
  await store.root.close()
  const left = stepProcesses(home)
  findings.check(left.length === 0, 'P8', `${left.length} processes of steps live on, and every run has ended`)
  count('requests', loader.asked)
  count('acknowledged', loader.accounts.filter(({ answer }) => answer === 'accepted').length)
  count('runs', runs)
  count('executions', executions)
  count('interrupted', interrupted)
  removeHome(home, left)
}
