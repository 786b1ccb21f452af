/** A record of a process whose id was reused. Source: reliability T10, P10. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootId } from '../../../src/platform/process-identity.ts'
import { eventually } from '../../support/waiting.ts'
import { killAll, startEngine, stepProcesses } from '../engine-process.ts'
import { newHome, removeHome } from '../home.ts'
import type { Findings } from '../suite.ts'
import { CLEAN_UP } from './proc-cases.ts'

const END_MS = 40_000

/**
 * The record of a step names a process that has ended and whose id was reused: the other process must not get signals.
 * @param planted the record is that of the innocent process itself, as it is for an engine that looks at numbers only
 */
export async function reusedPid(planted: boolean, findings: Findings): Promise<void> {
  const home = newHome()
  const folder = join(home, 'work')
  mkdirSync(folder)
  const spec = JSON.stringify({
    name: 'proc',
    workingDir: folder,
    onInterrupt: 'fail',
    maxCleanUpTimeSec: CLEAN_UP,
    steps: [{ name: 'step', command: 'touch ready; sleep 300' }]
  })
  const first = await startEngine({ home })
  await first.call('POST', '/dag-runs', { spec, dagRunId: 'r1' })
  await eventually('the step', () => existsSync(join(folder, 'ready')) || undefined, END_MS)
  await first.kill()
  killAll(stepProcesses(home))
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
