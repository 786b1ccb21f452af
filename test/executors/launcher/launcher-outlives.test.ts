/** What a job outlives: spawners, supervisors and engines that die. Source: architecture 4, reliability 3.1. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { jobFiles } from '../../../src/executors/launcher/portable/job-text.ts'
import { readState } from '../../../src/executors/processes/state-file.ts'
import { textOf } from '../../support/engine/live.ts'
import { ENVIRONMENT, launcherBench, sh } from '../../support/executors/launched.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone, lives, pidIn } from '../../support/processes.ts'
import { eventually } from '../../support/waiting.ts'

describe('launcher', () => {
  const { folder, open, jobOf, launch } = launcherBench()

  describe('outlives what may die', () => {
    /** The spawner among our children. */
    const spawnerOf = (own: string): number => {
      for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        const [, , , ppid] = textIfAny(`/proc/${entry}/stat`).split(' ')
        if (Number(ppid) === process.pid && textIfAny(`/proc/${entry}/cmdline`).includes(`\0spawner\0${own}`))
          return Number(entry)
      }
      throw new Error('there is no spawner')
    }
    const textIfAny = (path: string): string => {
      try {
        return readFileSync(path, 'utf8')
      } catch {
        return ''
      }
    }
    /** Supervisors come in batches of eight. */
    const allSupervisors = (own: string): Promise<number[]> =>
      eventually('all supervisors', () => {
        const files = readdirSync(own).filter((name) => name.endsWith('.pid'))
        const pids = files.map((name) => Number(readFileSync(join(own, name), 'utf8')))
        return pids.length === 8 && pids.every((pid) => pid > 0) ? pids : undefined
      })
    const parentOf = (pid: number) => Number(textIfAny(`/proc/${pid}/stat`).split(' ')[3])

    it('a spawner that is killed is replaced; running steps are still reported', async () => {
      const own = join(temporaryFolder(), 'own')
      const orphaned = open({ folder: own })
      try {
        const running = jobOf({ argv: sh(`while [ ! -e ${folder}/spawner-gone ]; do sleep 0.02; done; exit 9`) })
        const held = orphaned.launch(running)
        await held.began
        for (let round = 0; round < 2; round++) {
          const spawner = spawnerOf(own)
          process.kill(spawner, 'SIGKILL')
          await gone(spawner)
          const jobs = Array.from({ length: 20 }, (_, index) => jobOf({ argv: sh(`sleep 0.1; exit ${index}`) }))
          const ends = await Promise.all(jobs.map((job) => orphaned.launch(job).ended))
          expect(ends.map(({ exitCode }) => exitCode)).to.deep.equal(jobs.map((_, index) => index))
        }
        writeFileSync(join(folder, 'spawner-gone'), '')
        expect(await held.ended).to.include({ exitCode: 9, signaled: false })
      } finally {
        await orphaned.close()
      }
    })

    it('a supervisor that is killed: its step lives on, the outcome is taken from the record', async () => {
      const job = jobOf({ argv: sh('echo $$; exec sleep 60') })
      const held = launch(job)
      const pid = await pidIn(job.stdout)
      process.kill(parentOf(pid), 'SIGKILL')
      const early = await Promise.race([held.ended, new Promise((resolve) => setTimeout(resolve, 500, 'lives'))])
      expect(early).to.equal('lives')
      expect(lives(pid)).to.equal(true)
      appendFileSync(job.state, '7 0\n')
      process.kill(pid, 'SIGKILL')
      expect(await held.ended).to.include({ exitCode: 7, signaled: false })
    })

    it('a supervisor that is killed and left no record: interrupted, outcome unknown', async () => {
      const job = jobOf({ argv: sh('echo $$; exec sleep 60') })
      const held = launch(job)
      const pid = await pidIn(job.stdout)
      process.kill(parentOf(pid), 'SIGKILL')
      process.kill(pid, 'SIGKILL')
      const failure = await held.ended.catch((error: Error) => error)
      expect(failure).to.have.property('message', 'interrupted: outcome unknown')
    })

    it('a job whose supervisor is killed before it read it begins all the same, once', async () => {
      const own = join(temporaryFolder(), 'own')
      const other = open({ folder: own })
      try {
        await other.launch(jobOf({ argv: ['true'] })).ended
        const pids = await allSupervisors(own)
        await new Promise((resolve) => setTimeout(resolve, 50)) // until they are heard
        for (const pid of pids) process.kill(pid, 'SIGSTOP')
        const job = jobOf({ argv: sh('echo ran; exit 5') })
        const held = other.launch(job)
        await new Promise((resolve) => setTimeout(resolve, 50))
        for (const pid of pids) process.kill(pid, 'SIGKILL')
        expect(await held.ended).to.include({ exitCode: 5 })
        expect(await held.began).to.be.a('number')
        expect(textOf(job.stdout)).to.equal('ran\n')
      } finally {
        await other.close()
      }
    })

    it('closing leaves what runs alone: its end is recorded; idle supervisors go, and the folder when nothing runs', async () => {
      const own = join(temporaryFolder(), 'a', 'own')
      const first = open({ folder: own, clock: systemClock })
      const job = jobOf({ argv: sh(`while [ ! -e ${folder}/closed ]; do sleep 0.02; done; echo after; exit 9`) })
      await first.launch(job).began
      const pids = await allSupervisors(own)
      await first.close()
      await eventually('idle supervisors to go', () => (pids.filter(lives).length === 1 ? true : undefined))
      expect(readState(job.state).state).to.equal('alive')
      writeFileSync(join(folder, 'closed'), '')
      await eventually('the record', () => (readState(job.state).state === 'ended' ? true : undefined))
      expect(readState(job.state)).to.deep.include({ state: 'ended' })
      expect(textOf(job.stdout)).to.equal('after\n')
      await eventually('the last supervisor to go', () => (pids.some(lives) ? undefined : true))
      const second = open({ folder: join(own, '..', 'next'), clock: systemClock })
      expect(existsSync(own), 'folders of dead engines are cleared away').to.equal(false)
      await second.launch(jobOf({ argv: ['true'] })).ended
      await second.close()
      expect(existsSync(join(own, '..'))).to.equal(false)
    })

    it('a job that is read when nobody listens any more runs to its end, with its true exit code', async () => {
      const job = jobOf({ argv: sh('echo ran; exit 6') })
      const own = temporaryFolder()
      for (const [file, text] of jobFiles('j1', job, ENVIRONMENT, '022')) writeFileSync(join(own, file), text)
      const text = 'sleep 0.2; ( . ./j1 ); echo $? >code'
      const tools = ['setsid', 'env'].map((tool) =>
        execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim()
      )
      const supervisor: ChildProcess = spawn('sh', ['-c', text, 'supervisor', 'k1', ...tools], {
        cwd: own,
        env: ENVIRONMENT,
        stdio: ['ignore', 'pipe', 'ignore']
      })
      supervisor.stdout?.destroy()
      await once(supervisor, 'exit')
      expect([textOf(job.stdout), textOf(join(own, 'code'))]).to.deep.equal(['ran\n', '6\n'])
    })
  })
})
