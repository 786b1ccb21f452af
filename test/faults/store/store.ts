/** `fault-store`: commits cut off by kill -9; homes that are damaged, page by page too, or removed; backups taken under load and restored. Source: reliability T5, P5, P7. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commit } from '../../../src/store/commit.ts'
import { entriesIn } from '../../../src/store/disk/write-ahead.ts'
import { openStore } from '../../../src/store/open.ts'
import { ofAll } from '../../support/long.ts'
import { type Random, seeded } from '../../support/random.ts'
import { lengthOf } from '../chain.ts'
import { newHome, removeHome } from '../home.ts'
import { Findings, type Suite } from '../suite.ts'
import { BACKUP_PLANT, backUpAll } from './store-backup.ts'
import { damageAll } from './store-damage.ts'
import { damagePagesAll, PAGES_PLANT } from './store-pages.ts'
import { REMOVED_PLANT, removeHomes } from './store-removed.ts'

const child = fileURLToPath(new URL('./store-child.js', import.meta.url))
/** Kills for each damaged home and each damaged page, for each backup, and for each home that is removed. */
const DAMAGED = 4
const BACKED_UP = 10
const REMOVED = 10
const LONGEST_MS = 200
const UNWRITTEN = 'tells of a commit that is not written'

export const store: Suite = {
  name: 'fault-store',
  promises: ['P1', 'P4', 'P5', 'P7', 'P8', 'P22'],
  small: ofAll(2, 4),
  full: 200,
  plants: { [UNWRITTEN]: 2, [BACKUP_PLANT]: 1, [PAGES_PLANT]: 1, [REMOVED_PLANT]: 1 },
  async run({ seed, size, plant }) {
    const random = seeded(seed)
    const findings = new Findings()
    const counts: Record<string, number> = { kills: 0, committed: 0, damaged: 0, backups: 0 }
    const damages = plant ? 0 : Math.ceil(size / DAMAGED)
    const isFor = (own: string) => plant === undefined || plant === own
    if (isFor(UNWRITTEN)) await torture(random, size, plant, findings, counts)
    if (damages > 0) await damageAll(random, damages, findings, counts)
    if (isFor(BACKUP_PLANT)) await backUpAll(random, Math.ceil(size / BACKED_UP), plant, findings, counts)
    if (isFor(PAGES_PLANT)) await damagePagesAll(random, Math.ceil(size / DAMAGED), plant, findings, counts)
    if (isFor(REMOVED_PLANT)) await removeHomes(random, Math.ceil(size / REMOVED), plant, findings, counts)
    return { rounds: size, counts, found: findings.found }
  }
}

async function torture(
  random: Random,
  cycles: number,
  plant: string | undefined,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  const home = newHome()
  const dataDir = join(home, 'data')
  let length = 0
  for (let cycle = 0; cycle < cycles; cycle++) {
    const acknowledged = await killedInCommits(dataDir, length + 1, random, plant)
    const opened = openStore(dataDir)
    // As an engine does when it takes over.
    const left = entriesIn(join(dataDir, 'write-ahead'))
    if (left.length > 0) await commit(opened, left, { again: true })
    const found = lengthOf(opened)
    await opened.root.close()
    findings.check(
      found.length >= acknowledged,
      'P1',
      `${acknowledged} were acknowledged as committed, ${found.length} are there`
    )
    findings.check(
      found.broken === undefined,
      'P5',
      `record ${found.broken} of ${found.length} is missing, torn or of another time`
    )
    counts.kills = (counts.kills ?? 0) + 1
    counts.committed = found.length
    length = found.length
  }
  removeHome(home)
}

/** @returns the highest number that was acknowledged */
async function killedInCommits(
  dataDir: string,
  from: number,
  random: Random,
  plant: string | undefined
): Promise<number> {
  const writer = spawn(process.execPath, [child, dataDir, String(from), ...(plant ? [plant] : [])], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  let out = ''
  let first = () => {}
  const begun = new Promise<void>((resolve) => {
    first = resolve
  })
  writer.stdout.on('data', (bytes) => {
    out += bytes
    first()
  })
  const ended = once(writer, 'close')
  await Promise.race([begun, ended])
  await new Promise((resolve) => setTimeout(resolve, random.below(LONGEST_MS)))
  writer.kill('SIGKILL')
  await ended
  return Math.max(0, ...out.split('\n').slice(0, -1).map(Number))
}
