/** The shell executor: processes held and found again, stopped by group, reported by signal. Source: execution-semantics 4, 7.3; architecture 4. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Step } from '../../../machines/vocabulary.ts'
import { systemClock } from '../../../src/clock.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import type { Execution, Executor } from '../../../src/executors/executor.ts'
import { openExecutors } from '../../../src/executors/index.ts'
import { capturing } from '../../../src/executors/launcher/capture.ts'
import { type Launcher, openLauncher } from '../../../src/executors/launcher/launcher.ts'
import { nativeLauncher } from '../../../src/executors/launcher/native-binary.ts'
import { UNCOPIED } from '../../../src/executors/launcher/uncopied.ts'
import { claim, identityIn, readState } from '../../../src/executors/processes/state-file.ts'
import { textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone, lives, pidIn } from '../../support/processes.ts'
import { eventually } from '../../support/waiting.ts'

const PATH = process.env.PATH ?? '/usr/bin:/bin'

describe('shell executor', () => {
  const folder = temporaryFolder()
  let launcher: Launcher
  let shell: Executor
  let count = 0

  /** As a new engine does: it hears nothing of what the last one began. */
  async function restart() {
    await launcher?.close()
    launcher = openLauncher({
      folder: join(temporaryFolder(), 'own'),
      environment: { PATH },
      starting: 16,
      clock: systemClock,
      native: nativeLauncher()
    })
    const executor = openExecutors(
      launcher,
      capturing(launcher, folder),
      systemClock,
      dockerEngine(folder, {}, systemClock)
    ).get('shell')
    if (!executor) throw new Error('no shell executor')
    shell = executor
  }
  beforeEach(restart)
  after(() => launcher.close())

  function execution(given: Partial<Execution>): Execution {
    const base = join(folder, `step-${++count}`)
    const step = readDefinition('steps: [{name: step, command: unused}]', { fallbackName: 'x' }).plan?.steps[0] as Step
    return {
      step,
      args: [],
      shells: { fallback: 'sh' },
      workingDir: folder,
      env: { PATH },
      stdout: `${base}.out`,
      stderr: `${base}.err`,
      state: `${base}.1`,
      ...given
    }
  }

  it('reports the exit code, when it ended, and where in the log its own output begins', async () => {
    const one = execution({ command: 'echo first; exit 4' })
    const before = Date.now()
    const end = await shell.start(one).ended
    expect(end).to.deep.include({ exitCode: 4, offset: 0 })
    expect(end.at).to.be.within(before, Date.now())
    const two = await shell.start({ ...execution({ command: 'echo second' }), stdout: one.stdout }).ended
    expect(two.offset).to.equal('first\n'.length)
    expect(textOf(one.stdout)).to.equal('first\nsecond\n')
  })

  it('P10 what is abandoned is killed; a process that only has the number of a step that has ended is left alone', async () => {
    const one = execution({ command: 'exec sleep 60' })
    shell.start(one)
    const path = `${one.state}.1.state`
    const pid = await eventually('its begin', () => identityIn(path)?.pid)
    const { stdout, stderr, state } = execution({})
    const [bootId, offset, , ...stat] = textOf(path).trimEnd().split(' ')
    stat[19] = '1' // another start
    writeFileSync(`${state}.1.state`, `${[bootId, offset, pid, ...stat].join(' ')}\n0 0\n`)
    expect(readState(`${state}.1.state`).state).to.equal('ended')
    await restart()
    shell.abandon?.({ stdout, stderr, state })
    await eventually('a look at it', () => shell.find({ stdout, stderr, state })?.ended)
    expect(lives(pid)).to.equal(true)
    shell.abandon?.({ stdout: one.stdout, stderr: one.stderr, state: one.state })
    await gone(pid)
  })

  it('4.5.2 a copy that cannot be written fails a step that succeeded, by name; its own exit code stays', async () => {
    const copies = { stdout: '/dev/full' }
    const one = execution({ command: 'seq 1 3', copies })
    const cause = 'the copy of stdout could not be written: /dev/full'
    expect(await shell.start(one).ended).to.include({ exitCode: UNCOPIED, cause })
    expect(textOf(one.stdout)).to.equal('1\n2\n3\n')
    await restart()
    expect(await shell.find(one)?.ended).to.include({ exitCode: UNCOPIED, cause })
    const failed = await shell.start(execution({ command: 'seq 1 3; exit 5', copies })).ended
    expect(failed).to.include({ exitCode: 5 }).and.not.to.have.property('cause')
    const own = await shell.start(execution({ command: `exit ${UNCOPIED}`, copies: { stderr: '/dev/null' } })).ended
    expect(own).to.include({ exitCode: UNCOPIED }).and.not.to.have.property('cause')
  })

  it('a script is gone when it has ended', async () => {
    const one = execution({ script: 'echo "$0"; exit 3' })
    expect(await shell.start(one).ended).to.include({ exitCode: 3 })
    const path = textOf(one.stdout).trim()
    expect(path.startsWith(one.state)).to.equal(true)
    await eventually('its removal', () => (existsSync(path) ? undefined : true))
  })

  it('signals are named, and the code is -1; SIGINT too when it was asked for', async () => {
    for (const [signal, name] of [
      ['SIGTERM', 'terminated'],
      ['SIGHUP', 'hangup'],
      ['SIGINT', 'interrupt'],
      ['SIGUSR1', 'user defined signal 1']
    ] as const) {
      const running = shell.start(execution({ command: 'exec sleep 60' }))
      await running.began
      running.stop(signal)
      expect(await running.ended).to.include({ exitCode: -1, signal: name })
    }
    const killed = shell.start(execution({ command: 'trap "" TERM; while :; do sleep 0.02; done' }))
    await killed.began
    killed.kill()
    expect(await killed.ended).to.include({ exitCode: -1, signal: 'killed' })
  })

  it('a stop in any moment of the start reaches the process', async () => {
    for (let wait = 0; wait < 20; wait++) {
      const running = shell.start(execution({ command: 'exec sleep 60' }))
      if (wait > 0) await Promise.race([running.began, new Promise((resolve) => setTimeout(resolve, wait % 5))])
      running.stop('SIGTERM')
      expect(await running.ended).to.include({ exitCode: -1, signal: 'terminated' })
    }
  })

  it('a stopped step has ended when its whole group has; one that is not stopped when its leader has', async () => {
    const slow =
      '(trap "sleep 0.3; echo cleaned; exit 0" TERM; echo $(exec sh -c "echo \\$PPID"); while :; do sleep 0.02; done) & wait'
    const stopped = execution({ command: slow })
    const running = shell.start(stopped)
    await pidIn(stopped.stdout)
    running.stop('SIGTERM')
    expect(await running.ended).to.include({ signal: 'terminated' })
    expect(textOf(stopped.stdout)).to.contain('cleaned')
    const left = execution({ command: 'sleep 60 >/dev/null 2>&1 & echo $!' })
    expect(await shell.start(left).ended).to.include({ exitCode: 0 })
    const pid = Number(textOf(left.stdout))
    expect(lives(pid)).to.equal(true)
    process.kill(pid, 'SIGKILL')
  })

  it('an execution that lives is found: its true end is reported, a stop reaches it', async () => {
    const one = execution({ command: `echo before; while [ ! -e ${folder}/go ]; do sleep 0.02; done; exit 9` })
    const two = execution({ command: 'exec sleep 60' })
    const begun = await Promise.all([one, two].map((execution) => shell.start(execution).began))
    await restart()
    const [found, stopped] = [shell.find(one), shell.find(two)]
    expect(await found?.began).to.be.within((begun[0] ?? 0) - 50, (begun[0] ?? 0) + 50)
    expect(found?.over).to.equal(false)
    stopped?.stop('SIGTERM')
    expect(await stopped?.ended).to.include({ exitCode: -1, signal: 'terminated' })
    writeFileSync(join(folder, 'go'), '')
    expect(await found?.ended).to.deep.include({ exitCode: 9, offset: 0 })
  })

  it('one that ended while no engine ran: the recorded end, with its time', async () => {
    const one = execution({ command: 'sleep 0.1; kill -KILL $$' })
    await shell.start(one).began
    await launcher.close()
    await eventually('the record', () => (readState(`${one.state}.1.state`).state === 'ended' ? true : undefined))
    const endedBy = Date.now()
    await new Promise((resolve) => setTimeout(resolve, 200))
    await restart()
    const found = shell.find(one)
    expect(found?.over, 'its end is on record').to.equal(true)
    const end = await found?.ended
    expect(end).to.include({ exitCode: -1, signal: 'killed' })
    expect(end?.at).to.be.at.most(endedBy + 20)
  })

  it('one that lives and ignores every signal is killed with its whole group; it is over when that is gone', async () => {
    const stubborn =
      'trap "" TERM INT HUP; (trap "" TERM; echo $(exec sh -c "echo \\$PPID") >&2; sleep 60) & echo $$; wait'
    const one = execution({ command: stubborn })
    await shell.start(one).began
    const pids = [await pidIn(one.stdout), await pidIn(one.stderr)]
    await restart()
    const found = shell.find(one)
    found?.kill()
    expect(await found?.ended).to.include({ exitCode: -1, signal: 'killed' })
    expect(pids.filter(lives)).to.deep.equal([])
  })

  it('one whose end was not recorded: interrupted, outcome unknown', async () => {
    const one = execution({ command: 'echo $$; exec sleep 60' })
    await shell.start(one).began
    const pid = await pidIn(one.stdout)
    const holder = Number(textOf(`/proc/${pid}/stat`).split(' ')[3])
    await restart()
    process.kill(holder, 'SIGKILL')
    process.kill(pid, 'SIGKILL')
    await gone(pid)
    const found = shell.find(one)
    expect(found?.over).to.equal(false)
    const failure = await found?.ended.catch((error: Error) => error)
    expect(failure).to.have.property('message', 'interrupted: outcome unknown')
  })

  it('one that never began is not found, and then begins once: a start in progress is decided', async () => {
    const one = execution({ command: 'echo ran' })
    expect(shell.find(one)).to.equal(undefined)
    expect(readState(`${one.state}.1.state`).state, 'the old engine can not begin it any more').to.equal('void')
    expect(await shell.start(one).ended).to.include({ exitCode: 0 })
    expect(readState(`${one.state}.2.state`).state).to.equal('ended')
    expect(await shell.find(one)?.ended).to.include({ exitCode: 0 })
    expect(textOf(one.stdout)).to.equal('ran\n')
  })

  for (const [what, text] of [
    ['nothing', ''],
    ['half a line', 'f8f3']
  ] as const)
    it(`a record that holds ${what} says nothing of a process: its outcome is unknown, also when it is to be killed`, async () => {
      const one = execution({ command: 'unused' })
      writeFileSync(`${one.state}.1.state`, text)
      const found = shell.find(one)
      found?.stop('SIGTERM')
      found?.kill()
      const failure = await found?.ended.catch((error: Error) => error.message)
      expect(failure).to.equal('interrupted: outcome unknown')
    })

  it('a restart between a decided start and its successor finds neither begun', async () => {
    const one = execution({ command: 'echo ran' })
    claim(`${one.state}.1.state`)
    expect(shell.find(one)).to.equal(undefined)
    expect(readState(`${one.state}.2.state`).state).to.equal('void')
    expect(await shell.start(one).ended).to.include({ exitCode: 0 })
    expect(textOf(one.stdout)).to.equal('ran\n')
  })

  it('a closed engine keeps nothing waiting for steps that it had found', async () => {
    const one = execution({ command: 'echo $$; exec sleep 60' })
    await shell.start(one).began
    await restart()
    const found = shell.find(one)
    await launcher.close()
    const pid = await pidIn(one.stdout)
    process.kill(pid, 'SIGKILL')
    const early = await Promise.race([found?.ended, new Promise((resolve) => setTimeout(resolve, 400, 'nothing'))])
    expect(early).to.equal('nothing')
  })
})
