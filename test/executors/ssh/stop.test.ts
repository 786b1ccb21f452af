/** How an `ssh` step is stopped: design of stops in docs/executors/ssh.md. Source: execution-semantics 7.3, 10.3.8. */
import { expect } from 'chai'
import { remoteCommandMs } from '../../support/executors/end-latency.ts'
import { liveSsh, lives } from '../../support/executors/live-ssh.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

describe('ssh › a real server', () => {
  const { bench, behindLine, sshd, started, withTarget } = liveSsh()

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
      const { running, outcome } = bench.start(withTarget({ command: 'echo x' }, target))
      await eventually('the connection', () => (line.open > 0 ? true : undefined))
      line.freeze()
      running.stop('SIGTERM')
      expect(await outcome).to.include({ exitCode: -1, signal: 'terminated', out: '' })
    })
  })
})
