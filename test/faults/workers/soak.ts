/**
 * `make soak-workers`: an engine, its broker and three workers for half an hour under a steady load, while any of them is killed, frozen or
 * cut off at random. The judge is the marks that steps leave outside every home: each acknowledged run has ended, and no step has begun
 * more often than it was attempted. One line of JSON at the end; exit code 1 when something was found. Source: distribution 13.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from '../../support/random.ts'
import { killAll, processesNaming, stepProcesses } from '../engine-process.ts'
import { newHome, removeHome, removeLauncher } from '../home.ts'
import { Findings } from '../suite.ts'
import { type Cluster, openCluster, WORKERS } from './cluster.ts'
import { openMarks, SOAKED, writeSoaked } from './soak-workload.ts'
import { openFaults } from './worker-faults.ts'

const number = (name: string, otherwise: number) => {
  const value = Number(process.env[name] ?? otherwise)
  if (Number.isFinite(value) && value > 0) return value
  throw new Error(`${name}: wanted a number above 0, found ${process.env[name]}`)
}
const minutes = number('MINUTES', 30)
const perSecond = number('RATE', 20)
const seed = number('SEED', 1)

/** Between two faults, at most. */
const LONGEST_MS = 6_000
/** More open runs than that, and nobody starts another: the machine does not keep up with the rate. */
const MOST_OPEN = 400
/** For what is left when the faults have ended. */
const DRAIN_MS = 180_000
const LOOKS_AT_ONCE = 20
/** Marks that come without one more for so long, while runs are open: what holds them is looked for then, not half an hour later. */
const STANDSTILL_MS = 60_000

const findings = new Findings()
const folder = newHome()
const shared = join(folder, 'shared')
mkdirSync(shared)
writeSoaked(join(folder, 'engine'), shared)
const marks = openMarks(shared)
const random = seeded(seed)
const counts = {
  faults: 0,
  asked: 0,
  acknowledged: 0,
  unanswered: 0,
  heldBack: 0,
  ended: 0,
  executions: 0,
  mostOpen: 0
}
const acknowledged = new Map<string, string>()
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const begun = performance.now()
const endsAt = begun + minutes * 60_000
let isEnough = false
let standsStill = false
process.once('SIGINT', () => {
  isEnough = true
})
const isOver = () => isEnough || standsStill || performance.now() >= endsAt

async function start(cluster: Cluster): Promise<void> {
  const dag = random.pick(Object.keys(SOAKED))
  const dagRunId = `s${++counts.asked}`
  const reply = await cluster.ask(`/dags/${dag}/start`, 'POST', { dagRunId })
  if (!reply) counts.unanswered++
  else if (reply.status === 200) {
    counts.acknowledged++
    acknowledged.set(dagRunId, dag)
  } else findings.add('P1', `a start of ${dag} was answered with ${reply.status}`)
}

async function load(cluster: Cluster): Promise<void> {
  const from = performance.now()
  let moved = { ended: 0, at: from }
  for (let sent = 0; !isOver(); ) {
    await wait(50)
    const due = Math.floor(((performance.now() - from) / 1_000) * perSecond)
    const { size: ended } = marks.read().ended
    const open = acknowledged.size - ended
    if (ended > moved.ended || open === 0) moved = { ended, at: performance.now() }
    standsStill = performance.now() - moved.at > STANDSTILL_MS
    counts.mostOpen = Math.max(counts.mostOpen, open)
    for (; sent < due; sent++) {
      if (open > MOST_OPEN) counts.heldBack++
      else void start(cluster)
    }
  }
}

async function breakThings(cluster: Cluster): Promise<void> {
  const faults = openFaults(cluster, random, {})
  while (!isOver()) {
    await wait(random.below(LONGEST_MS))
    const now = faults.next()
    for (const { name } of now) console.error(`${Math.round((performance.now() - begun) / 1_000)} s: ${name}`)
    await Promise.all(now.map((fault) => fault.happens()))
    counts.faults += now.length
    await cluster
      .healthy()
      .catch(async (error: Error) => findings.add('W15', `${error.message}: ${await seen(cluster)}`))
  }
}

/** Time and workers as the engine shows them: for somebody who reads the logs of the homes. */
const seen = async (cluster: Cluster) =>
  `${new Date().toISOString()} ${JSON.stringify((await cluster.ask('/workers'))?.json)}`

/** What the API says of each acknowledged run, beside what its steps have marked. */
async function judge(cluster: Cluster): Promise<void> {
  const { begins } = marks.read()
  const left = [...acknowledged]
  const look = async () => {
    for (let next = left.pop(); next; next = left.pop()) await judgeRun(cluster, next, begins)
  }
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, look))
  for (const id of begins.keys()) {
    const [dagRunId = ''] = id.split('.')
    if (Number(dagRunId.slice(1)) > counts.asked)
      findings.add('P1', `${dagRunId} was executed, and nobody has asked for it`)
  }
}
async function judgeRun(
  cluster: Cluster,
  [dagRunId, dag]: [string, string],
  begins: Map<string, number>
): Promise<void> {
  const run = (await cluster.ask(`/dag-runs/${dag}/${dagRunId}`))?.json?.dagRun
  if (!run) return findings.add('P1', `run ${dagRunId} was acknowledged and is not there`)
  const wanted = SOAKED[dag]?.ends
  findings.check(
    run.statusLabel === wanted,
    'W8',
    `run ${dagRunId} of ${dag} is ${run.statusLabel}, not ${wanted}: ${run.error}`
  )
  if (run.finishedAt) counts.ended++
  for (const { step, retryCount } of run.nodes) {
    const times = begins.get(`${dagRunId}.${step.name}`) ?? 0
    counts.executions += times
    findings.check(
      times <= retryCount + 1,
      'W3',
      `${dagRunId}.${step.name} has begun ${times} times in ${retryCount + 1} attempts`
    )
    findings.check(times > 0, 'W8', `${dagRunId}.${step.name} is ${run.statusLabel}, and has never begun`)
  }
}

const cluster = await openCluster({ folder })
try {
  await Promise.all([load(cluster), breakThings(cluster)])
  const last = performance.now() + DRAIN_MS
  const isLeft = () => [...acknowledged.keys()].some((id) => !marks.read().ended.has(id))
  while (isLeft() && performance.now() < last) await wait(500)
  await wait(2_000) // a mark is made before its run is shown as ended
  if (isLeft()) findings.add('W8', `runs have not ended: ${await seen(cluster)}`)
  await judge(cluster)
} finally {
  await cluster.close()
}
for (const fault of cluster.faults()) findings.add('P22', fault.slice(0, 300))
const ok = findings.found.length === 0
if (!ok) cluster.keepLogs()
killAll([...new Set([...stepProcesses(folder), ...processesNaming(`${folder}/`)])])
for (const id of WORKERS) removeLauncher(join(cluster.homeOf(id), 'worker'))
removeLauncher(join(cluster.home, 'data'))
if (ok) removeHome(folder)
else console.error(`the homes of these programs are kept: ${folder}`)
for (const { promise, what } of findings.found.slice(0, 50)) console.error(`${promise}: ${what}`)
const seconds = Math.round((performance.now() - begun) / 1_000)
console.log(
  JSON.stringify({ name: 'soak-workers', seed, minutes, perSecond, ok, found: findings.found.length, counts, seconds })
)
process.exit(ok ? 0 : 1)
