/**
 * What a step on a worker costs beside one of the server itself: `node dist/test/bench/workers/workers.js`. Real programs on this machine: a
 * coordinator, a server, three workers. Local and placed runs take turns, in one invocation. Source: distribution 10.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brokerPid, openPlacing, type Placing } from '../../support/cli/placing.ts'
import { endPrograms } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { median, percentile } from '../figures.ts'
import { daguFigures } from './dagu-workers.ts'
import { beatCost, taskCost } from './messages.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const RUNS = 200
const LOG_MIB = 100
const MIB = 1024 * 1024
const TICK_MS = 10
/** After so long a program that rests has given back what it does not need. */
const GIVEN_BACK_MS = 25_000

/** User and system time of a process so far, ms. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
const pssOf = (pid: number) =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024

const row = (what: string, local: string, placed: string, limit = '') =>
  console.log(`${what.padEnd(52)} ${local.padStart(12)} ${placed.padStart(12)}   ${limit}`)
const rounded = (value: number, digits = 0) => value.toFixed(digits)

const placing = await openPlacing()
const folder = temporaryFolder()
const workers = ['wa', 'wb', 'wc'].map((id) => placing.worker(id, ['-l', 'kind=bench', '-m', '100']))
await placing.healthy('wa', 'wb', 'wc')
const pids = workers.map(({ child }) => child.pid ?? 0)
const selector = (isPlaced: boolean) => (isPlaced ? '\nworkerSelector: {kind: bench}' : '')
const server = () => placing.server.child.pid ?? 0

/** From the request to the first mark that the step has made, ms. */
async function firstMark(isPlaced: boolean, n: number): Promise<number> {
  const mark = join(folder, `${isPlaced}-${n}`)
  const spec = `name: mark-${isPlaced}${selector(isPlaced)}\nsteps: ['date +%s%N >${mark}']`
  const from = Date.now()
  const id = await placing.start(spec)
  await ended(placing, `mark-${isPlaced}`, [id])
  return Number(BigInt(readFileSync(mark, 'utf8').trim()) / 1_000_000n) - from
}

/** Until all have ended; the list is asked for, not each of them. */
async function ended(at: Placing, name: string, ids: string[]): Promise<void> {
  for (;;) {
    const { json } = await at.ask(`/dag-runs/${name}?limit=1000`)
    const { dagRuns } = json as { dagRuns: { dagRunId: string; finishedAt: string; statusLabel: string }[] }
    const over = new Map(dagRuns.filter(({ finishedAt }) => finishedAt).map((run) => [run.dagRunId, run.statusLabel]))
    if (ids.every((id) => over.has(id))) {
      const failed = ids.filter((id) => over.get(id) !== 'succeeded')
      if (failed.length > 0) throw new Error(`${failed.length} runs of ${name} have not succeeded`)
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

interface Burst {
  perSecond: number
  serverMs: number
  workersMs: number
  brokerMs: number
}
/** So many runs of one step, asked for at once. */
async function burst(isPlaced: boolean, round: number): Promise<Burst> {
  const name = `burst-${isPlaced}-${round}`
  const broker = brokerPid(placing.home)
  const spent = () => [cpuOf(server()), pids.reduce((sum, pid) => sum + cpuOf(pid), 0), cpuOf(broker)]
  const before = spent()
  const from = performance.now()
  const spec = `name: ${name}${selector(isPlaced)}\nmaxActiveRuns: -1\nsteps: ['true']`
  const ids = await Promise.all(Array.from({ length: RUNS }, () => placing.start(spec)))
  await ended(placing, name, ids)
  const took = performance.now() - from
  const [serverMs = 0, workersMs = 0, brokerMs = 0] = spent().map((now, index) => (now - (before[index] ?? 0)) / RUNS)
  return { perSecond: (RUNS / took) * 1_000, serverMs, workersMs, brokerMs }
}

async function log(isPlaced: boolean): Promise<number> {
  const name = `log-${isPlaced}`
  const spec = `name: ${name}${selector(isPlaced)}\nsteps: ['head -c ${LOG_MIB * MIB} /dev/zero | tr "\\0" x']`
  const from = performance.now()
  await ended(placing, name, [await placing.start(JSON.parse(JSON.stringify(spec)))])
  return LOG_MIB / ((performance.now() - from) / 1_000)
}

const marks: Record<'local' | 'placed', number[]> = { local: [], placed: [] }
const bursts: Record<'local' | 'placed', Burst[]> = { local: [], placed: [] }
const logs: Record<'local' | 'placed', number[]> = { local: [], placed: [] }
for (let round = 0; round <= ROUNDS; round++)
  for (const isPlaced of round % 2 ? [false, true] : [true, false]) {
    const where = isPlaced ? 'placed' : 'local'
    const isWarm = round > 0 // the first round loads what is loaded late
    for (let n = 0; n < 30; n++) {
      const took = await firstMark(isPlaced, round * 100 + n)
      if (isWarm) marks[where].push(took)
    }
    const measured = await burst(isPlaced, round)
    const speed = await log(isPlaced)
    if (!isWarm) continue
    bursts[where].push(measured)
    logs[where].push(speed)
  }

await new Promise((resolve) => setTimeout(resolve, GIVEN_BACK_MS))
const idleFrom = pids.map(cpuOf)
await new Promise((resolve) => setTimeout(resolve, 10_000))
const idle = pids.map((pid, index) => (cpuOf(pid) - (idleFrom[index] ?? 0)) / 100)
const memory = pids.map(pssOf)

/** The server is killed; from its being healthy again to the beginning of a run on a worker. */
async function dispatchAfterKill(): Promise<number> {
  await placing.killServer()
  await placing.startServer()
  const from = Date.now()
  const mark = join(folder, 'after-kill')
  writeFileSync(mark, '')
  const id = await placing.start(`name: after-kill${selector(true)}\nsteps: ['date +%s%N >${mark}']`)
  await ended(placing, 'after-kill', [id])
  return Number(BigInt(readFileSync(mark, 'utf8').trim()) / 1_000_000n) - from
}
const again = await dispatchAfterKill()
const task = await taskCost(placing.home)
const beat = await beatCost(placing.home, server())

const of = (where: 'local' | 'placed', member: keyof Burst) => median(bursts[where].map((one) => one[member]))
row('', 'local', 'on a worker', 'must')
row('request to first mark, p50', `${median(marks.local)} ms`, `${median(marks.placed)} ms`, '60 ms')
row('the same, p99', `${percentile(marks.local, 99)} ms`, `${percentile(marks.placed, 99)} ms`)
const speed = (where: 'local' | 'placed') => `${rounded(of(where, 'perSecond'))}/s`
row(`${RUNS} runs of one step, 3 workers`, speed('local'), speed('placed'), '100/s')
const each = (where: 'local' | 'placed', member: keyof Burst) => `${rounded(of(where, member), 2)} ms`
row('processor time of the server, each run', each('local', 'serverMs'), each('placed', 'serverMs'))
row('of its worker', '', each('placed', 'workersMs'))
row('of the broker', '', each('placed', 'brokerMs'))
row('processor time of an engine, messages of one task', '', `${rounded(task, 2)} ms`, '0.5 ms')
row('of a server, a heartbeat of a worker', '', `${rounded(beat * 1_000)} us`, '60 us')
row(`a log of ${LOG_MIB} MiB`, `${rounded(median(logs.local))} MB/s`, `${rounded(median(logs.placed))} MB/s`, '40 MB/s')
row('server killed, healthy again: next run begins after', '', `${again} ms`, '2,000 ms')
row('an idle worker: memory (PSS)', '', `${rounded(median(memory))} MiB`, '60 MiB')
row('an idle worker: of a processor', '', `${rounded(median(idle), 2)} %`, '0.5 %')
await placing.close()
endPrograms()
const peer = await daguFigures()
if (peer) {
  const { version, markMs, perSecond, cpuMsOfRun } = peer
  console.log(`\nDagu ${version}, its coordinator and 3 workers, by its queue (its API starts no run on a worker):`)
  row('request to first mark, p50', '', `${rounded(markMs)} ms`)
  row('runs of one step at once, 3 workers', '', `${rounded(perSecond, 1)}/s`)
  row('processor time of all its processes, each run', '', `${rounded(cpuMsOfRun, 1)} ms`)
}
