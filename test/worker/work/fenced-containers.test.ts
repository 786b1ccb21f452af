/** What a worker's fence knows of containers is what ends them: real tasks on a real Docker engine. Source: distribution 1 (D4), 5. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { OpenJob } from '../../../src/bus/jobs.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { dockerService, IMAGE } from '../../support/executors/docker.ts'
import { eventually } from '../../support/waiting.ts'
import { KILLER } from '../../support/worker/fence.ts'
import { type WorkerScene, workerScene } from '../../support/worker/machines.ts'

describe('worker › containers under its fence', function () {
  this.timeout(90_000)
  const docker = dockerService()
  let scene: WorkerScene
  before(() => {
    scene = workerScene({ environment: docker.environment })
  })
  after(() => scene?.tasks.close())

  for (const [what, text] of [
    ['of a step', `steps: [{name: one, executor: {type: docker, config: {image: ${IMAGE}}}, command: sleep 600}]`],
    ['of its run', `container: {image: ${IMAGE}}\nsteps: [{name: one, command: sleep 600}]`]
  ] as const)
    it(`D4 the container ${what} has the labels that the fence was told, and ends by them`, async () => {
      const run = what.length
      const { plan } = readDefinition(`name: a\n${text}`)
      if (!plan) throw new Error('it has problems')
      const job: OpenJob = { run: { name: 'a', dagRunId: `f${run}` }, runAttempt: 1, plan, params: [] }
      await scene.done('open', job, { run })
      const task = await scene.begin('step', { place: 0 }, { run })
      const list = join(scene.home, 'fence', 'list')
      const labels = await eventually('its labels', () => {
        const [id] = existsSync(list) ? readdirSync(list) : []
        return id === undefined
          ? undefined
          : /^docker (.*)$/m.exec(readFileSync(join(list, id), 'utf8'))?.[1]?.split(',')
      })
      const found = () =>
        docker.client.listContainers({ filters: JSON.stringify({ label: labels, status: ['running'] }) })
      const [container] = await eventually('it runs', async () => {
        const all = await found()
        return all.length > 0 ? all : undefined
      })
      expect(labels).to.have.length(2)
      await promisify(execFile)(process.execPath, [KILLER, labels.join(',')], { env: docker.environment })
      await eventually('it is ended', async () => ((await found()).length === 0 ? true : undefined))
      const { result = '' } = await scene.ended(task)
      expect(JSON.parse(result).exitCode, container?.Id).to.equal(137)
      await scene.done('close', {}, { run })
    })
})
