/**
 * `ssh` steps against a real server. One file, as all of them share that server.
 * Source: execution-semantics 7.3, 10.3; design of stops and sessions in docs/executors/ssh.md.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { SshTarget } from '../../../machines/vocabulary.ts'
import { systemClock } from '../../../src/clock.ts'
import type { Execution, Executor } from '../../../src/executors/executor.ts'
import { inProcess } from '../../../src/executors/frame/in-process.ts'
import { LIMITS, type PoolLimits } from '../../../src/executors/ssh/pool.ts'
import { leftBehind } from '../../../src/executors/ssh/remote-note.ts'
import { openSsh } from '../../../src/executors/ssh/ssh.ts'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { textOf } from '../../support/engine/live.ts'
import { remoteCommandMs } from '../../support/executors/end-latency.ts'
import { benchOf } from '../../support/executors/executions.ts'
import { liveSshd } from '../../support/executors/sshd.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { type Line, lineTo } from '../../support/line.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

const opened: Executor[] = []
function executorWith(limits: Partial<PoolLimits> = {}): Executor {
  const { perform, close } = openSsh(systemClock, { ...LIMITS, ...limits })
  const executor = inProcess(
    { type: 'ssh', reads: 'remote', killMs: 900, sends: true, interrupted: leftBehind, perform, close },
    systemClock
  )
  opened.push(executor)
  return executor
}
/** Whether a process is at work here, where the server is; zombies are not. */
const lives = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

describe('ssh › a real server', () => {
  const sshd = liveSshd()
  let executor: Executor
  const bench = benchOf(() => executor)
  const lines: Line[] = []
  before(() => {
    executor = executorWith()
  })
  after(() => {
    for (const one of opened) one.close?.()
    for (const line of lines) line.close()
  })
  const given = (more: Partial<Execution>, target: Partial<SshTarget> = {}): Partial<Execution> => ({
    ssh: { ...sshd.target, ...target },
    ...more
  })
  const run = (more: Partial<Execution>, target?: Partial<SshTarget>) => bench.run(given(more, target))
  const started = async (more: Partial<Execution>, target?: Partial<SshTarget>) => {
    const begun = bench.start(given(more, target))
    const pids = await eventually('its pids', () => {
      const found = textOf(begun.execution.stdout).trim().split('\n').filter(Boolean).map(Number)
      return found.length > 0 ? found : undefined
    })
    return { ...begun, pids }
  }
  /** The server behind a line that can be cut; its key is known by that name too. */
  async function behindLine(): Promise<{ line: Line; target: Partial<SshTarget> }> {
    const line = await lineTo({ host: sshd.target.host, port: Number(sshd.target.port) })
    lines.push(line)
    const knownHostFile = join(temporaryFolder(), 'known')
    writeFileSync(knownHostFile, `[127.0.0.1]:${line.port} ${readFileSync(sshd.hostKey, 'utf8')}`)
    return { line, target: { host: '127.0.0.1', port: String(line.port), knownHostFile } }
  }

  describe('10.3.8 exit code', () => {
    it('exit code = remote status; streams are kept apart', async () => {
      expect(await run({ command: 'echo out; echo err >&2; exit 9' })).to.include({
        exitCode: 9,
        out: 'out\n',
        err: 'err\n'
      })
    })
    it('closed by signal = 1', async () => {
      const { exitCode, err } = await run({ command: 'kill -SEGV $$' })
      expect([exitCode, err]).to.deep.equal([1, 'the remote command was ended by SIGSEGV\n'])
    })
    it('connection error = 1, with the machine and the reason', async () => {
      const { exitCode, err } = await run({ command: 'echo x' }, { port: '1' })
      expect([exitCode, err]).to.deep.equal([
        1,
        `ssh ${sshd.target.user}@127.0.0.1:1: the connection failed: nothing listens at this port; is its SSH server running, and is \`port\` right?\n`
      ])
    })
    it('a lost connection = 1, and says that the end of the command is unknown', async () => {
      const { line, target } = await behindLine()
      const { outcome, pids } = await started({ command: 'echo $$; sleep 20' }, target)
      line.cut()
      const { exitCode, err } = await outcome
      expect(exitCode).to.equal(1)
      expect(err).to.include(`:${line.port} was lost; whether the command has ended there is not known`)
      for (const pid of pids) if (lives(pid)) process.kill(-pid)
    })
    it('a machine that falls silent is noticed', async () => {
      const { line, target } = await behindLine()
      executor = executorWith({ keepaliveMs: 200, keepaliveMissing: 2 })
      const { outcome, pids } = await started({ command: 'echo $$; sleep 20' }, target)
      line.freeze()
      const { exitCode, err } = await outcome
      expect([exitCode, err.includes('was lost')]).to.deep.equal([1, true])
      for (const pid of pids) if (lives(pid)) process.kill(-pid)
      executor = executorWith()
    })
    it('a step ends when its leader does, not when what it left behind closes the streams', async () => {
      const before = performance.now()
      const { exitCode, out } = await run({ command: 'sleep 7 & echo $!' })
      expect([exitCode, performance.now() - before < 4_000]).to.deep.equal([0, true])
      process.kill(Number(out))
    })
  })

  describe('10.3.4-10.3.7 the command', () => {
    it('no terminal, no stdin', async () => {
      expect(await run({ command: 'cat; test -t 1 || echo none' })).to.include({ out: 'none\n', exitCode: 0 })
    })
    it('a script sees its arguments and variables; a failing line ends it', async () => {
      const script = 'echo "$1 $WHO"\nfalse\necho no\n'
      const { out, exitCode } = await run({ script, args: ['a  b'], remoteEnv: { WHO: 'x\ny' } })
      expect([out, exitCode]).to.deep.equal(['a  b x\ny\n', 1])
    })
    it('10.3.5: a command longer than a request may be runs, and takes no other on its connection along', async () => {
      const other = run({ command: 'sleep 1; echo other' })
      const long = run({ command: `printf %s ${'x'.repeat(900_000)} | wc -c` })
      expect((await long).out.trim()).to.equal('900000')
      expect(await other).to.include({ out: 'other\n', exitCode: 0 })
    })
    it('large output is complete', async () => {
      const { out, exitCode } = await run({ command: 'head -c 20000000 /dev/zero | tr "\\0" x' })
      expect([out.length, exitCode]).to.deep.equal([20_000_000, 0])
    })
    it('a local workingDir and environment are not applied there', async () => {
      const { out } = await run({ command: 'pwd; printenv LOCAL || echo unset', env: { LOCAL: 'here' } })
      expect(out.split('\n')[0]).to.not.equal(bench.folder)
      expect(out).to.include('unset')
    })
    it('14.4.6: what it prints is masked, and no command line there holds a secret', async () => {
      const masking = { secrets: secretsOf({ TOKEN: 'hush-hush' }), marks: false }
      // Backwards, so that the words of the search are not what it finds.
      const command = 'rev /proc/$$/cmdline | grep -ac hsuh-hsuh; printenv TOKEN; echo "$TOKEN" >&2'
      const { out, err } = await run({ command, remoteEnv: { TOKEN: 'hush-hush' }, masking })
      expect([out, err]).to.deep.equal(['0\n*******\n', '*******\n'])
    })
  })

  describe('10.3.3 host keys', () => {
    it('an unknown key fails with its fingerprint and the way to accept it, which works', async () => {
      const knownHostFile = join(temporaryFolder(), 'known')
      const { exitCode, err } = await run({ command: 'echo x' }, { knownHostFile })
      expect(exitCode).to.equal(1)
      expect(err).to.match(/is not known: .* found ssh-ed25519 SHA256:[\w+/]{43}\./)
      const [, line = ''] = /accept it: echo '([^']+)'/.exec(err) ?? []
      writeFileSync(knownHostFile, `${line}\n`)
      expect(await run({ command: 'echo x' }, { knownHostFile })).to.include({ exitCode: 0, out: 'x\n' })
    })
    it('another key than the known one is refused, also by a machine that was reached before', async () => {
      const { exitCode, err, out } = await run({ command: 'echo x' }, { knownHostFile: sshd.wrongKnownHosts })
      expect([exitCode, out]).to.deep.equal([1, ''])
      expect(err).to.include('is not the known one: line 1')
    })
    it('hashed names, as `ssh-keygen -H` writes them, are found', async () => {
      const knownHostFile = join(temporaryFolder(), 'known')
      copyFileSync(sshd.target.knownHostFile, knownHostFile)
      execFileSync('ssh-keygen', ['-q', '-H', '-f', knownHostFile], { stdio: 'ignore' })
      expect(readFileSync(knownHostFile, 'utf8'))
        .to.match(/^\|1\|/)
        .and.not.include(sshd.target.host)
      expect(await run({ command: 'echo x' }, { knownHostFile })).to.include({ exitCode: 0, out: 'x\n' })
    })
    it('`false` takes any key', async () => {
      const target = { strictHostKey: false, knownHostFile: sshd.wrongKnownHosts }
      expect(await run({ command: 'echo x' }, target)).to.include({ exitCode: 0, out: 'x\n' })
    })
    it('a file that cannot be read is an error, not an empty one', async () => {
      const { err } = await run({ command: 'echo x' }, { knownHostFile: temporaryFolder() })
      expect(err).to.include('cannot be read: it is a folder')
    })
    it('/dev/null has no keys; a pipe is no file, and is not waited for', async () => {
      const [nobody, pipe] = [
        await run({ command: 'echo x' }, { knownHostFile: '/dev/null' }),
        join(temporaryFolder(), 'p')
      ]
      expect(nobody.err).to.include('is not known: /dev/null has no ssh-ed25519 key of it')
      execFileSync('mkfifo', [pipe])
      expect((await run({ command: 'echo x' }, { knownHostFile: pipe })).err).to.include(
        `knownHostFile ${pipe} cannot be read: it is no file`
      )
    })
  })

  it('10.3.2: a key that is refused fails the step by name', async () => {
    const { exitCode, err } = await run({ command: 'echo x' }, { key: sshd.otherKey })
    const { user, port } = sshd.target
    const [, shownAs = ''] = execFileSync('ssh-keygen', ['-l', '-f', sshd.otherKey]).toString().split(' ')
    expect([exitCode, err]).to.deep.equal([
      1,
      `ssh ${user}@127.0.0.1:${port}: the login of ${user} by the key ${sshd.otherKey} (ssh-ed25519 ${shownAs}) was refused: ` +
        `the line that ssh-keygen -y -f ${sshd.otherKey} shows must stand in the authorized_keys of ${user} there\n`
    ])
  })
  it('10.3.4: a machine that does not answer is given up: connect timeout', async () => {
    const { line, target } = await behindLine()
    executor = executorWith({ connectMs: 300 })
    const outcome = run({ command: 'echo x' }, target)
    await eventually('the connection', () => (line.open > 0 ? true : undefined))
    line.freeze()
    const { exitCode, err } = await outcome
    executor = executorWith()
    expect([exitCode, err.includes('no connection within 0.3s')]).to.deep.equal([1, true])
  })

  describe('7.3 stop', () => {
    it('reaches the whole remote process group, also of root; 7.3.7: it ended by that signal', async () => {
      const { running, outcome, pids } = await started({ command: 'sleep 30 & echo "$$\n$!"; wait' })
      running.stop('SIGTERM')
      expect(await outcome).to.include({ exitCode: -1, signal: 'terminated', err: '' })
      expect(pids.filter(lives)).to.deep.equal([])
    })
    it('signalOnStop arrives once, and its own exit code is kept', async () => {
      // No child: one that is hit between fork and exec would print it, too.
      const script = "trap 'echo got >&2; exit 7' USR1\necho $$\nwhile :; do :; done\n"
      const { running, outcome } = await started({ script })
      running.stop('SIGUSR1')
      const { exitCode, err } = await outcome
      expect([exitCode, err.match(/^got$/gm)?.length]).to.deep.equal([7, 1])
    })
    it('7.3.3: what ignores SIGTERM is killed, within a second', async function () {
      this.retries(WHEN_BUSY)
      const { running, outcome, pids } = await started({ script: "trap '' TERM\necho $$\nsleep 30\nsleep 30\n" })
      running.stop('SIGTERM')
      const asked = performance.now()
      running.kill()
      expect(await outcome).to.include({ exitCode: -1, signal: 'killed' })
      const ms = performance.now() - asked
      expect(ms - (await remoteCommandMs(sshd.target)), 'without the time of the server').to.be.lessThan(1_000)
      await eventually('the end of all', () => (pids.some(lives) ? undefined : true))
    })
    it('10.3.8: a machine that no longer answers a stop: the end of the command is unknown, and that is reported', async () => {
      const { line, target } = await behindLine()
      const { running, outcome, pids } = await started({ command: 'echo $$; exec sleep 20' }, target)
      line.freeze()
      running.stop('SIGTERM')
      running.kill()
      const { signal, err } = await outcome
      expect([signal, pids.every(lives)]).to.deep.equal(['killed', true])
      expect(err).to.match(/:\d+ has not reported the end of the killed command: it may still be running there\n$/)
      for (const pid of pids) process.kill(-pid)
    })
    it('is over when the whole group is gone, not when its leader is', async () => {
      const command = `(trap '' TERM; sleep 0.7; sleep 0.3) & echo "$$\n$!"; exec sleep 30`
      const { running, outcome, pids } = await started({ command })
      running.stop('SIGTERM')
      expect(await outcome).to.include({ signal: 'terminated' })
      expect(pids.filter(lives)).to.deep.equal([])
    })
    it('while it waits for a connection ends it at once', async () => {
      const { line, target } = await behindLine()
      const { running, outcome } = bench.start(given({ command: 'echo x' }, target))
      await eventually('the connection', () => (line.open > 0 ? true : undefined))
      line.freeze()
      running.stop('SIGTERM')
      expect(await outcome).to.include({ exitCode: -1, signal: 'terminated', out: '' })
    })
  })

  describe('sessions and connections', () => {
    it('more steps than a connection takes sessions: all succeed, on a second connection', async () => {
      const { line, target } = await behindLine()
      const all = Array.from({ length: 15 }, (_, index) => run({ command: `sleep 0.5; echo ${index}` }, target))
      const outs = (await Promise.all(all)).map(({ out, exitCode }) => [out, exitCode])
      expect(outs).to.deep.equal(all.map((_, index) => [`${index}\n`, 0]))
      expect(line.connections).to.equal(2)
    })
    it('a full connection keeps a session for the stop', async () => {
      const { line, target } = await behindLine()
      const all = await Promise.all(Array.from({ length: 9 }, () => started({ command: 'echo $$; sleep 30' }, target)))
      for (const { running } of all) running.stop('SIGTERM')
      for (const { outcome } of all) expect(await outcome).to.include({ signal: 'terminated' })
      expect(line.connections).to.be.within(1, 2)
    })
    it('a server that takes fewer sessions than expected gets more connections', async () => {
      const { line, target } = await behindLine()
      executor = executorWith({ sessions: 30 })
      const all = await Promise.all(Array.from({ length: 15 }, () => run({ command: 'sleep 0.5' }, target)))
      executor = executorWith()
      expect(all.map(({ exitCode }) => exitCode)).to.deep.equal(all.map(() => 0))
      expect(line.connections).to.equal(2)
    })
    it('an idle connection is closed, and opened again when needed', async () => {
      const { line, target } = await behindLine()
      executor = executorWith({ idleMs: 50 })
      expect((await run({ command: 'true' }, target)).exitCode).to.equal(0)
      await eventually('the end of the connection', () => (line.open === 0 ? true : undefined), 2_000)
      expect((await run({ command: 'true' }, target)).exitCode).to.equal(0)
      executor = executorWith()
      expect(line.connections).to.equal(2)
    })
    it('who trusts differently, or logs in by another key, shares none', async () => {
      expect((await run({ command: 'true' })).exitCode).to.equal(0)
      expect((await run({ command: 'true' }, { key: sshd.otherKey })).exitCode).to.equal(1)
    })
  })

  describe('13.5.3 found again', () => {
    it('one that was at work: interrupted, its outcome unknown, and which group may still be at work', async () => {
      const own = executorWith()
      executor = own
      const { execution, pids } = await started({ command: 'echo $$; sleep 20' })
      await eventually('the note', () => leftBehind(execution) || undefined)
      own.close?.()
      executor = executorWith()
      const error = await executor.find(execution)?.ended.catch((error: Error) => error.message)
      const at = `${sshd.target.user}@127.0.0.1:${sshd.target.port}`
      expect(error).to.equal(
        `interrupted: outcome unknown (its process group ${pids[0]} on ${at} may still be running)`
      )
      for (const pid of pids) if (lives(pid)) process.kill(-pid)
    })
    it('one that has ended leaves no note; its end is on record', async () => {
      const { execution, outcome } = bench.start(given({ command: 'exit 5' }))
      await outcome
      expect(leftBehind(execution)).to.equal('')
      expect(await executorWith().find(execution)?.ended).to.include({ exitCode: 5 })
    })
  })

  it('an output that cannot be written fails the step', async () => {
    const folder = join(bench.folder, 'taken')
    mkdirSync(folder)
    const error = await run({ command: 'echo x', stdout: folder }).catch((error: Error) => error)
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes('its output cannot be written')
  })
})
