/** `fault-proc`: steps whose processes do not behave, and records of processes that are others by now. Source: reliability T10. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from '../../support/random.ts'
import { eventually } from '../../support/waiting.ts'
import { type EngineProcess, killAll, startEngine, stepProcesses } from '../engine-process.ts'
import { newHome, removeHome } from '../home.ts'
import { Findings, type Suite } from '../suite.ts'
import { type Amounts, type Case, CLEAN_UP, casesOf, FEW, MANY } from './proc-cases.ts'
import { reusedPid } from './reused-pid.ts'

/** Source: P16. The second that it may take beyond, and what a busy machine takes. */
const STOP_MS = (CLEAN_UP + 1) * 1000
const SLACK_MS = 4_000
/** Source: P17. Of the median answer: single ones belong to the machine. */
const ANSWER_MS = 100
/** What is left of a group that was killed may still be on its way out. */
const GONE_MS = 500
const END_MS = 60_000
const ENGINE_MIB = 256

const ONE_PASS = casesOf(FEW).length + 1
const BY_NUMBER = 'signals a process by its number alone'
const LEADER_ONLY = 'signals the first process of a step alone'

export const proc: Suite = {
  name: 'fault-proc',
  promises: ['P10', 'P16', 'P17', 'P18'],
  small: ONE_PASS,
  full: 3 * ONE_PASS,
  plants: { [BY_NUMBER]: 1, [LEADER_ONLY]: 1 },
  async run({ seed, size, plant }) {
    const random = seeded(seed)
    const findings = new Findings()
    const counts: Record<string, number> = {}
    const records = plant === LEADER_ONLY ? 0 : Math.ceil(size / ONE_PASS)
    const amounts = size < 3 * ONE_PASS ? FEW : MANY
    if (size > records) {
      const all = random.shuffled(casesOf(amounts))
      // Of all cases it is the one that a plant shows in.
      const cases = plant ? all.filter(({ name }) => name === 'children-ignore') : all
      await misbehaving(cases, size - records, amounts, plant, findings, counts)
    }
    for (let round = 0; round < records; round++) await reusedPid(plant === BY_NUMBER, findings)
    return { rounds: size, counts: { ...counts, reusedNumbers: records }, found: findings.found }
  }
}

/** One engine has them all, one after the other. */
async function misbehaving(
  cases: Case[],
  count: number,
  { outputMiB }: Amounts,
  plant: string | undefined,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  Object.assign(counts, { stopped: 0, processes: 0, slowestStopMs: 0, mostMiB: 0 })
  const home = newHome()
  const engine = await startEngine({ home, ...(plant ? { plant } : {}) })
  const beside: number[] = []
  for (let index = 0; index < count; index++) {
    const one = cases[index % cases.length]
    if (one) await tried(engine, home, one, `${one.name}-${index}`, outputMiB, findings, counts, beside)
  }
  beside.sort((a, b) => a - b)
  counts.answers = beside.length
  counts.medianAnswerMs = Math.round(beside[Math.floor(beside.length / 2)] ?? 0)
  counts.p99AnswerMs = Math.round(beside[Math.floor(beside.length * 0.99)] ?? 0)
  findings.check(counts.medianAnswerMs <= ANSWER_MS, 'P17', `the median answer took ${counts.medianAnswerMs} ms`)
  await engine.close()
  removeHome(home, stepProcesses(home))
}

async function tried(
  engine: EngineProcess,
  home: string,
  { name, command, stopped, status, mayLeave }: Case,
  dagRunId: string,
  outputMiB: number,
  findings: Findings,
  counts: Record<string, number>,
  beside: number[]
): Promise<void> {
  const folder = join(home, 'work', dagRunId)
  mkdirSync(folder, { recursive: true })
  const spec = JSON.stringify({
    name: 'proc',
    maxActiveRuns: -1,
    workingDir: folder,
    maxCleanUpTimeSec: CLEAN_UP,
    steps: [{ name: 'step', command }]
  })
  const { status: accepted, text } = await engine.call('POST', '/dag-runs', { spec, dagRunId })
  if (accepted !== 200) throw new Error(`${name} was refused: ${text}`)
  await eventually(`${name} to be ready`, () => existsSync(join(folder, 'ready')) || undefined, END_MS)
  counts.processes = (counts.processes ?? 0) + stepProcesses(home).length
  const begun = performance.now()
  if (stopped) {
    await engine.call('POST', `/dag-runs/proc/${dagRunId}/stop`)
    counts.stopped = (counts.stopped ?? 0) + 1
  }
  const run = await eventually(
    `the end of ${name}`,
    async () => {
      const asked = performance.now()
      const { json } = await engine.call('GET', `/dag-runs/proc/${dagRunId}`)
      beside.push(performance.now() - asked)
      return json?.dagRun?.finishedAt ? json.dagRun : undefined
    },
    END_MS
  ).catch((error: Error) => {
    findings.add('P16', error.message)
    return undefined
  })
  const took = performance.now() - begun
  if (stopped) {
    counts.slowestStopMs = Math.max(counts.slowestStopMs ?? 0, Math.round(took))
    findings.check(
      took <= STOP_MS + SLACK_MS,
      'P16',
      `${name} was stopped within ${Math.round(took)} ms, wanted ${STOP_MS}`
    )
  }
  findings.check(run?.statusLabel === status, 'P10', `${name} is ${run?.statusLabel}, wanted ${status}`)
  const mebibytes = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${engine.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  counts.mostMiB = Math.max(counts.mostMiB ?? 0, Math.round(mebibytes))
  findings.check(mebibytes < ENGINE_MIB, 'P18', `the engine has ${Math.round(mebibytes)} MiB after ${name}`)
  if (name === 'much-output') {
    const log: string | undefined = run?.nodes?.[0]?.stdout
    const size = log && existsSync(log) ? statSync(log).size : 0
    findings.check(size === outputMiB * 1024 ** 2, 'P17', `of ${outputMiB} MiB of output ${size} bytes were kept`)
    if (log) rmSync(log, { force: true })
  }
  if (stopped && !mayLeave) {
    const none = () => stepProcesses(home).length === 0 || undefined
    await eventually('an end of all processes', none, GONE_MS).catch(() =>
      findings.add('P16', `${stepProcesses(home).length} processes of ${name} live on after its stop`)
    )
  }
  killAll(stepProcesses(home))
}
