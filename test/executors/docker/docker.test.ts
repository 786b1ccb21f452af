/** docker steps in their own container. Source: definition-format "Rules for the container executor", execution-semantics 10.2. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Execution } from '../../../src/executors/executor.ts'
import { marksFrom } from '../../../src/executors/launcher/marks.ts'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { textOf } from '../../support/engine/live.ts'
import { IMAGE } from '../../support/executors/docker.ts'
import { config, dockerSteps, sh } from '../../support/executors/docker-steps.ts'
import { eventually } from '../../support/waiting.ts'

describe('docker executor', () => {
  const { service, bench, open, inspect, remove } = dockerSteps()

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
    it('a name that no image or container can have is reported as such', async () => {
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
      open({ DOCKER_HOST: 'unix:///nowhere/docker.sock' })
      const run = await bench.run({ config: { image: IMAGE }, words: ['true'] })
      expect(run.exitCode).to.equal(1)
      expect(run.err).to.include('the Docker engine cannot be reached').and.include('DOCKER_HOST')
    })
    it('out of memory is reported as such, whatever the exit code says', async () => {
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
})
