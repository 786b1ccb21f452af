/** What a worker has on record is on its disk, whatever a power cut leaves. Source: distribution 5, D3. */
import { join } from 'node:path'
import { expect } from 'chai'
import type { OpenJob } from '../../src/bus/jobs.ts'
import { openWorkerHome } from '../../src/worker/home.ts'
import { openSpool } from '../../src/worker/tasks/spool.ts'
import { runFolders } from '../../src/worker/work/kept-run.ts'
import { HOMES } from '../sim/quick-files.ts'
import { type Disks, openDisks } from '../sim/workers/disks.ts'
import { seeded } from '../support/random.ts'
import { simulatedClock } from '../support/simulated/simulated-clock.ts'

describe('worker › after a power cut', () => {
  let disks: Disks
  beforeEach(() => {
    disks = openDisks()
  })
  afterEach(() => disks.close())
  const clock = simulatedClock()
  const open = (home: string) => openWorkerHome(home, clock, undefined, () => () => {})
  const ID = `${'1'.repeat(32)}-7`

  /** With each seed another part of what was not flushed is lost. */
  const always = (what: string, holds: (home: string, cut: () => void) => Promise<void> | void) =>
    it(what, async () => {
      for (let seed = 1; seed <= 20; seed++) {
        const place = join(HOMES, `power-${seed}`)
        await holds(join(place, 'data', 'worker'), () => disks.losePower(place, seeded(seed)))
      }
    })

  always('it is the same worker: its home is there, with its id', (home, cut) => {
    const { id } = open(home)
    cut()
    expect(open(home).id).to.equal(id)
  })
  always('D3 a task that was claimed is on record', async (home, cut) => {
    open(home)
    const record = { task: '1'.repeat(32), lease: 7, engine: 'e', epoch: 1, what: 'step' as const, run: '2'.repeat(32) }
    await openSpool(join(home, 'spool')).add(ID, { kind: 'claimed', ...record, name: 'a', job: '{}' })
    cut()
    expect([...openSpool(join(home, 'spool')).found.keys()]).to.deep.equal([ID])
  })
  always('a run that is open is open', async (home, cut) => {
    open(home)
    const unreadable: string[] = []
    const folders = () => runFolders(join(home, 'runs'), (path) => unreadable.push(path))
    await folders().keep(ID, {} as OpenJob) // nothing of it is looked at
    cut()
    expect([
      folders()
        .found()
        .map(([id]) => id),
      unreadable
    ]).to.deep.equal([[ID], []])
  })
})
