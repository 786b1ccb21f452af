/** The folder of a launcher that is removed under it, as logind removes what a user has in memory. Source: reliability 3.1. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { capturing } from '../../../src/executors/launcher/capture.ts'
import { noSecrets } from '../../../src/masking/secrets.ts'
import { ENVIRONMENT, launcherBench, sh } from '../../support/executors/launched.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('launcher › its folder is removed under it', () => {
  const { jobOf, open } = launcherBench()
  it('what runs ends, what comes begins, and what commands print is there', async () => {
    const own = join(temporaryFolder(), 'all', 'own')
    const launcher = open({ folder: own, starting: 4, clock: systemClock })
    const capture = capturing(launcher, own)
    try {
      for (const code of [3, 4, 5]) {
        const running = launcher.launch(jobOf({ argv: sh(`sleep 1; exit ${code}`) }))
        await running.began
        rmSync(join(own, '..'), { recursive: true, force: true })
        const jobs = Array.from({ length: 9 }, (_, n) => launcher.launch(jobOf({ argv: sh(`exit ${n}`) })).ended)
        expect((await Promise.all(jobs)).map(({ exitCode }) => exitCode)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8])
        expect(await running.ended).to.include({ exitCode: code })
        expect(await launcher.launch(jobOf({ argv: sh('exit 9') })).ended).to.include({ exitCode: 9 })
        const command = { argv: sh('echo printed'), cwd: '/', env: { PATH: ENVIRONMENT.PATH }, secrets: noSecrets }
        expect(await capture(command)).to.include({ exitCode: 0, stdout: 'printed\n' })
      }
    } finally {
      await launcher.close()
    }
    expect(existsSync(own)).to.equal(false)
  })
})
