/** docker steps whose connection to the Docker engine breaks off while they are at work. Source: definition-format "Rules for the container executor", reliability P10. */
import { expect } from 'chai'
import type { Execution } from '../../../src/executors/executor.ts'
import { step } from '../../support/charts/plans.ts'
import { textOf } from '../../support/engine/live.ts'
import { config, dockerSteps, sh } from '../../support/executors/docker-steps.ts'
import { type Line, lineTo } from '../../support/line.ts'
import { eventually } from '../../support/waiting.ts'

describe('docker executor', () => {
  const { service, bench, open, remove, theirs } = dockerSteps()

  describe('when the connection to the Docker engine breaks off', () => {
    let line: Line
    before(() => theirs('afar'))
    before(async () => {
      line = await lineTo({ path: service.address.replace('unix://', '') })
    })
    after(() => {
      line.close()
      return remove('afar')
    })
    beforeEach(() => open({ DOCKER_HOST: `tcp://127.0.0.1:${line.port}` }))
    async function started(words: string[], more: Partial<Execution> = {}) {
      const one = bench.start({ config: { containerName: 'afar' }, words, ...more })
      await eventually('its record', () => textOf(`${one.execution.state}.1.state`).includes('"pid"') || undefined)
      await eventually('some output', () => textOf(one.execution.stdout) || undefined)
      return one
    }
    const processes = async () => JSON.stringify((await service.client.getContainer('afar').top()).Processes)

    it("a command goes on: its end is waited for, its exit is the step's, and what it wrote since is said to be lost", async () => {
      const { outcome } = await started(sh('echo one; sleep 1; exit 8'))
      line.cut()
      expect(await outcome).to.include({
        exitCode: 8,
        out: 'one\n',
        err: 'the connection to the Docker engine was lost: output of the command since then is lost\n'
      })
    })
    it('the outcome of one whose output is wanted is unknown, once it has ended: a retry does not run beside it', async () => {
      const { running } = await started(sh('echo one; sleep 1; true'), { step: step('step', { output: 'OUT' }) })
      line.cut()
      const said = await running.ended.catch((error: Error) => error.message)
      expect(said).to.equal(
        'interrupted: outcome unknown: its output was lost with the connection to the Docker engine'
      )
      expect(await processes()).not.to.include('sleep 1')
    })
    it('10.2.14: a stop reaches it after that', async () => {
      const { running, outcome } = await started(sh('echo one; sleep 791; true'))
      line.cut()
      running.stop('SIGTERM')
      expect(await outcome).to.deep.include({ exitCode: -1, signal: 'terminated' })
      expect(await processes()).not.to.include('sleep 791')
    })
    it('of a container the log is read on: nothing is lost or doubled', async () => {
      const { execution, outcome } = bench.start({ config: config(), words: sh('echo one; sleep 1; echo two; exit 7') })
      await eventually('some output', () => textOf(execution.stdout) || undefined)
      line.cut()
      expect(await outcome).to.include({ exitCode: 7, out: 'one\ntwo\n', err: '' })
    })
  })
})
