/** How jobs are started, many and few, and who may read what they leave in the folder. Source: architecture 4, reliability 3.1. */
import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { launcherPlaces } from '../../../src/executors/launcher/launcher-folder.ts'
import { jobFiles } from '../../../src/executors/launcher/portable/job-text.ts'
import { ENVIRONMENT, launcherBench, sh } from '../../support/executors/launched.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('launcher with step supervisors', () => {
  const { open, jobOf, outcome } = launcherBench()

  describe('starts', () => {
    it('at most so many jobs are in the starting window; those that wait can be withdrawn', async () => {
      const narrow = open({ starting: 1 })
      try {
        const first = jobOf({ argv: sh('exit 3') })
        execFileSync('mkfifo', [first.state]) // a record that cannot be opened yet keeps the job in the window
        const held = narrow.launch(first)
        const others = [jobOf({ argv: sh('echo 1') }), jobOf({ argv: sh('echo 2') }), jobOf({ argv: sh('echo 3') })]
        const [second, third, fourth] = others.map((job) => narrow.launch(job))
        await eventually('the first to be sent', () => (narrow.load.waiting === 3 ? true : undefined))
        await new Promise((resolve) => setTimeout(resolve, 100))
        expect(narrow.load.waiting).to.equal(3)
        expect(others.filter(({ stdout }) => existsSync(stdout))).to.deep.equal([])
        expect([third?.withdraw(), held.withdraw()]).to.deep.equal([true, false])
        expect(await third?.ended).to.include({ exitCode: 143, signaled: true })
        const record = openSync(first.state, 'r+')
        await held.began
        expect(await held.ended).to.include({ exitCode: 3 })
        expect((await Promise.all([second?.ended, fourth?.ended])).map((end) => end?.exitCode)).to.deep.equal([0, 0])
        const [, withdrawn] = others
        expect(existsSync(withdrawn?.stdout ?? '')).to.equal(false)
        expect(readSync(record, Buffer.alloc(4_096))).to.be.above(0)
        closeSync(record)
        expect(narrow.load.waiting).to.equal(0)
      } finally {
        await narrow.close()
      }
    })

    it('without the programs it needs every start fails with the reason', async () => {
      const bare = join(temporaryFolder(), 'bin')
      mkdirSync(bare)
      for (const PATH of [bare, join(bare, 'with-sh')]) {
        if (PATH !== bare) {
          mkdirSync(PATH)
          symlinkSync('/bin/sh', join(PATH, 'sh'))
        }
        const poor = open({ starting: 4, environment: { PATH } })
        try {
          for (const argv of [sh('echo 1'), sh('echo 2')]) {
            const failure = await poor.launch(jobOf({ argv })).ended.catch((error: Error) => error)
            expect(failure).to.have.property('code', 'internal_error')
            expect((failure as Error).message).to.contain('steps cannot be started')
          }
        } finally {
          await poor.close()
        }
      }
    })
  })

  it('what a supervisor reads itself holds no secret: it lives on', () => {
    const job = jobOf({ argv: ['true'], env: { TOKEN: 'a secret value' } })
    const values = { TOKEN: 'a secret value' }
    for (const secret of [{ isSecret: true }, { masking: { values } }]) {
      const files = jobFiles('j1', { ...job, ...secret }, ENVIRONMENT, '022')
      expect(files.map(([file]) => file)).to.deep.equal(['j1.secret', 'j1'])
      expect(files.map(([, text]) => text.includes('a secret value'))).to.deep.equal([true, false])
    }
    expect(jobFiles('j1', job, ENVIRONMENT, '022').map(([file]) => file)).to.deep.equal(['j1'])
  })

  it('no file with a secret is left when its job has begun', async () => {
    const own = join(temporaryFolder(), 'own')
    const other = open({ folder: own })
    try {
      const job = jobOf({ argv: sh('echo "$TOKEN"'), env: { PATH: ENVIRONMENT.PATH, TOKEN: 'of one' }, isSecret: true })
      expect(await outcome(job, other.launch(job))).to.include({ exitCode: 0, stdout: 'of one\n' })
      expect(readdirSync(own).filter((file) => file.startsWith('j'))).to.deep.equal([])
    } finally {
      await other.close()
    }
  })

  it('of a job that cannot be written nothing is left, and the reason says where', async () => {
    const own = join(temporaryFolder(), 'own')
    const other = open({ folder: own })
    try {
      mkdirSync(join(own, 'j1'), { recursive: true }) // in the way of its second file
      const held = other.launch(jobOf({ argv: sh('echo'), env: { TOKEN: 'canary' }, isSecret: true }))
      const failed = await held.ended.catch((error: Error) => error)
      expect(failed).to.have.property(
        'message',
        `the step could not be started: ${own}/j1 cannot be written: EISDIR: illegal operation on a directory, open '${own}/j1'`
      )
      expect(existsSync(join(own, 'j1.secret'))).to.equal(false)
    } finally {
      await other.close()
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
