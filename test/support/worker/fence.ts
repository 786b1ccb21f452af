/** The shell of a fence, as a worker starts it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf } from '../../../src/platform/process-identity.ts'
import { PROJECT } from '../project.ts'

const FOLDER = join(PROJECT, 'src', 'executors', 'fence')
/** The program that ends containers. */
export const KILLER = join(FOLDER, 'kill-containers.mjs')

/** @param worker pid of its worker */
export function fenceOf(folder: string, worker: number, environment: Record<string, string> = {}): ChildProcess {
  const text = readFileSync(join(FOLDER, 'fence.sh'), 'utf8')
  const ticks = identityOf(worker)?.startTicks ?? ''
  const words = [folder, `${worker}`, ticks, process.execPath, KILLER]
  return spawn('sh', ['-c', text, 'fence', ...words], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH ?? '', ...environment }
  })
}
