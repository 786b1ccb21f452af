/** Room for further runs on the disk of a worker. Source: distribution 5: `worker.spoolLimit` or < 1 GiB free. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readDefinition } from '../../src/definition/read.ts'
import { openSpace } from '../../src/worker/space.ts'
import { temporaryFolder } from '../support/homes.ts'
import { eventually } from '../support/waiting.ts'
import { workerScene } from '../support/worker/machines.ts'

const GIB = 1024 ** 3

describe('worker › disk', () => {
  it('less than 1 GiB is free, or more is kept than worker.spoolLimit: why is a sentence; room again: there is none', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'runs', 'r-1', 'logs'), { recursive: true })
    mkdirSync(join(folder, 'runs', 'r-1', 'work'))
    mkdirSync(join(folder, 'spool'))
    const log = join(folder, 'runs', 'r-1', 'logs', 'one.out')
    writeFileSync(log, 'x'.repeat(3_000))
    writeFileSync(join(folder, 'spool', 'task'), 'x'.repeat(96))
    writeFileSync(join(folder, 'runs', 'r-1', 'work', 'data'), 'x'.repeat(9_000))
    const rings: (() => void)[] = []
    const clock = {
      after(_: number, ring: () => void) {
        rings.push(ring)
        return () => {}
      }
    }
    let left: number | undefined = GIB
    const space = openSpace({ folder, limit: 3_095, clock, free: async () => left })
    /** After the first look, or a further one. */
    async function found(): Promise<string | undefined> {
      rings.shift()?.()
      await eventually('a look', () => (rings.length > 0 ? true : undefined))
      return space.trouble()
    }
    expect(await found()).to.equal('it keeps 3 KiB of runs, and worker.spoolLimit is 3 KiB')
    writeFileSync(log, 'x'.repeat(2_999))
    expect(await found()).to.equal(undefined)
    left = GIB / 2
    expect(await found()).to.equal('its disk has 512 MiB left, and it wants 1 GiB')
    left = undefined
    rmSync(folder, { recursive: true })
    expect(await found()).to.equal(undefined)
    space.close()
  })

  it('a further run is refused, and says why; the steps of one that is open go on', async () => {
    const { plan } = readDefinition('name: a\nsteps: [{name: one, command: echo done}]')
    const job = (dagRunId: string) => ({ run: { name: 'a', dagRunId }, runAttempt: 1, plan, params: [] })
    const given: Parameters<typeof workerScene>[0] = {}
    const scene = workerScene(given)
    try {
      expect((await scene.done('open', job('r1'))).error).to.equal(undefined)
      given.spoolLimit = 0
      await scene.restart()
      await eventually('a look', () => scene.tasks.trouble())
      const refused = await scene.begin('open', job('r2'), { run: 2 }).catch((error: Error) => error.message)
      expect(refused).to.equal('disk: the disk of this worker cannot be written, or is too full for a further run')
      expect(await scene.log(await scene.begin('step', { place: 0 }).then(ended))).to.equal('done\n')
    } finally {
      await scene.tasks.close()
    }
    async function ended(task: number): Promise<number> {
      await scene.ended(task)
      return task
    }
  })
})
