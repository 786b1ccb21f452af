/** How jobs are started, many and few. Source: architecture 4, reliability 3.1. */
import { existsSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { launcherPlaces } from '../../../src/executors/launcher/launcher-folder.ts'
import { nativeLauncher } from '../../../src/executors/launcher/native-binary.ts'
import { launcherBench, sh } from '../../support/executors/launched.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('launcher › starts', () => {
  const { open, jobOf } = launcherBench()

  it('at most so many jobs are in the starting window; those that wait can be withdrawn', async () => {
    const late = join(temporaryFolder(), 'late')
    const waits = `while [ ! -e ${late}.go ]; do sleep 0.02; done`
    writeFileSync(late, `#!/bin/sh\n${waits}\nexec ${nativeLauncher()} "$@"\n`, { mode: 0o755 })
    const narrow = open({ starting: 1, native: late, clock: systemClock })
    try {
      const first = narrow.launch(jobOf({ argv: sh('exit 3') }))
      const others = [jobOf({ argv: sh('echo 1') }), jobOf({ argv: sh('echo 2') }), jobOf({ argv: sh('echo 3') })]
      const [second, third, fourth] = others.map((job) => narrow.launch(job))
      expect(narrow.load).to.deep.equal({ waiting: 3, starting: 1, running: 0 })
      expect([third?.withdraw(), first.withdraw()]).to.deep.equal([true, false])
      expect(await third?.ended).to.include({ exitCode: 143, signaled: true })
      writeFileSync(`${late}.go`, '')
      await first.began
      expect(await first.ended).to.include({ exitCode: 3 })
      expect((await Promise.all([second?.ended, fourth?.ended])).map((end) => end?.exitCode)).to.deep.equal([0, 0])
      const [, withdrawn] = others
      expect(existsSync(withdrawn?.stdout ?? '')).to.equal(false)
      expect(narrow.load).to.deep.equal({ waiting: 0, starting: 0, running: 0 })
    } finally {
      await narrow.close()
    }
  })

  it('a home that is reached by a link has the same folder in memory: what an engine left there is found', () => {
    const home = temporaryFolder()
    mkdirSync(join(home, 'data'))
    const link = `${home}-link`
    symlinkSync(home, link)
    try {
      expect(launcherPlaces(join(link, 'data'))[0]).to.equal(launcherPlaces(join(home, 'data'))[0])
    } finally {
      unlinkSync(link)
    }
  })
})
