/** Backups of a busy home, some cut off; what was acknowledged before one began is in it, and goes on elsewhere. Source: reliability T5, P1, P5. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../../src/store/open.ts'
import { PROGRAM } from '../../support/cli/program.ts'
import { type Random, seeded } from '../../support/random.ts'
import { eventually } from '../../support/waiting.ts'
import { checkAccounts } from '../check-home.ts'
import { killAll, killHolders, openRunsOf, startEngine, stepProcesses } from '../engine-process.ts'
import { newHome, removeHome } from '../home.ts'
import { openLoader } from '../loader.ts'
import type { Findings } from '../suite.ts'
import { ENQUEUED, STARTED, writeDefinitions } from '../workload.ts'

/** Takes the copy of a moment that is over. */
export const BACKUP_PLANT = 'leaves what is new out of its backup'

/** Acknowledged runs before a backup is taken. */
const ENOUGH = 20
const LONGEST_CUT_MS = 600
const END_MS = 60_000

export async function backUpAll(
  random: Random,
  rounds: number,
  plant: string | undefined,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const [home, folder, other] = [newHome(), newHome(), newHome()]
    const backup = join(folder, 'backup')
    const before = await taken(random, home, backup, plant, findings, counts)
    if (existsSync(backup)) await restored(backup, other, before, findings)
    counts.backups = (counts.backups ?? 0) + 1
    counts.runsBackedUp = (counts.runsBackedUp ?? 0) + before.length
    for (const each of [home, folder, other]) removeHome(each, stepProcesses(each))
  }
}

/** Takes a backup under load, and kills the engine. @returns what was acknowledged before it began, and not taken back since */
async function taken(
  random: Random,
  home: string,
  backup: string,
  plant: string | undefined,
  findings: Findings,
  counts: Record<string, number>
) {
  writeDefinitions(home, 'resume')
  const loader = openLoader(seeded(random.below(2 ** 31)), findings) // its own: how much it chooses is up to the machine
  const engine = await startEngine({ home })
  if (plant === BACKUP_PLANT) await troupe('backup', home, backup)
  const loading = loader.load(engine)
  const accepted = () => loader.accounts.filter(({ answer }) => answer === 'accepted')
  await eventually('acknowledged runs', () => accepted().length >= ENOUGH || undefined, END_MS)
  const before = accepted()
  if (plant !== BACKUP_PLANT) {
    if (random.chance(0.3)) {
      await troupe('backup', home, backup, random.below(LONGEST_CUT_MS))
      counts.cutOff = (counts.cutOff ?? 0) + 1
    }
    // One that was cut off has no name yet, or was whole before.
    if (!existsSync(backup)) {
      const { code, err } = await troupe('backup', home, backup)
      findings.check(code === 0, 'P1', `a backup under load ended with ${code}: ${err}`)
    }
  }
  await new Promise((resolve) => setTimeout(resolve, random.below(300)))
  await Promise.all([engine.kill(), loading])
  killHolders(home)
  killAll(stepProcesses(home))
  return before.filter(({ dequeued }) => dequeued === undefined)
}

/** Restores it as another home: nothing is missing, no law is broken, and everything that was open comes to an end. */
async function restored(
  backup: string,
  home: string,
  before: Parameters<typeof checkAccounts>[0],
  findings: Findings
): Promise<void> {
  const { code, err } = await troupe('restore', home, backup)
  findings.check(code === 0, 'P5', `a restore ended with ${code}: ${err}`)
  if (code === 1) return
  const store = openStore(join(home, 'data'), { readOnly: true })
  const records = Array.from(store.runs.getRange(), ({ value }) => value.record)
  await store.root.close()
  checkAccounts(before, new Map(records.map((record) => [record.dagRunId, record])), findings)
  if (findings.found.length > 0) return // there is something to look at already
  const engine = await startEngine({ home })
  const none = async () => ((await openRunsOf(engine, [...STARTED, ENQUEUED])) === 0 ? true : undefined)
  await eventually('the runs of a restored home to end', none, END_MS).catch((error: Error) =>
    findings.add('P8', error.message)
  )
  await engine.close()
}

/** @param cutAfterMs it is killed then */
async function troupe(
  command: 'backup' | 'restore',
  home: string,
  folder: string,
  cutAfterMs?: number
): Promise<{ code: number | undefined; err: string }> {
  const child = spawn(process.execPath, [PROGRAM, command, '--home', home, folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: home }
  })
  let err = ''
  child.stderr.on('data', (bytes) => {
    err += bytes
  })
  const cut = cutAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), cutAfterMs)
  const [code] = await once(child, 'close')
  clearTimeout(cut)
  return { code: code ?? undefined, err: err.slice(-500) }
}
