/** What an `ssh` step runs on the other machine, and how it ends. Source: execution-semantics 10.3.4-10.3.8, 14.4.6. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { liveSsh, lives } from '../../support/executors/live-ssh.ts'

describe('ssh › a real server', () => {
  const { bench, behindLine, run, sshd, started, use } = liveSsh()

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
      use({ keepaliveMs: 200, keepaliveMissing: 2 })
      const { outcome, pids } = await started({ command: 'echo $$; sleep 20' }, target)
      line.freeze()
      const { exitCode, err } = await outcome
      expect([exitCode, err.includes('was lost')]).to.deep.equal([1, true])
      for (const pid of pids) if (lives(pid)) process.kill(-pid)
      use()
    })
    it('a step ends when its leader does, not when what it left behind closes the streams', async () => {
      const { exitCode, out } = await run({ command: 'sleep 7 & echo $!' })
      expect(exitCode).to.equal(0)
      process.kill(Number(out)) // it is still there
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

  it('an output that cannot be written fails the step', async () => {
    const folder = join(bench.folder, 'taken')
    mkdirSync(folder)
    const error = await run({ command: 'echo x', stdout: folder }).catch((error: Error) => error)
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes('its output cannot be written')
  })
})
