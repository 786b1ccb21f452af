/** `fault-workers`: an engine, its broker and three workers under load; any of them dies, freezes or is cut off, and is mended again. Source: distribution 7, 11. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ofAll } from '../../support/long.ts'
import { seeded } from '../../support/random.ts'
import { eventually } from '../../support/waiting.ts'
import { killAll, processesNaming, stepProcesses } from '../engine-process.ts'
import { newHome, removeHome, removeLauncher } from '../home.ts'
import { Findings, type Suite } from '../suite.ts'
import { checkPlaced } from './check-placed.ts'
import { type Cluster, isStepAlive, openCluster, WORKERS } from './cluster.ts'
import { openPlacedLoader, type PlacedAccount } from './placed-loader.ts'
import { PLACED_PLANTS } from './placed-plants.ts'
import { placedMarks, placedWorkload, stepScript, writePlaced } from './placed-workload.ts'
import { openFaults } from './worker-faults.ts'

const SHORTEST_MS = 300
const LONGEST_MS = 2_500
/** Until a planted bug is made to show. */
const PLANTED_MS = 2_500
const DRAIN_MS = 90_000
const PLANTED_DRAIN_MS = 10_000
const LEFT_MS = 15_000

export const workers: Suite = {
  name: 'fault-workers',
  promises: ['P1', 'P21', 'P22', 'W1', 'W3', 'W6', 'W8', 'W9', 'W13', 'W14', 'W15'],
  small: ofAll(2, 3),
  full: 50,
  plants: Object.fromEntries(Object.keys(PLACED_PLANTS).map((name) => [name, 1])),
  needsNats: true,
  async run({ seed, size, plant }) {
    const findings = new Findings()
    const planted = plant === undefined ? undefined : PLACED_PLANTS[plant]
    const folder = newHome()
    const shared = join(folder, 'shared')
    mkdirSync(shared)
    writePlaced(join(folder, 'engine'), shared)
    const workload = placedWorkload(shared)
    const cluster = await openCluster({ folder, ...planted })
    const random = seeded(seed)
    const breaking = openFaults(cluster, random, planted ?? {})
    const counts: Record<string, number> = { faults: 0 }

    const loader = openPlacedLoader(cluster, workload, seeded(seed + 1), findings, (account) =>
      checkNothingRuns(account, shared, findings)
    )
    const ends = new AbortController()
    const givesUp = new AbortController()
    const loading = loader.load({ ends: ends.signal, givesUp: givesUp.signal })
    try {
      for (let cycle = 0; cycle < size; cycle++) {
        await wait(planted ? PLANTED_MS : SHORTEST_MS + random.below(LONGEST_MS - SHORTEST_MS))
        const faults = planted && !planted.kills ? [] : breaking.next()
        for (const { name } of faults) console.error(`${cycle + 1}: ${name}`)
        await Promise.all(faults.map((fault) => fault.happens()))
        counts.faults = (counts.faults ?? 0) + faults.length
        await cluster.healthy().catch((error: Error) => findings.add('W15', `${error.message} in cycle ${cycle + 1}`))
      }
      ends.abort()
      await Promise.race([loading, wait(planted ? PLANTED_DRAIN_MS : DRAIN_MS)])
      givesUp.abort()
      await loading
      for (const { dag, dagRunId } of loader.open()) findings.add('W8', `run ${dag}/${dagRunId} does not end`)
      const checked = await checkPlaced(cluster, loader.accounts, workload, shared, findings)
      if (!planted) await checkLeft(cluster, findings)
      Object.assign(counts, { started: loader.accounts.length, ...checked })
    } finally {
      ends.abort()
      givesUp.abort()
      await loading
      await cluster.close()
    }
    for (const fault of cluster.faults()) findings.add('P22', fault.slice(0, 300))
    const alive = () => [...new Set([...stepProcesses(folder), ...processesNaming(`${folder}/`)])]
    // What has not ended for another reason lives on.
    if (findings.found.length === 0)
      await eventually('no process', () => alive().length === 0 || undefined, LEFT_MS).catch(() =>
        findings.add('W13', `${alive().length} processes live on`)
      )
    killAll(alive())
    for (const id of WORKERS) removeLauncher(join(cluster.homeOf(id), 'worker'))
    removeLauncher(join(cluster.home, 'data'))
    removeHome(folder)
    return { rounds: size, counts, found: findings.found }
  }
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** A run is seen to have ended, and its workers were away for less than it takes to be lost: so nothing of it is alive. */
function checkNothingRuns({ dag, dagRunId }: PlacedAccount, shared: string, findings: Findings): void {
  for (const { holder, step, pid } of placedMarks(shared))
    if (holder === dagRunId)
      findings.check(!isStepAlive(pid, stepScript(shared)), 'W13', `${dag}/${dagRunId} has ended, and ${step} runs`)
}

/**
 * A worker asks once a minute which of its runs are over, and when it starts: what is left of one is removed then. Stops that came before
 * their task are kept: nobody says when one is needed no more.
 */
async function checkLeft(cluster: Cluster, findings: Findings): Promise<void> {
  for (const id of WORKERS) {
    await cluster.killWorker(id)
    cluster.startWorker(id)
  }
  await cluster.healthy()
  const left = (): string[] => {
    try {
      return WORKERS.map(cluster.homeOf).flatMap((home) => [...runsIn(home), ...tasksIn(home)])
    } catch {
      return ['something that is removed just now']
    }
  }
  await eventually('nothing left', () => left().length === 0 || undefined, LEFT_MS).catch(() => {
    for (const what of left()) findings.add('W8', `every run has ended, and this is still there: ${what}`)
  })
}

function runsIn(home: string): string[] {
  const folder = join(home, 'worker', 'runs')
  return readdirSync(folder).map((name) => `${join(folder, name)}: ${readdirSync(join(folder, name)).join(', ')}`)
}

function tasksIn(home: string): string[] {
  const folder = join(home, 'worker', 'spool')
  return readdirSync(folder).flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return text.startsWith('{"kind":"stopped"') ? [] : [`${join(folder, name)}: ${text.slice(0, 1_000)}`]
  })
}
