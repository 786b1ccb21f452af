/**
 * Steps that do not listen, in containers and on other machines: a stop ends the run within maxCleanUpTimeSec + 1 s. What the Docker
 * engine or the ssh server itself takes to end such a thing is measured beside it and taken off. Source: execution-semantics 7.3.3, 10.
 */
import { join } from 'node:path'
import { expect } from 'chai'
import type Docker from 'dockerode'
import { createEngine, type Engine } from '../../../src/index.ts'
import { liveEngine, seen, textOf } from '../../support/engine/live.ts'
import { writeFiles } from '../../support/executors/actions.ts'
import { dockerService, IMAGE } from '../../support/executors/docker.ts'
import { commandInsideMs, containerEndMs, remoteCommandMs } from '../../support/executors/end-latency.ts'
import { liveSshd } from '../../support/executors/sshd.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const CLEAN_UP_SEC = 1
/** Prints a line, and ignores SIGTERM. */
const DEAF = `trap "" TERM; echo up; while true; do sleep 1; done`
const MARGIN_MS = 1_000

/** Stops a run whose one step is at work. @param takenMs what must be taken off, measured before and after; the larger one counts */
async function endsInTime(engine: Engine, spec: string, takenMs: () => Promise<number>): Promise<void> {
  const key = await engine.start({ name: 'deaf', spec: `maxCleanUpTimeSec: ${CLEAN_UP_SEC}\n${spec}` })
  const before = await takenMs()
  await eventually('its start', () => textOf(engine.run(key)?.nodes[0]?.node.stdout) || undefined)
  const asked = performance.now()
  await engine.stop(key)
  const { status, statuses } = seen(await engine.result(key))
  const ms = performance.now() - asked
  expect([status, ...statuses]).to.deep.equal(['canceled', 'canceled'])
  const taken = Math.max(before, await takenMs())
  expect(ms - taken, `${ms} ms, ${taken} of them are not ours`).to.be.lessThan(CLEAN_UP_SEC * 1_000 + MARGIN_MS)
}

describe('7.3.3 a stop ends a step that does not listen within maxCleanUpTimeSec + 1 s', function () {
  this.timeout(60_000)

  describe('in containers', () => {
    const service = dockerService()
    const folder = temporaryFolder()
    const { DOCKER_HOST: earlier } = process.env
    let engine: Engine
    let theirs: Docker.Container
    before(async () => {
      process.env.DOCKER_HOST = service.address // of the server's environment
      engine = await createEngine({ temporary: true, defaultShell: 'sh' })
      const body = { Image: IMAGE, name: 'theirs-in-time', Cmd: ['sh', '-c', 'while true; do sleep 60; done'] }
      theirs = await service.client.createContainer(body)
      await theirs.start()
      const action = (runs: object) => ({ 'action.yml': JSON.stringify({ runs }) })
      writeFiles(join(folder, 'steps'), action({ using: 'composite', steps: [{ shell: 'sh', run: DEAF }] }))
      const own = { using: 'docker', image: `docker://${IMAGE}`, entrypoint: 'sh', args: ['-c', DEAF] }
      writeFiles(join(folder, 'own'), action(own))
    })
    after(async () => {
      await engine?.close()
      await theirs?.remove({ force: true })
      if (earlier === undefined) delete process.env.DOCKER_HOST
      else process.env.DOCKER_HOST = earlier
    })
    const step = (executor: object, more: object = { script: DEAF }) =>
      `steps: ${JSON.stringify([{ name: 'a', workingDir: folder, executor, ...more }])}`
    const ended = () => containerEndMs(service.client)
    const asked = () => commandInsideMs(service.client)

    it('docker: its own container', () =>
      endsInTime(engine, step({ type: 'docker', config: { image: IMAGE, autoRemove: true } }), ended))
    it('docker: a command in a container that runs', () =>
      endsInTime(engine, step({ type: 'docker', config: { containerName: 'theirs-in-time' } }), asked))
    it('docker: a command in the container of the run, which is removed too', () =>
      endsInTime(
        engine,
        `container: {image: ${IMAGE}}\nsteps: [{name: a, script: '${DEAF}'}]`,
        async () => (await ended()) + (await asked())
      ))
    it('gha: a step of a composite action', () =>
      endsInTime(engine, step({ type: 'gha', config: { runner: IMAGE } }, { command: './steps' }), ended))
    it('gha: a docker action', () =>
      endsInTime(engine, step({ type: 'gha', config: { runner: IMAGE } }, { command: './own' }), ended))
  })

  describe('on other machines', () => {
    const sshd = liveSshd()
    const live = liveEngine()
    it('ssh', () => {
      const spec = `ssh: ${JSON.stringify(sshd.target)}\nsteps: [{name: a, script: '${DEAF}'}]`
      return endsInTime(live.engine, spec, () => remoteCommandMs(sshd.target))
    })
  })
})
