/** docker steps on a real engine. Source: definition-format "Rules for the container executor", execution-semantics 10.2, 13.5.3. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import { docker } from '../../../src/executors/docker/docker.ts'
import type { Execution, Executor } from '../../../src/executors/executor.ts'
import { marksFrom } from '../../../src/executors/marks.ts'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { dockerService, IMAGE, registryService } from '../../support/docker.ts'
import { benchOf } from '../../support/executions.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { textOf } from '../../support/live.ts'
import { step } from '../../support/plans.ts'
import { eventually } from '../../support/waiting.ts'

describe('docker executor', () => {
  const service = dockerService()
  const home = temporaryFolder()
  const open = (environment: Record<string, string> = {}): Executor =>
    docker(dockerEngine(home, { ...service.environment, ...environment }, systemClock), systemClock)
  let executor: Executor
  const bench = benchOf(() => executor)
  const config = (more: Execution['config'] = {}) => ({ image: IMAGE, autoRemove: true, ...more })
  const sh = (text: string) => ['sh', '-c', text]
  const inspect = (name: string) => service.client.getContainer(name).inspect()
  const remove = (name: string) => service.client.getContainer(name).remove({ force: true })
  /** A container that somebody else has started. */
  async function theirs(name: string, cmd = sh('while true; do sleep 86400; done')) {
    const container = await service.client.createContainer({ name, Image: IMAGE, Cmd: cmd })
    await container.start()
  }
  beforeEach(() => {
    executor = open()
  })
  afterEach(() => executor.close?.())

  describe('a new container', () => {
    it("10.2.6, 10.2.13: the words are its command, streams apart, the exit code is the step's", async () => {
      const run = await bench.run({ config: config(), words: sh('echo out; echo err >&2; exit 7') })
      expect(run).to.include({ exitCode: 7, out: 'out\n', err: 'err\n', offset: 0 })
    })
    it('words reach it as they are: no shell', async () => {
      expect((await bench.run({ config: config(), words: ['echo', '$HOME', '|', 'a  b'] })).out).to.equal(
        '$HOME | a  b\n'
      )
    })
    it("10.2.7: without a command the image's own runs", async () => {
      const run = await bench.run({ config: config({ container: { cmd: ['echo', 'own'] } }) })
      expect(run).to.include({ exitCode: 0, out: 'own\n' })
    })
    it('10.2.12: inside there is only `container.env`, as a list or a map', async () => {
      const env = { PATH: 'x', SECRET: 'y' }
      const list = await bench.run({ env, config: config({ container: { env: ['A=b c'] } }), words: ['env'] })
      expect(list.out.split('\n').map((line) => line.split('=')[0])).to.have.members([
        'A',
        'PATH',
        'HOSTNAME',
        'HOME',
        ''
      ])
      expect(list.out).to.include('A=b c\n')
      const map = await bench.run({ config: config({ Container: { Env: { A: 1 } } }), words: sh('echo $A') })
      expect(map.out).to.equal('1\n')
    })
    it('10.2.10: keys in any case, values as texts too', async () => {
      const run = await bench.run({
        config: config({ container: { WORKINGDIR: '/tmp' }, HOST: { memory: '33554432', readonlyRootfs: 'true' } }),
        words: sh('pwd; cat /sys/fs/cgroup/memory/memory.limit_in_bytes; touch /x || echo refused')
      })
      expect(run.out).to.equal('/tmp\n33554432\nrefused\n')
    })
    it('10.2.10: numbers where texts are wanted, as YAML reads them', async () => {
      const texts = { user: 1000, labels: { replicas: 2, env: 'prod', init: 'no' }, cmd: ['sh', '-c', 'id -u'] }
      const run = await bench.run({ config: config({ autoRemove: false, container: texts, host: { cpusetCpus: 0 } }) })
      expect(run.err + run.out).to.equal('1000\n')
      const [made] = await service.labelled('replicas=2')
      expect(made?.Labels).to.include({ replicas: '2', env: 'prod', init: 'no' })
      await remove(made?.Id ?? '')
    })
    it('10.2.10: what is no flag or number is refused by its place, and not taken for false', async () => {
      const refused = async (given: Execution['config']) => (await bench.run({ config: config(given) })).err
      expect(await refused({ host: { readonlyRootfs: 'yes' } })).to.equal(
        'config.host.readonlyRootfs: wanted true or false, found a string\n'
      )
      expect(await refused({ host: { memory: '64m' } })).to.equal(
        'config.host.memory: wanted a whole number, found a string\n'
      )
    })
    it('a name that no image or container can have is told as such', async () => {
      const refused = async (given: Execution['config']) => (await bench.run({ config: config(given) })).err
      expect(await refused({ image: 'local/busy box' })).to.include('"local/busy box" is no name of an image: wanted')
      expect(await refused({ containerName: 'a/../b' })).to.equal(
        'the container "a/../b": a name is made of letters, digits, _, . and -\n'
      )
    })
    it('10.2.11: a bind with a relative source is one of the working directory of the DAG', async () => {
      mkdirSync(join(bench.folder, 'data'), { recursive: true })
      writeFileSync(join(bench.folder, 'data', 'file'), 'bound')
      const run = await bench.run({
        config: config({ host: { binds: ['./data:/data:ro', '.:/all'] } }),
        container: { labels: {}, base: bench.folder },
        words: sh('cat /data/file /all/data/file; touch /data/new || echo read only; echo back >/all/made')
      })
      expect(run.out).to.equal('boundboundread only\n')
      expect(textOf(join(bench.folder, 'made'))).to.equal('back\n')
    })
    it('host.portBindings: a port is published', async () => {
      const { outcome, running } = bench.start({
        config: config({
          containerName: 'published',
          container: { exposedPorts: { '8080/tcp': {} } },
          host: { portBindings: { '8080/tcp': [{ hostIp: '127.0.0.1', hostPort: '' }] } }
        }),
        words: sh('while true; do echo "HTTP/1.0 200 OK\n\nhello" | nc -l -p 8080; done')
      })
      const port = await eventually('the port', async () =>
        inspect('published').then(
          ({ NetworkSettings: { Ports } }) => Ports['8080/tcp']?.[0]?.HostPort,
          () => undefined
        )
      )
      const text = await eventually('an answer', () =>
        fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1_000) }).then(
          (answer) => answer.text(),
          () => undefined
        )
      )
      expect(text).to.include('hello')
      running.kill()
      await outcome
    })
    it('network.EndpointsConfig: networks, with aliases', async () => {
      for (const Name of ['lan', 'wan']) await service.client.createNetwork({ Name })
      try {
        const { outcome, running } = bench.start({
          config: config({
            containerName: 'server',
            network: { endpointsConfig: { lan: { aliases: ['db'] }, wan: null } }
          }),
          words: sh('sleep 60')
        })
        await eventually('the server', () =>
          inspect('server').then(
            ({ State }) => State.Running || undefined,
            () => undefined
          )
        )
        expect(Object.keys((await inspect('server')).NetworkSettings.Networks)).to.have.members(['lan', 'wan'])
        const client = await bench.run({
          config: config({ network: { EndpointsConfig: { lan: {} } } }),
          words: ['ping', '-c', '1', '-W', '2', 'db']
        })
        expect(client.exitCode, client.out + client.err).to.equal(0)
        running.kill()
        await outcome
      } finally {
        for (const name of ['lan', 'wan']) await service.client.getNetwork(name).remove()
      }
    })
    it('10.2.9: autoRemove is false by default: the container stays; host.autoRemove means the same', async () => {
      const stays = { labels: { run: 'dag/stays' }, base: '/' }
      await bench.run({ config: { image: IMAGE }, container: stays, words: ['true'] })
      const [left, ...others] = await service.labelled('troupe.run=dag/stays')
      expect(left).to.include({ State: 'exited' })
      expect(others).to.deep.equal([])
      await remove(left?.Id ?? '')
      const goes = { labels: { run: 'dag/goes' }, base: '/' }
      const lines = await bench.run({
        config: { image: IMAGE, host: { autoRemove: true } },
        container: goes,
        words: sh('seq 20000')
      })
      expect(lines.out.split('\n')).to.have.length(20_001)
      expect(await service.labelled('troupe.run=dag/goes')).to.deep.equal([])
    })
    it('10.2.15: a script runs inside: with a command as its -c, else by sh -e, else by the shell of its first line', async () => {
      expect((await bench.run({ config: config(), words: ['sh', '-x'], script: 'echo $0' })).err).to.include('+ echo')
      const strict = await bench.run({ config: config(), words: [], script: 'echo one\nfalse\necho two\n' })
      expect(strict).to.include({ exitCode: 1, out: 'one\n' })
      const own = await bench.run({ config: config(), words: [], script: '#!/bin/ash\nfalse\necho "two $0"' })
      expect(own).to.include({ exitCode: 0, out: 'two /bin/ash\n' })
      const other = await bench.run({ config: config(), words: [], script: '#!/usr/bin/env python3\nprint()' })
      expect(other).to.include({ exitCode: 1, err: 'script interpreter is not supported with the docker executor\n' })
    })
    it('10.2.13: an error of the engine is exit code 1, and leaves no container', async () => {
      const container = { labels: { run: 'dag/broken' }, base: '/' }
      const run = await bench.run({ config: { image: IMAGE }, container, words: ['no-such-program'] })
      expect(run.exitCode).to.equal(1)
      expect(run.err).to.match(/^the container cannot be started: .*no-such-program/)
      expect(await service.labelled('troupe.run=dag/broken')).to.deep.equal([])
    })
    it('an engine that is not there is exit code 1, with what to do', async () => {
      executor = open({ DOCKER_HOST: 'unix:///nowhere/docker.sock' })
      const run = await bench.run({ config: { image: IMAGE }, words: ['true'] })
      expect(run.exitCode).to.equal(1)
      expect(run.err).to.include('the Docker engine cannot be reached').and.include('DOCKER_HOST')
    })
    it('memory that is used up is told as such, whatever the exit code says', async () => {
      const run = await bench.run({
        config: config({ host: { memory: 20_971_520, memorySwap: 20_971_520 } }),
        words: sh('tail /dev/zero | cat >/dev/null; true')
      })
      expect(run.exitCode).to.equal(137)
      expect(run.err).to.include('the container ran out of memory').and.include('OOMKilled')
    })
    it('14.4.6: everything it writes is masked, in the logs and their copies', async () => {
      const masking = { secrets: secretsOf({ HUSH: 'hush-hush' }), marks: true }
      const copy = join(bench.folder, 'copy')
      const { execution, outcome } = bench.start({
        config: config({ container: { env: ['HUSH=hush-hush'] } }),
        masking,
        copies: { stdout: copy },
        words: sh('echo a $HUSH; printf hush-; sleep 0.1; echo hush; echo $HUSH >&2')
      })
      expect(await outcome).to.include({ out: 'a *******\n*******\n', err: '*******\n' })
      expect(textOf(copy)).to.equal('a *******\n*******\n')
      expect(await marksFrom(execution.stdout, 0)).to.have.length(2)
    })
    it('20 MB of output arrive whole', async () => {
      const run = await bench.run({ config: config(), words: sh(`yes ${'x'.repeat(999)} | head -c 20000000`) })
      expect(run.out).to.have.length(20_000_000)
    })
  })

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
    it('rule 3, 10.2.5: a missing one is made under that name; a stopped one of ours makes room', async () => {
      const both = { image: IMAGE, containerName: 'ours', container: { env: ['A=1'] } }
      for (const word of ['one', 'two'])
        expect((await bench.run({ config: both, words: sh(`echo ${word} $A`) })).out).to.equal(`${word} 1\n`)
      expect((await inspect('ours')).State.Status).to.equal('exited')
      await remove('ours')
    })
    it('10.2.5: a stopped one that somebody else made is a conflict', async () => {
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

  describe('after the death of the engine', () => {
    it("13.5.3: a container that lives is adopted: its output is whole, masked, and its exit is the step's", async () => {
      const masking = { secrets: secretsOf({ HUSH: 'hush-hush' }), marks: true }
      const words = sh('for i in $(seq 60); do echo "$i hush-hush"; echo e$i >&2; sleep 0.02; done; exit 6')
      const { execution } = bench.start({ config: config(), masking, words })
      await eventually('some output', () => textOf(execution.stdout).includes('20 ') || undefined)
      executor.close?.()
      executor = open()
      const found = executor.find(execution)
      expect(await found?.over).to.equal(false)
      expect(await found?.ended).to.include({ exitCode: 6, offset: 0 })
      const numbers = Array.from({ length: 60 }, (_, index) => index + 1)
      expect(textOf(execution.stdout)).to.equal(numbers.map((i) => `${i} *******\n`).join(''))
      expect(textOf(execution.stderr)).to.equal(numbers.map((i) => `e${i}\n`).join(''))
      expect(await marksFrom(execution.stdout, 0)).to.have.length(60)
    })
    it('13.5.3: one that ended meanwhile has its recorded end, and the rest of its output', async () => {
      const { execution } = bench.start({ config: config(), words: sh('echo one; sleep 0.3; echo two; exit 9') })
      await eventually('some output', () => textOf(execution.stdout) || undefined)
      executor.close?.()
      const id = JSON.parse(
        readFileSync(`${execution.state}.1.state`, 'utf8').trim().split('\n').at(-1) ?? ''
      ).container
      await service.client.getContainer(id).wait()
      executor = open()
      const found = executor.find(execution)
      expect(await found?.over).to.equal(true)
      expect(await found?.ended).to.include({ exitCode: 9 })
      expect(textOf(execution.stdout)).to.equal('one\ntwo\n')
      executor = open()
      expect(await executor.find(execution)?.ended).to.include({ exitCode: 9 })
    })
    it('13.5.3: one that never began is undefined', () => {
      expect(executor.find(bench.execution({ config: config() }))).to.equal(undefined)
    })
    it('one whose record was cut off is found by its label', async () => {
      const { execution } = bench.start({ config: config(), words: sh('echo one; sleep 0.3; exit 2') })
      await eventually('some output', () => textOf(execution.stdout) || undefined)
      executor.close?.()
      const state = `${execution.state}.1.state`
      writeFileSync(state, `${readFileSync(state, 'utf8').split('\n').slice(0, 2).join('\n')}\n`)
      executor = open()
      expect(await executor.find(execution)?.ended).to.include({ exitCode: 2 })
      expect(textOf(execution.stdout)).to.equal('one\n')
    })
    it('one that was removed meanwhile is interrupted, its outcome unknown', async () => {
      const container = { labels: { run: 'dag/removed' }, base: '/' }
      const { execution } = bench.start({ config: config(), container, words: sh('echo one; sleep 60') })
      await eventually('some output', () => textOf(execution.stdout) || undefined)
      executor.close?.()
      for (const { Id } of await service.labelled('troupe.run=dag/removed')) await remove(Id)
      executor = open()
      const error = await executor.find(execution)?.ended.catch((error: Error) => error.message)
      expect(error).to.equal('interrupted: outcome unknown: its container is gone')
    })
    it("a command in a running container is adopted: its exit is the step's, what it wrote meanwhile is said to be lost", async () => {
      await theirs('held')
      const inHeld = (words: string[], more: Partial<Execution> = {}) =>
        bench.start({ config: { containerName: 'held' }, words, ...more })
      const one = inHeld(sh('echo one; sleep 0.5; exit 8'))
      const wanted = inHeld(sh('echo one; sleep 0.5'), { step: step('step', { output: 'OUT' }) })
      const stopped = inHeld(sh('echo one; sleep 60'))
      for (const { execution } of [one, wanted, stopped])
        await eventually('some output', () => textOf(execution.stdout) || undefined)
      executor.close?.()
      executor = open()
      const found = executor.find(one.execution)
      const lost = executor.find(wanted.execution)?.ended.catch((error: Error) => error.message)
      expect(await found?.over).to.equal(false)
      expect(await found?.ended).to.include({ exitCode: 8 })
      expect(textOf(one.execution.stderr)).to.include('since then is lost')
      expect(await lost).to.equal('interrupted: outcome unknown: its output was lost with the engine')
      const held = executor.find(stopped.execution)
      held?.stop('SIGTERM')
      expect(await held?.ended).to.deep.include({ exitCode: -1, signal: 'terminated' })
      await remove('held')
    })
    describe('a command in the container of a run', () => {
      const shared = { container: 'of-run' }
      const container = { labels: {}, base: '/', shared }
      const inRun = (words: string[], more: Partial<Execution> = {}) => bench.start({ container, words, ...more })
      const both = 'echo one; sleep 0.5; echo out; echo err >&2; sleep 0.3;' // Docker can deliver neither stream
      const begun = (...all: { execution: Execution }[]) =>
        Promise.all(all.map(({ execution }) => eventually('some output', () => textOf(execution.stdout) || undefined)))
      before(() => theirs('of-run'))
      after(() => remove('of-run'))

      it("13.5.3: its exit is the step's, whichever of its streams it has written to meanwhile", async () => {
        const codes = [0, 3, 126]
        const running = codes.map((code) => inRun(sh(`${both} exit ${code}`)))
        const killed = inRun(sh(`${both} kill -9 $$`))
        await begun(...running, killed)
        executor.close?.()
        executor = open()
        const ends = await Promise.all([...running, killed].map(({ execution }) => executor.find(execution)?.ended))
        expect(ends.map((end) => end?.exitCode)).to.deep.equal([...codes, 137])
      })
      it('13.5.3: also when the engine died before it had read the process id of the command, which a stop reaches', async () => {
        const one = inRun(sh(`${both} exit 4`))
        const stopped = inRun(sh(`trap 'exit 5' TERM; ${both} while true; do sleep 0.1; done`))
        await begun(one, stopped)
        executor.close?.()
        for (const { execution } of [one, stopped]) {
          const record = `${execution.state}.1.state`
          const lines = readFileSync(record, 'utf8').trim().split('\n')
          expect(lines.at(-1)).to.include('"pid"')
          writeFileSync(record, `${lines.slice(0, -1).join('\n')}\n`)
        }
        executor = open()
        expect(await executor.find(one.execution)?.ended).to.include({ exitCode: 4 })
        const held = executor.find(stopped.execution)
        held?.stop('SIGTERM')
        expect(await held?.ended).to.include({ exitCode: 5 })
      })
      it('13.5.3: the code of an earlier execution is not taken for that of one that was killed', async () => {
        const { stdout, stderr } = bench.execution({})
        expect(await inRun(sh('exit 6'), { stdout, stderr }).outcome).to.include({ exitCode: 6 })
        const again = inRun(sh('echo one >&2; echo $PPID; sleep 60; true'), { stdout, stderr })
        await begun(again)
        executor.close?.()
        const leader = Number(textOf(again.execution.stdout))
        const killer = await service.client.getContainer('of-run').exec({ Cmd: ['kill', '-9', `-${leader}`] })
        await killer.start({ Detach: true })
        executor = open()
        expect(await executor.find(again.execution)?.ended).to.include({ exitCode: 137 })
      })
      it('it is a program with nothing added: no variable, no line about a kill, no builtin of a shell, its own streams', async () => {
        const seen = await inRun(sh('env | sort; ls /proc/self/fd')).outcome
        const elsewhere = await bench.run({ config: { containerName: 'of-run' }, words: ['env'] })
        const sorted = (text: string) => text.split('\n').sort()
        expect(sorted((await inRun(['env']).outcome).out)).to.deep.equal(sorted(elsewhere.out))
        expect(seen.out).to.match(/^HOME=(.*\n)+0\n1\n2\n3\n$/) // 3 is the folder that ls reads
        expect(await inRun(sh('kill -9 $$')).outcome).to.include({ exitCode: 137, err: '' })
        expect(await inRun(['exit', '3']).outcome).to.include({ exitCode: 127 })
        expect((await inRun(['no-such-program']).outcome).err).to.include('not found')
        const traps = 'trap "echo term; exit 7" TERM; echo up; while true; do sleep 0.1; done'
        const stopped = inRun(sh(traps))
        await begun(stopped)
        stopped.running.stop('SIGTERM')
        expect(await stopped.outcome).to.include({ exitCode: 7, out: 'up\nterm\n' })
      })
    })
  })

  describe('images', () => {
    const registry = registryService()
    let image = ''
    const login = { username: 'alice', password: 's3cret' }
    const tag = (source: string) => service.client.getImage(source).tag({ repo: image.replace(/:1$/, ''), tag: '1' })
    async function push() {
      const authconfig = { ...login, serveraddress: registry.address }
      const pushed = await service.client.getImage(image).push({ authconfig })
      await new Promise((resolve, reject) =>
        service.client.modem.followProgress(pushed, (error) => (error ? reject(error) : resolve(undefined)))
      )
    }
    before(async () => {
      image = `${registry.address}/private/box:1`
      await tag(IMAGE)
      await push()
    })
    beforeEach(() =>
      service.client
        .getImage(image)
        .remove({ force: true })
        .catch(() => {})
    )
    const pulled = (
      auths?: NonNullable<Execution['container']>['registryAuths'],
      more: Execution['config'] = {},
      words = ['true']
    ) =>
      bench.run({
        config: config({ image, ...more }),
        container: { labels: {}, base: '/', ...(auths === undefined ? {} : { registryAuths: auths }) },
        words
      })

    it('10.2.8: never does not pull; missing does, with the credentials of registryAuths (10.2.30)', async () => {
      const never = await pulled({ [registry.address]: login }, { pull: 'never' })
      expect(never).to.include({ exitCode: 1 })
      expect(never.err).to.match(/no such image/i)
      expect((await pulled({ [registry.address]: login })).err).to.equal('')
      expect(await pulled(undefined, { pull: 'missing' }), 'it is there').to.include({ exitCode: 0 })
      const always = await pulled(undefined, { pull: true })
      expect(always).to.include({ exitCode: 1 })
      expect(always.err).to.include(`the image ${image} cannot be pulled`)
    })
    it('10.2.8: always, or true: what the registry has now; missing: what is here', async () => {
      const container = await service.client.createContainer({ Image: IMAGE, Cmd: ['touch', '/newer'] })
      await container.start()
      await container.wait()
      const { Id: newer } = (await container.commit({})) as { Id: string }
      await container.remove()
      try {
        await tag(newer)
        await push()
        await tag(IMAGE)
        const isNewer = async (pull: string | boolean) =>
          (await pulled({ [registry.address]: login }, { pull }, ['test', '-e', '/newer'])).exitCode
        expect([await isNewer('missing'), await isNewer(true)]).to.deep.equal([1, 0])
        await tag(IMAGE)
        expect([await isNewer('never'), await isNewer('always')]).to.deep.equal([1, 0])
      } finally {
        await tag(IMAGE)
        await push()
        await service.client.getImage(newer).remove({ force: true })
      }
    })
    it('10.2.8: missing compares the platform of local images', async () => {
      expect(await pulled({ [registry.address]: login })).to.include({ exitCode: 0 })
      const { Architecture } = await service.client.getImage(image).inspect()
      expect(await pulled(undefined, { platform: `linux/${Architecture}` })).to.include({ exitCode: 0 })
      expect((await pulled(undefined, { platform: 'linux/s390x' })).err).to.include('cannot be pulled')
    })
    it('10.2.30: wrong credentials are refused, and not said', async () => {
      const run = await pulled({ [registry.address]: { username: 'alice', password: 'wr0ng-one' } })
      expect(run).to.include({ exitCode: 1 })
      expect(run.err).to.include('cannot be pulled').and.not.include('wr0ng-one')
    })
    it('10.2.31, 10.2.33: a Docker configuration as text; DOCKER_AUTH_CONFIG where there is none', async () => {
      const auth = Buffer.from('alice:s3cret').toString('base64')
      const text = JSON.stringify({ auths: { [`https://${registry.address}`]: { auth } } })
      expect((await pulled(text)).err).to.equal('')
      await service.client.getImage(image).remove({ force: true })
      executor = open({ DOCKER_AUTH_CONFIG: text })
      expect((await pulled()).err).to.equal('')
    })
  })
})
