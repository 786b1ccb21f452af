/** What it costs on this host to start a program, without any engine: the measure for what the steps of an engine cost. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { removedAtTheEnd } from '../leaving.ts'

/** Of one start, from `vfork` to the end of the program. */
export interface StartCost {
  command: string
  wallMs: number
  cpuMs: number
  /** Minor page faults: where virtual machines make them dear, they decide what a process costs. */
  faults: number
}

/** The one that a step of a shell cannot be cheaper than. */
export const SHELL = 'sh -c true'
/** With their paths: nobody searches for them. */
const COMMANDS: Record<string, string[]> = {
  '/bin/true': ['/bin/true'],
  [SHELL]: ['/bin/sh', '-c', 'true'],
  'sh -c /bin/true': ['/bin/sh', '-c', '/bin/true']
}
const STARTS = 200
const SOURCE = fileURLToPath(new URL('../../../../test/bench/step/host.c', import.meta.url))

const run = promisify(execFile)

/** What measures it. A program in C does: a runtime or a shell would fork, and measure its own memory. @throws Error without a C compiler */
export async function hostProbe(): Promise<() => Promise<StartCost[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-host-'))
  removedAtTheEnd(() => rmSync(folder, { recursive: true, force: true }))
  const probe = join(folder, 'host')
  await run('cc', ['-std=c11', '-O2', '-o', probe, SOURCE])
  return async () => {
    const costs: StartCost[] = []
    for (const [command, argv] of Object.entries(COMMANDS))
      costs.push(costOf(command, (await run(probe, [String(STARTS), ...argv])).stdout))
    return costs
  }
}

/** @param printed by `host.c` */
function costOf(command: string, printed: string): StartCost {
  const [wallMs = Number.NaN, cpuMs = Number.NaN, faults = Number.NaN] = printed.trim().split(' ').map(Number)
  return { command, wallMs, cpuMs, faults }
}
