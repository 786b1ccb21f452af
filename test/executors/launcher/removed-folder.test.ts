/** The folder of a launcher that is removed under it, as logind removes what a user has in memory. Source: reliability 3.1. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { HOLDERS, launcherBench, sh } from '../../support/executors/launched.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('launcher › its folder is removed under it', () => {
  /** Supervisors that are made at the moment write there. */
  const removed = (folder: string) => {
    for (let tries = 0; existsSync(folder) && tries < 1_000; tries++)
      try {
        rmSync(folder, { recursive: true })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
      }
  }

  for (const held of HOLDERS) {
    const { jobOf, open } = launcherBench(held)
    it(`${held}: it is made again: what runs ends, what comes begins`, async () => {
      const own = join(temporaryFolder(), 'all', 'own')
      const launcher = open({ folder: own, starting: 4, clock: systemClock })
      try {
        for (const code of [3, 4, 5]) {
          const running = launcher.launch(jobOf({ argv: sh(`sleep 1; exit ${code}`) }))
          await running.began
          removed(join(own, '..'))
          const jobs = Array.from({ length: 9 }, (_, n) => launcher.launch(jobOf({ argv: sh(`exit ${n}`) })).ended)
          expect((await Promise.all(jobs)).map(({ exitCode }) => exitCode)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8])
          expect(await running.ended).to.include({ exitCode: code })
          expect(await launcher.launch(jobOf({ argv: sh('exit 9') })).ended).to.include({ exitCode: 9 })
        }
      } finally {
        await launcher.close()
      }
      expect(existsSync(own)).to.equal(false)
    })
  }
})
