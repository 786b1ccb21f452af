/** A step is a whole group; what leaves the group lives on, and is no step. Source: execution-semantics 7.3, reliability P16. */
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { signalGroup } from '../../../src/executors/processes/process-group.ts'
import { claim, identityIn, readRecord } from '../../../src/executors/processes/state-file.ts'
import { survivors } from '../../../src/executors/processes/survivor.ts'
import { statOf } from '../../../src/platform/process-identity.ts'
import { textOf } from '../../support/engine/live.ts'
import { launcherBench, sh } from '../../support/executors/launched.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone, lives, pidIn } from '../../support/processes.ts'
import { eventually } from '../../support/waiting.ts'

describe('launcher › groups of steps', () => {
  const { folder, open, jobOf, launch } = launcherBench()

  it('a signal to the group reaches all of it, from the moment that the step is on record', async () => {
    const pids = join(folder, 'pids')
    const job = jobOf({ argv: sh(`sleep 60 & echo $! >${pids}; wait`) })
    const { began, ended } = launch(job)
    await began
    const child = await pidIn(pids)
    const leader = identityIn(job.state)
    expect(leader && signalGroup(leader, 'SIGTERM')).to.equal(true)
    expect(await ended).to.include({ exitCode: 143, signaled: true })
    await gone(child)
    for (let round = 0; round < 20; round++) {
      const next = jobOf({ argv: ['sleep', '60'] })
      const started = launch(next)
      await started.began
      const identity = identityIn(next.state)
      expect(identity && signalGroup(identity, 'SIGKILL')).to.equal(true)
      expect(await started.ended).to.include({ exitCode: 137, signaled: true })
    }
  })

  it('who leaves the group lives on when the step is stopped, and when it ends; it is no step, and no zombie when it ends', async () => {
    const parent = temporaryFolder()
    const other = open({ folder: join(parent, 'own') })
    try {
      for (const stopped of [true, false]) {
        const [daemon, gate] = [join(folder, `daemon-${stopped}`), join(folder, `gate-${stopped}`)]
        const escapes = `setsid sh -c 'echo $$ >${daemon}; while [ ! -e ${gate} ]; do sleep 0.02; done' &`
        const job = jobOf({
          argv: sh(`${escapes} while [ ! -s ${daemon} ]; do sleep 0.02; done; ${stopped ? 'wait' : ':'}`)
        })
        Object.assign(job.env, { DAG_RUN_STEP_STDOUT_FILE: job.stdout })
        const { began, ended } = other.launch(job)
        await began
        const pid = await pidIn(daemon)
        if (stopped) process.kill(-(readRecord(job.state).identity?.pid ?? 0), 'SIGKILL')
        expect(await ended).to.include(stopped ? { exitCode: 137, signaled: true } : { exitCode: 0, signaled: false })
        expect(lives(pid)).to.equal(true)
        expect(statOf(pid)).to.include({ session: pid })
        expect(survivors(parent).has(job.stdout)).to.equal(false)
        writeFileSync(gate, '')
        await gone(pid)
        await eventually('no zombie', () => !existsSync(`/proc/${pid}`) || undefined)
      }
    } finally {
      await other.close()
    }
  })

  it('a job whose record is there already does not run', async () => {
    const job = jobOf({ argv: sh('echo no') })
    claim(job.state)
    const failure = await launch(job).ended.catch((error: Error) => error)
    expect(failure).to.have.property('message', 'another engine has recorded the end of the step')
    expect(textOf(job.stdout)).to.equal('')
  })

  it("files of logs and records are the owner's alone", async () => {
    const job = jobOf({ argv: sh('echo x') })
    await launch(job).ended
    const modes = [job.stdout, job.stderr, job.state].map((path) => statSync(path).mode & 0o777)
    expect(modes).to.deep.equal([0o600, 0o600, 0o600])
  })
})
