/** Connections and sessions of `ssh` steps, and what a later engine finds of them: docs/executors/ssh.md. Source: execution-semantics 10.3.4, 13.5.3. */
import { expect } from 'chai'
import { leftBehind } from '../../../src/executors/ssh/remote-note.ts'
import { liveSsh, lives } from '../../support/executors/live-ssh.ts'
import { eventually } from '../../support/waiting.ts'

describe('ssh › a real server', () => {
  const { bench, behindLine, run, sshd, started, use, withTarget } = liveSsh()

  it('10.3.4: a machine that does not answer is given up: connect timeout', async () => {
    const { line, target } = await behindLine()
    use({ connectMs: 300 })
    const outcome = run({ command: 'echo x' }, target)
    await eventually('the connection', () => (line.open > 0 ? true : undefined))
    line.freeze()
    const { exitCode, err } = await outcome
    use()
    expect([exitCode, err.includes('no connection within 0.3s')]).to.deep.equal([1, true])
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
      use({ sessions: 30 })
      const all = await Promise.all(Array.from({ length: 15 }, () => run({ command: 'sleep 0.5' }, target)))
      use()
      expect(all.map(({ exitCode }) => exitCode)).to.deep.equal(all.map(() => 0))
      expect(line.connections).to.equal(2)
    })
    it('an idle connection is closed, and opened again when needed', async () => {
      const { line, target } = await behindLine()
      use({ idleMs: 50 })
      expect((await run({ command: 'true' }, target)).exitCode).to.equal(0)
      await eventually('the end of the connection', () => (line.open === 0 ? true : undefined), 2_000)
      expect((await run({ command: 'true' }, target)).exitCode).to.equal(0)
      use()
      expect(line.connections).to.equal(2)
    })
    it('who trusts differently, or logs in by another key, shares none', async () => {
      expect((await run({ command: 'true' })).exitCode).to.equal(0)
      expect((await run({ command: 'true' }, { key: sshd.otherKey })).exitCode).to.equal(1)
    })
  })

  describe('13.5.3 found again', () => {
    it('one that was at work: interrupted, its outcome unknown, and which group may still be at work', async () => {
      const own = use()
      const { execution, pids } = await started({ command: 'echo $$; sleep 20' })
      await eventually('the note', () => leftBehind(execution) || undefined)
      own.close?.()
      const error = await use()
        .find(execution)
        ?.ended.catch((error: Error) => error.message)
      const at = `${sshd.target.user}@127.0.0.1:${sshd.target.port}`
      expect(error).to.equal(
        `interrupted: outcome unknown (its process group ${pids[0]} on ${at} may still be running)`
      )
      for (const pid of pids) if (lives(pid)) process.kill(-pid)
    })
    it('one that has ended leaves no note; its end is on record', async () => {
      const { execution, outcome } = bench.start(withTarget({ command: 'exit 5' }))
      await outcome
      expect(leftBehind(execution)).to.equal('')
      expect(await use().find(execution)?.ended).to.include({ exitCode: 5 })
    })
  })
})
