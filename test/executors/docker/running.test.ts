/** Commands in a container that runs already; what a stop does to a docker step. Source: definition-format "Rules for the container executor", execution-semantics 10.2.4, 10.2.5, 10.2.14. */
import { expect } from 'chai'
import { textOf } from '../../support/engine/live.ts'
import { IMAGE } from '../../support/executors/docker.ts'
import { config, dockerSteps, sh } from '../../support/executors/docker-steps.ts'
import { eventually } from '../../support/waiting.ts'

describe('docker executor', () => {
  const { service, bench, inspect, remove, theirs } = dockerSteps()

  describe('a running container', () => {
    before(() => theirs('theirs'))
    after(() => remove('theirs'))
    const inTheirs = { containerName: 'theirs' }

    it('rule 2, 10.2.4: with only containerName that container must run', async () => {
      const run = await bench.run({ config: inTheirs, words: sh('hostname; echo err >&2; exit 3') })
      const { Config } = await inspect('theirs')
      expect(run).to.deep.include({
        exitCode: 3,
        out: `${Config.Hostname}\n`,
        err: 'err\n',
        cause: 'exec failed with exit code: 3'
      })
      const missing = await bench.run({ config: { containerName: 'missing' }, words: ['true'] })
      expect(missing).to.include({ exitCode: 1, err: 'container "missing" is not running\n' })
    })
    it('10.2.13 why the engine does not begin the command is on stderr, and so in the error of the step', async () => {
      for (const [exec, reason] of [
        [{ user: 'nobodyhere' }, /^unable to find user nobodyhere: /],
        [{ workingDir: '/nope' }, /^OCI runtime exec failed: .*\/nope/]
      ] as const) {
        const run = await bench.run({ config: { ...inTheirs, exec }, words: ['true'] })
        expect(run.out).to.equal('')
        expect(run.err).to.match(reason)
        expect(run.cause).to.match(/^exec failed with exit code: 12[67]$/)
      }
    })
    it('exec.user, exec.workingDir and exec.env', async () => {
      const run = await bench.run({
        config: { ...inTheirs, exec: { user: 'app', workingdir: '/tmp', env: ['A=b'] } },
        words: sh('whoami; pwd; echo $A')
      })
      expect(run.out).to.equal('app\n/tmp\nb\n')
    })
    it('rule 3, 10.2.5: with both it is executed there while it runs', async () => {
      const run = await bench.run({ config: { ...inTheirs, image: 'no/such:image' }, words: ['echo', 'here'] })
      expect(run).to.include({ exitCode: 0, out: 'here\n' })
    })
    it('rule 3, 10.2.5: a missing one is made under that name; a stopped one of ours is replaced', async () => {
      const both = { image: IMAGE, containerName: 'ours', container: { env: ['A=1'] } }
      for (const word of ['one', 'two'])
        expect((await bench.run({ config: both, words: sh(`echo ${word} $A`) })).out).to.equal(`${word} 1\n`)
      expect((await inspect('ours')).State.Status).to.equal('exited')
      await remove('ours')
    })
    it('10.2.5: a stopped one of another owner is a conflict', async () => {
      await theirs('stopped', ['true'])
      await eventually('its end', async () => ((await inspect('stopped')).State.Running ? undefined : true))
      const run = await bench.run({ config: { image: IMAGE, containerName: 'stopped' }, words: ['true'] })
      expect(run.exitCode).to.equal(1)
      expect(run.err).to.include('already in use')
      await remove('stopped')
    })
    it('what is not there inside is an error, with the words of the engine', async () => {
      const run = await bench.run({ config: inTheirs, words: ['no-such-program'] })
      expect(run.exitCode).to.equal(127)
      expect(run.err).to.include('no-such-program')
    })
    it('without a command there is nothing to execute', async () => {
      const run = await bench.run({ config: inTheirs, words: [] })
      expect(run.exitCode).to.equal(1)
      expect(run.err).to.include('step command is required')
    })
    it('10.2.14: a stop reaches the process inside, and its children', async () => {
      const { running, execution, outcome } = bench.start({
        config: inTheirs,
        words: sh('trap "echo stopped; exit 5" TERM; sleep 777 & echo up; wait; wait')
      })
      await eventually('its start', () => textOf(execution.stdout) || undefined)
      running.stop('SIGTERM')
      expect(await outcome).to.include({ exitCode: 5, out: 'up\nstopped\n' })
      const { Processes } = await service.client.getContainer('theirs').top()
      expect(JSON.stringify(Processes)).not.to.include('sleep 777')
    })
    it('10.2.14: SIGKILL reaches one that does not listen', async () => {
      const { running, execution, outcome } = bench.start({
        config: { ...inTheirs, exec: { user: 'app' } },
        words: sh('trap "" TERM; echo up; while true; do sleep 778; done')
      })
      await eventually('its start', () => textOf(execution.stdout) || undefined)
      running.stop('SIGTERM')
      running.kill()
      expect(await outcome).to.deep.include({ exitCode: -1, signal: 'killed' })
      const { Processes } = await service.client.getContainer('theirs').top()
      expect(JSON.stringify(Processes)).not.to.include('sleep 778')
    })
    it('an image without a shell: the command runs all the same', async () => {
      const run = await bench.run({
        config: { ...inTheirs, exec: { env: ['PATH=/nowhere'] } },
        words: ['/bin/echo', 'alone']
      })
      expect(run).to.include({ exitCode: 0, out: 'alone\n' })
    })
  })

  describe('stop', () => {
    it('10.2.14: the signal reaches the process; SIGKILL ends one that does not listen', async () => {
      const { running, execution, outcome } = bench.start({
        config: config(),
        words: sh('trap "echo got it; exit 4" USR1; trap "" TERM; echo up; while true; do sleep 0.05; done')
      })
      await eventually('its start', () => textOf(execution.stdout) || undefined)
      running.stop('SIGTERM')
      running.stop('SIGUSR1')
      expect(await outcome).to.include({ exitCode: 4, out: 'up\ngot it\n' })
      const second = bench.start({ config: config(), words: sh('trap "" TERM; echo up; while true; do sleep 1; done') })
      await eventually('its start', () => textOf(second.execution.stdout) || undefined)
      second.running.stop('SIGTERM')
      second.running.kill()
      expect(await second.outcome).to.deep.include({ exitCode: -1, signal: 'killed' })
    })
    it('before the container is made: it never is', async () => {
      const container = { labels: { run: 'dag/never' }, base: '/' }
      const { running, outcome } = bench.start({ config: { image: IMAGE }, container, words: ['true'] })
      running.stop('SIGTERM')
      expect(await outcome).to.deep.include({ exitCode: -1, signal: 'terminated' })
      expect(await service.labelled('troupe.run=dag/never')).to.deep.equal([])
    })
  })
})
