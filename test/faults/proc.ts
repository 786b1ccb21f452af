/** `fault-proc`: steps whose processes do not behave, and records of processes that are others by now. Source: reliability T10. */

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootId } from '../../src/process-identity.ts'
import { seeded } from '../support/random.ts'
import { eventually } from '../support/waiting.ts'
import { type EngineProcess, startEngine, stepProcesses } from './engine-process.ts'
import { newHome, removeHome } from './home.ts'
import { Findings, type Suite } from './suite.ts'

/** Seconds that a stopped step has to clean up. */
const CLEAN_UP = 1
/** Source: P16. The second that it may take beyond, and what a busy machine takes. */
const STOP_MS = (CLEAN_UP + 1) * 1000
const SLACK_MS = 4_000
/** Source: P17. Of the median answer: single ones belong to the machine. */
const ANSWER_MS = 100
const FORKS = 60
const OUTPUT_MIB = 48
const END_MS = 40_000

interface Case {
  name: string
  /** Shell text; writes `ready` when it is as it should be. */
  command: string
  /** It is stopped; otherwise it ends by itself. */
  stopped?: boolean
  status: 'canceled' | 'failed' | 'succeeded'
  /** Processes that it may leave behind: they have left its group. */
  mayLeave?: boolean
}

const CASES: Case[] = [
  {
    name: 'ignores-term',
    command: `trap "" TERM INT HUP; touch ready; while :; do sleep 0.1; done`,
    stopped: true,
    status: 'canceled'
  },
  {
    name: 'children-ignore',
    command: `for i in 1 2 3; do (trap "" TERM; while :; do sleep 0.1; done) & done; touch ready; wait`,
    stopped: true,
    status: 'canceled'
  },
  {
    name: 'forks',
    command: `i=0; while [ $i -lt ${FORKS} ]; do sleep 300 & i=$((i+1)); done; touch ready; wait`,
    stopped: true,
    status: 'canceled'
  },
  {
    name: 'forks-again',
    command: `trap 'sleep 300 & sleep 300 &' TERM; touch ready; while :; do sleep 0.1; done`,
    stopped: true,
    status: 'canceled'
  },
  { name: 'is-stopped', command: `touch ready; kill -STOP $$; sleep 300`, stopped: true, status: 'canceled' },
  { name: 'holds-the-pipe', command: `sleep 300 & touch ready; exit 0`, status: 'succeeded', mayLeave: true },
  {
    name: 'daemon',
    command: `setsid -f sh -c 'sleep 300' >/dev/null 2>&1; touch ready; exit 0`,
    status: 'succeeded',
    mayLeave: true
  },
  {
    name: 'daemon-stopped',
    command: `setsid -f sh -c 'sleep 300' >/dev/null 2>&1; touch ready; sleep 300`,
    stopped: true,
    status: 'canceled',
    mayLeave: true
  },
  {
    name: 'zombies',
    command: `sh -c 'i=0; while [ $i -lt 20 ]; do true & i=$((i+1)); done; exec sleep 1'; touch ready`,
    status: 'succeeded'
  },
  { name: 'kills-itself', command: `touch ready; kill -SEGV $$; sleep 300`, status: 'failed' },
  { name: 'kills-its-group', command: `touch ready; kill -KILL 0; sleep 300`, status: 'failed' },
  {
    name: 'much-output',
    command: `touch ready; head -c ${OUTPUT_MIB * 1024 ** 2} /dev/zero | tr '\\0' x`,
    status: 'succeeded'
  }
]

export const proc: Suite = {
  name: 'fault-proc',
  promises: ['P8', 'P10', 'P16', 'P17', 'P18'],
  small: CASES.length + 1,
  full: 6 * (CASES.length + 1),
  plants: { 'signals a process by its number alone': 1, 'leaves what it has stopped alive': 1 },
  async run({ seed, size, plant }) {
    const random = seeded(seed)
    const findings = new Findings()
    const counts: Record<string, number> = { stopped: 0, processes: 0, slowestStopMs: 0, medianAnswerMs: 0, mostMiB: 0 }
    const home = newHome()
    const engine = await startEngine({ home })
    const forged = Math.max(1, Math.floor(size / (CASES.length + 1)))
    const cases = random.shuffled(CASES)
    if (plant === 'leaves what it has stopped alive') cases.unshift({ ...SURVIVOR })
    const beside: number[] = []
    for (let index = 0; index < Math.max(1, size - forged); index++) {
      const one = cases[index % cases.length]
      if (one) await tried(engine, home, one, `${one.name}-${index}`, findings, counts, beside)
    }
    beside.sort((a, b) => a - b)
    counts.medianAnswerMs = Math.round(beside[Math.floor(beside.length / 2)] ?? 0)
    findings.check(counts.medianAnswerMs <= ANSWER_MS, 'P17', `the median answer took ${counts.medianAnswerMs} ms`)
    await engine.close()
    removeHome(home, stepProcesses(home))
    for (let round = 0; round < forged; round++)
      await reusedPid(plant === 'signals a process by its number alone', findings)
    return { rounds: size, counts, found: findings.found }
  }
}

/** It says that it is of another run, so that nobody finds it in the group; the harness takes it for one that was left. */
const SURVIVOR: Case = {
  name: 'survivor',
  command: `setsid -f sh -c 'sleep 300' >/dev/null 2>&1; touch ready; sleep 300`,
  stopped: true,
  status: 'canceled'
}

async function tried(
  engine: EngineProcess,
  home: string,
  { name, command, stopped, status, mayLeave }: Case,
  dagRunId: string,
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
  findings.check(mebibytes < 256, 'P18', `the engine has ${Math.round(mebibytes)} MiB after ${name}`)
  if (name === 'much-output') {
    const log = run?.nodes?.[0]?.stdout
    const size = log && existsSync(log) ? statSync(log).size : 0
    findings.check(size === OUTPUT_MIB * 1024 ** 2, 'P17', `of ${OUTPUT_MIB} MiB of output ${size} bytes were kept`)
  }
  const left = stepProcesses(home)
  if (mayLeave || !stopped) removeAll(left)
  else findings.check(left.length === 0, 'P16', `${left.length} processes of ${name} live on after its stop`)
  removeAll(left)
}

function removeAll(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

/**
 * The record of a step names a process that has ended, and whose number somebody else has now: nobody may signal that one.
 * @param planted the record is that of the innocent process itself, as it is for an engine that looks at numbers only
 */
async function reusedPid(planted: boolean, findings: Findings): Promise<void> {
  const home = newHome()
  const folder = join(home, 'work')
  mkdirSync(folder)
  const spec = JSON.stringify({
    name: 'proc',
    workingDir: folder,
    onInterrupt: 'fail',
    steps: [{ name: 'step', command: 'touch ready; sleep 300' }]
  })
  const first = await startEngine({ home })
  await first.call('POST', '/dag-runs', { spec, dagRunId: 'r1' })
  await eventually('the step', () => existsSync(join(folder, 'ready')) || undefined, END_MS)
  await first.kill()
  removeAll(stepProcesses(home))
  const innocent = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })
  const stat = readFileSync(`/proc/${innocent.pid}/stat`, 'utf8').trimEnd()
  const fields = stat.split(' ')
  if (!planted) fields[21] = String(Number(fields[21]) - 1) // another process of that number, a tick earlier
  writeFileSync(join(home, 'logs', 'proc', 'r1', '1', 'step.1.1.state'), `${bootId()} 0 ${fields.join(' ')}\n`)
  const second = await startEngine({ home })
  const run = await eventually(
    'the end of the run',
    async () => {
      const { json } = await second.call('GET', '/dag-runs/proc/r1')
      return json?.dagRun?.finishedAt ? json.dagRun : undefined
    },
    END_MS
  )
  findings.check(
    innocent.exitCode === null && innocent.signalCode === null,
    'P10',
    'a process that only has the number of a step was killed'
  )
  findings.check(run.statusLabel === 'failed', 'P10', `a run whose step nobody knows the end of is ${run.statusLabel}`)
  innocent.kill('SIGKILL')
  await second.close()
  removeHome(home, stepProcesses(home))
}
