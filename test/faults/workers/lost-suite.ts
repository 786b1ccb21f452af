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

const script = (marks: string) => `
self="$DAG_RUN_ID $ENGINE_FENCE $$"
echo "begin $self" >>${marks}
n=0
while [ $n -lt 100 ]; do n=$((n+1)); echo "lives $self" >>${marks}; sleep 0.2; done
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
        await happens(kind, cluster)
        await ends(cluster, runs, kind, findings)
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

/** One run of each workflow, all of them on `wb` and `wa`, and at work. */
async function begun(cluster: Cluster, marks: string): Promise<Map<Dag, string>> {
  await cluster.ask('/workers/wc/drain', 'POST', { drain: true })
  const runs = new Map<Dag, string>()
  for (const name of Object.keys(DAGS) as Dag[])
    runs.set(name, (await cluster.ask(`/dags/${name}/start`, 'POST', {}))?.json?.dagRunId)
  const all = () => [...runs.values()].every((id) => readFileSync(marks, 'utf8').includes(`begin ${id}`))
  await eventually('every step', () => all() || undefined)
  await cluster.ask('/workers/wc/drain', 'POST', { drain: false })
  return runs
}

async function happens(kind: (typeof KINDS)[number], cluster: Cluster): Promise<void> {
  const wait = () => new Promise<void>((resolve) => setTimeout(resolve, AWAY_MS))
  if (kind === 'frozen') return cluster.freezeWorker('wb', AWAY_MS)
  if (kind === 'cut') {
    cluster.link.set('cut')
    await wait()
    return cluster.link.set('open')
  }
  const home = cluster.homeOf('wb')
  await cluster.killWorker('wb')
  killAll([...stepProcesses(home), ...processesNaming(`${home}/`)])
  await wait()
  if (kind === 'gone') rmSync(join(home, 'worker'), { recursive: true, force: true })
  cluster.startWorker('wb')
}

/** What is retried or requeued succeeds; what waits for a machine that died does not. */
async function ends(cluster: Cluster, runs: Map<Dag, string>, kind: (typeof KINDS)[number], findings: Findings) {
  const of = async (name: Dag) => (await cluster.ask(`/dag-runs/${name}/${runs.get(name)}`))?.json?.dagRun
  if (kind === 'gone') await cluster.ask(`/dag-runs/waits/${runs.get('waits')}/stop`, 'POST')
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
    const wanted = name === 'waits' && (kind === 'dead' || kind === 'gone') ? died : ['succeeded']
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
  /** Of each run: its executions in their order, by process. */
  const executions = new Map<string, string[]>()
  let count = 0
  for (const line of readFileSync(marks, 'utf8').trim().split('\n')) {
    const [what = '', id = '', fence = '', pid = ''] = line.split(' ')
    const own = executions.get(id) ?? []
    executions.set(id, own)
    const before = own.at(-1)
    if (what === 'begin') {
      count++
      own.push(`${fence} ${pid}`)
      if (before !== undefined)
        findings.check(Number(fence) > Number(before.split(' ')[0]), 'W5', `${id} began with ${fence} after ${before}`)
    } else findings.check(before === `${fence} ${pid}`, 'W4', `${id}: ${line} although ${before} has begun`)
  }
  return count
}
