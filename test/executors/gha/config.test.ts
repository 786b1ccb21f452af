/** What the configuration of a gha step sets, and what is refused by name. Source: execution-semantics 10.9. */
import { expect } from 'chai'
import { pause, systemClock } from '../../../src/clock.ts'
import type { Execution } from '../../../src/executors/executor.ts'
import { ghaRequest } from '../../../src/executors/gha/request.ts'
import { isEndOf } from '../../../src/executors/gha/runner.ts'
import { writeFiles } from '../../support/executors/actions.ts'
import { ghaSteps } from '../../support/executors/gha-steps.ts'
import { eventually } from '../../support/waiting.ts'

describe('gha executor', () => {
  const { service, bench, executionOf, left } = ghaSteps()

  describe('config', () => {
    const script = (run: string) =>
      writeFiles(bench.folder, {
        'c/action.yml': JSON.stringify({ runs: { using: 'composite', steps: [{ shell: 'sh', run }] } })
      })
    it('10.9.2: capabilities, network, containerOptions and dockerSocket reach its container', async () => {
      script('sleep 60')
      const { running, outcome } = bench.start(
        executionOf('./c', {
          config: {
            autoRemove: 'true',
            capabilities: { add: ['SYS_CHROOT'], drop: ['MKNOD'] },
            network: 'none',
            containerOptions: '--cpus 0.5 -m 64m --shm-size=8m -e A=b --hostname runner --add-host h:127.0.0.1',
            dockerSocket: service.address
          }
        })
      )
      const [{ Id: id = '' } = {}] = await eventually('its container', async () => {
        const found = await left()
        return found.some(({ State }) => State === 'running') ? found : undefined
      })
      const { HostConfig: host, Config: config } = await service.client.getContainer(id).inspect()
      running.kill()
      expect(await outcome).to.include({ exitCode: -1, signal: 'killed' })
      expect(host).to.deep.include({
        Privileged: false,
        NetworkMode: 'none',
        NanoCpus: 5e8,
        Memory: 64 * 1024 ** 2,
        ShmSize: 8 * 1024 ** 2,
        CapAdd: ['SYS_CHROOT'],
        CapDrop: ['MKNOD'],
        ExtraHosts: ['h:127.0.0.1']
      })
      expect(host.Binds).to.deep.equal([`${service.address.replace('unix://', '')}:/var/run/docker.sock`])
      expect(config.Hostname).to.equal('runner')
      expect(config.Env).to.include('A=b')
      await eventually('its removal', async () => ((await left()).length === 0 ? true : undefined))
    })
    it('an exit code is that of a signal: 128 and its number, that of a kill, and after a kill that of a command that never began', () => {
      const codes = [0, 1, 126, 137, 143]
      expect(codes.filter((code) => isEndOf('SIGTERM', code))).to.deep.equal([137, 143])
      expect(codes.filter((code) => isEndOf('SIGKILL', code))).to.deep.equal([126, 137])
    })
    it('a kill while Docker begins its script ends it as killed, whatever Docker answers', async () => {
      script('sleep 60')
      for (const pauseMs of [0, 40, 80, 100, 110, 120, 130, 145]) {
        const { running, outcome } = bench.start(executionOf('./c', { config: { autoRemove: 'true' } }))
        await eventually(
          'its container',
          async () => (await left()).some(({ State }) => State === 'running') || undefined
        )
        await pause(systemClock, pauseMs)
        running.kill()
        expect(await outcome, `${pauseMs} ms`).to.include({ exitCode: -1, signal: 'killed' })
        await eventually('its removal', async () => ((await left()).length === 0 ? true : undefined))
      }
    })
    it('10.9.2: privileged is asked for (not every machine grants it)', () => {
      const request = ghaRequest(bench.execution(executionOf('./c', { config: { privileged: 'true' } })))
      expect(request.host.Privileged).to.equal(true)
      expect(ghaRequest(bench.execution({ words: ['./c'] }))).to.deep.include({
        runner: 'node:24-bookworm',
        autoRemove: true,
        reuse: false,
        forceRebuild: false,
        instance: 'github.com'
      })
    })
    it('10.9.2: autoRemove: false keeps the stopped container', async () => {
      script('true')
      await bench.run(executionOf('./c', { config: { autoRemove: false } }))
      const [kept] = await left()
      expect(kept?.State).to.equal('exited')
      await service.client.getContainer(kept?.Id ?? '').remove()
    })
    it('10.9.2: reuseContainers: what one run leaves inside, the next one finds', async () => {
      script('if test -e /left; then cat /left; fi; echo before >/left')
      const config = { reuseContainers: true }
      expect((await bench.run(executionOf('./c', { config }))).out).to.equal('')
      expect((await bench.run(executionOf('./c', { config }))).out).to.equal('before\n')
      expect((await bench.run(executionOf('./c', { config: { ...config, network: 'none' } }))).out).to.equal('')
      const kept = await left()
      expect(kept.map(({ State }) => State)).to.deep.equal(['exited', 'exited'])
      for (const { Id } of kept) await service.client.getContainer(Id).remove()
    })
    for (const [config, message] of [
      [{ artifacts: { port: 1 } }, 'config.artifacts.path is missing: the folder in which artifacts are kept'],
      [{ artifacts: { path: 'a', port: '70000' } }, 'config.artifacts.port: wanted 1 to 65535, found 70000'],
      [{ containerOptions: '--gpus all' }, 'config.containerOptions: --gpus is not supported, wanted --cpus'],
      [{ containerOptions: '-m lots' }, 'config.containerOptions: --memory wants a size such as 512m, found "lots"'],
      [{ capabilities: [] }, 'config.capabilities: wanted a map'],
      [{ githubInstance: 'ext::sh -c id' }, 'the action acme/none@v1 cannot be fetched from'],
      [{ githubInstance: 'ftp://x' }, 'config.githubInstance: wanted a host, or a URL of https, http, ssh, file']
    ] as const)
      it(`what cannot be done is refused by name: ${JSON.stringify(config)}`, async () => {
        const run = await bench.run(executionOf('acme/none@v1', { config: config as NonNullable<Execution['config']> }))
        expect(run.exitCode).to.equal(1)
        expect(run.err).to.include(message)
      })
  })
})
