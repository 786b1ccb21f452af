/**
 * `fault-lost`: workers that are away for longer than `worker.fenceAfter`. The judge believes marks that steps leave outside every home:
 * once a second execution of a step has begun, the first must not leave another one. Source: distribution 1 (D4, D5), 7, 11.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../support/waiting.ts'
import { killAll, processesNaming, stepProcesses } from '../engine-process.ts'
import { newHome, removeHome, removeLauncher } from '../home.ts'
import { Findings, type Suite } from '../suite.ts'
import { type Cluster, openCluster, WORKERS } from './cluster.ts'

const ENGINE = { ENGINE_WORKER_LOST_AFTER: '20s', ENGINE_WORKER_FENCE_AFTER: '30s' }
/** Longer than the fence. */
const AWAY_MS = 45_000
const END_MS = 150_000
const NO_FENCE_MS = 200

interface Plant {
  engineEnv?: Record<string, string>
  /** What ends fences as soon as they begin. */
  hasNoFence?: true
}
const PLANTS: Record<string, Plant> = {
  'has no fence': { hasNoFence: true },
  'begins a second execution too soon': {
    engineEnv: { NODE_OPTIONS: `--import ${new URL('./hasty-timers.js', import.meta.url).href}` }
  }
}

/** Fields of each workflow, and which workers fit. */
const DAGS = {
  retried: ['b', { steps: [{ retryPolicy: { limit: 3, intervalSec: 0 } }] }],
  requeued: ['b', { onWorkerLost: 'requeue', steps: [{}] }],
  waits: ['b', { onWorkerLost: 'wait', steps: [{}] }],
  alone: ['a', { onWorkerLost: 'requeue', steps: [{}] }]
} as const
type Dag = keyof typeof DAGS
const KINDS = ['frozen', 'cut', 'dead', 'gone'] as const

/** The first execution lasts for longer than it takes to begin a second one. */
const script = (marks: string) => `
self="$DAG_RUN_ID $ENGINE_FENCE $$ \${HOME##*/}"
echo "begin $self" >>${marks}
n=0 most=200
[ "$(grep -c "begin $DAG_RUN_ID " ${marks})" -gt 1 ] && most=20
while [ $n -lt $most ]; do n=$((n+1)); echo "lives $self" >>${marks}; sleep 0.2; done
echo "end $self" >>${marks}
`

export const lost: Suite = {
  name: 'fault-lost',
  promises: ['W4', 'W5'],
  small: 1,
  full: KINDS.length,
  plants: Object.fromEntries(Object.keys(PLANTS).map((name) => [name, 1])),
  isLong: true,
  needsNats: true,
  async run({ seed, size, plant }) {
    const findings = new Findings()
    const { engineEnv = {}, hasNoFence } = PLANTS[plant ?? ''] ?? {}
    const folder = newHome()
    const marks = join(folder, 'marks')
    writeFileSync(marks, '')
    writeFileSync(join(folder, 'step.sh'), script(marks))
    mkdirSync(join(folder, 'engine', 'dags'), { recursive: true })
    for (const [name, [zone, { steps, ...fields }]] of Object.entries(DAGS)) {
      const [step] = steps
      const text = {
        name,
        workerSelector: { zone },
        ...fields,
        steps: [{ name: 's', command: `sh ${folder}/step.sh`, ...step }]
      }
      writeFileSync(join(folder, 'engine', 'dags', `${name}.yaml`), JSON.stringify(text)) // JSON is YAML
    }
    const cluster = await openCluster({ folder, engineEnv: { ...ENGINE, ...engineEnv } })
    const unfence =
      hasNoFence &&
      setInterval(() => {
        for (const id of WORKERS) killAll(processesNaming(join(cluster.homeOf(id), 'worker', 'fence')))
      }, NO_FENCE_MS)
    const counts = { runs: 0, executions: 0 }
    try {
      for (let cycle = 0; cycle < size; cycle++) {
        const kind = KINDS[(seed - 1 + cycle) % KINDS.length] ?? 'frozen'
        console.error(`${cycle + 1}: ${kind}`)
        const runs = await begun(cluster, marks)
        counts.runs += runs.size
        const id = runs.get(cycle % 2 === 0 ? 'retried' : 'requeued')?.worker ?? 'wb'
        await happens(kind, id, cluster)
        await ends(cluster, runs, { kind, id }, findings)
        await cluster.healthy()
      }
      counts.executions = judge(marks, findings)
    } finally {
      if (unfence) clearInterval(unfence)
      await cluster.close()
      killAll([...stepProcesses(folder), ...processesNaming(`${folder}/`)])
    }
    for (const id of WORKERS) removeLauncher(join(cluster.homeOf(id), 'worker'))
    removeLauncher(join(cluster.home, 'data'))
    removeHome(folder)
    return { rounds: size, counts, found: findings.found }
  }
}

type Runs = Map<Dag, { id: string; worker: string }>

/** One run of each workflow, at work. */
async function begun(cluster: Cluster, marks: string): Promise<Runs> {
  const ids = new Map<Dag, string>()
  for (const name of Object.keys(DAGS) as Dag[])
    ids.set(name, (await cluster.ask(`/dags/${name}/start`, 'POST', {}))?.json?.dagRunId)
  const all = () => [...ids.values()].every((id) => readFileSync(marks, 'utf8').includes(`begin ${id}`))
  await eventually('every step', () => all() || undefined)
  const runs: Runs = new Map()
  for (const [name, id] of ids)
    runs.set(name, { id, worker: (await cluster.ask(`/dag-runs/${name}/${id}`))?.json?.dagRun?.workerId })
  return runs
}

/** @param id that of the worker; only the link of `wa` can be cut */
async function happens(kind: (typeof KINDS)[number], id: string, cluster: Cluster): Promise<void> {
  const wait = () => new Promise<void>((resolve) => setTimeout(resolve, AWAY_MS))
  if (kind === 'frozen') return cluster.freezeWorker(id, AWAY_MS)
  if (kind === 'cut') {
    cluster.link.set('cut')
    await wait()
    return cluster.link.set('open')
  }
  const home = cluster.homeOf(id)
  await cluster.killWorker(id)
  killAll([...stepProcesses(home), ...processesNaming(`${home}/`)])
  await wait()
  if (kind === 'gone') rmSync(join(home, 'worker'), { recursive: true, force: true })
  cluster.startWorker(id)
}

/** What is retried or requeued succeeds; what waits for a machine that died does not. */
async function ends(
  cluster: Cluster,
  runs: Runs,
  { kind, id }: { kind: (typeof KINDS)[number]; id: string },
  findings: Findings
) {
  const of = async (name: Dag) => (await cluster.ask(`/dag-runs/${name}/${runs.get(name)?.id}`))?.json?.dagRun
  const hasDied = kind === 'dead' || kind === 'gone'
  const isHit = runs.get('waits')?.worker === id
  if (kind === 'gone' && isHit) await cluster.ask(`/dag-runs/waits/${runs.get('waits')?.id}/stop`, 'POST')
  for (const name of runs.keys()) {
    const run = await eventually(
      `the end of ${name}`,
      async () => {
        const found = await of(name)
        return found?.finishedAt ? found : undefined
      },
      END_MS
    ).catch(() => undefined)
    const died = kind === 'dead' ? ['failed'] : ['canceled']
    const wanted = name === 'waits' && isHit && hasDied ? died : ['succeeded']
    const label = run?.statusLabel ?? 'running'
    findings.check(
      wanted.includes(label),
      'W4',
      `${kind}: ${name} is ${label}, not ${wanted}: ${run?.nodes?.[0]?.error}`
    )
  }
}

/** @returns number of executions */
function judge(marks: string, findings: Findings): number {
  /** Of each run: its latest execution. */
  const executions = new Map<string, { fence: number; pid: string; worker: string }>()
  let count = 0
  for (const line of readFileSync(marks, 'utf8').trim().split('\n')) {
    const [what = '', id = '', fence = '', pid = '', worker = ''] = line.split(' ')
    const before = executions.get(id)
    if (what === 'begin') {
      count++
      executions.set(id, { fence: Number(fence), pid, worker })
      // A worker that is back has the placement that it had.
      const isGreater =
        !before || Number(fence) > before.fence || (Number(fence) === before.fence && worker === before.worker)
      findings.check(
        isGreater,
        'W5',
        `${id} began with ${fence} on ${worker}, after ${before?.fence} on ${before?.worker}`
      )
    } else
      findings.check(
        before?.pid === pid && before.worker === worker,
        'W4',
        `${line}: although ${before?.pid} has begun on ${before?.worker}`
      )
  }
  return count
}
