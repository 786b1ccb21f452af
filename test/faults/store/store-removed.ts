/** Homes that are removed or replaced beside their engine: nothing is acknowledged into files that are gone, what runs goes on. Source: reliability P1. */
import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../support/random.ts'
import { eventually } from '../../support/waiting.ts'
import { startEngine, stepProcesses } from '../engine-process.ts'
import { newHome, removeHome } from '../home.ts'
import type { Findings } from '../suite.ts'

/** As one that does not look. */
export const REMOVED_PLANT = 'acknowledges what it cannot keep'

const STARTS = 5
const END_MS = 30_000
/** Many starts share a look at the files. */
const SILENCE_MS = 150

const WAYS: [what: string, remove: (home: string) => void][] = [
  ['the home removed', (home) => rmSync(home, { recursive: true })],
  ['the data folder removed', (home) => rmSync(join(home, 'data'), { recursive: true })],
  ['the store removed', (home) => rmSync(join(home, 'data', 'troupe.mdb'))],
  ['the lock file removed', (home) => rmSync(join(home, 'data', 'troupe.mdb-lock'))],
  ['the home moved away', (home) => renameSync(home, `${home}.away`)],
  [
    'a copy in the place of the home',
    (home) => {
      cpSync(home, `${home}.copy`, { recursive: true, filter: (path) => !path.endsWith('.sock') })
      rmSync(home, { recursive: true })
      renameSync(`${home}.copy`, home)
    }
  ]
]

export async function removeHomes(
  random: Random,
  rounds: number,
  plant: string | undefined,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const [home, outside] = [newHome(), newHome()]
    const [what, remove] = random.pick(WAYS)
    const engine = await startEngine({ home, ...(plant ? { plant } : {}) })
    const spec = (name: string, step: string) => `name: ${name}\nmaxActiveRuns: -1\nsteps: ['${step}']`
    const start = (name: string, step: string) => engine.call('POST', '/dag-runs', { spec: spec(name, step) })
    const wait = `touch ${outside}/begun; while [ ! -e ${outside}/go ]; do sleep 0.05; done; touch ${outside}/done`
    const begun = await start('long', wait)
    if (begun.status !== 200) throw new Error(begun.text)
    await eventually('the step', () => existsSync(join(outside, 'begun')) || undefined, END_MS)
    remove(home)
    await new Promise((resolve) => setTimeout(resolve, SILENCE_MS + random.below(SILENCE_MS)))
    for (let each = 0; each < STARTS; each++) {
      const { status, text } = await start(`lost${each}`, 'true')
      findings.check(status === 503, 'P1', `${what}: a start was answered with ${status}: ${text.slice(0, 100)}`)
    }
    const health = await engine.call('GET', '/health')
    const isSaid = health.status === 503 && /in the home of this engine|home of this engine is gone/.test(health.text)
    findings.check(isSaid, 'P1', `${what}: health is ${health.status} ${health.text.slice(0, 200)}`)
    writeFileSync(join(outside, 'go'), '')
    await eventually('the end of the step', () => existsSync(join(outside, 'done')) || undefined, END_MS).catch(
      (error: Error) => findings.add('P1', `${what}: what ran did not go on: ${error.message}`)
    )
    findings.check(!engine.gone, 'P22', `${what}: the engine has died`)
    await engine.kill()
    counts.homesRemoved = (counts.homesRemoved ?? 0) + 1
    for (const each of [home, `${home}.away`, outside]) removeHome(each, stepProcesses(each))
  }
}
