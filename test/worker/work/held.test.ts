/** What a worker's own configuration holds its steps to. Source: docs/operating/limits.md "On workers". */
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { readConfig } from '../../../src/config.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { stepPolicyOf } from '../../../src/executors/limits/open-policy.ts'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { type WorkerScene, workerScene } from '../../support/worker/machines.ts'

describe('worker › limits of its own', () => {
  let scene: WorkerScene
  before(() => {
    const policy = stepPolicyOf({
      allowedTypes: { rules: [{ groups: ['jailed'], allow: ['http'], where: 'executors.rules[0]' }] },
      environment: {}
    })
    scene = workerScene(policy ? { policy } : {})
  })
  after(() => scene.tasks.close())
  const opened = async (text: string, run: number) => {
    const { plan } = readDefinition(`name: a\n${text}`)
    const key = { name: 'a', dagRunId: `r${run}` }
    return scene.done('open', { run: key, runAttempt: 1, plan, params: [] }, { run })
  }

  it('a step that is not allowed there fails by name, and so does a command of a variable', async () => {
    await opened('group: jailed\nsteps: [{name: one, command: echo hi}]\n', 1)
    const result = await scene.done('step', { place: 0 }, { run: 1 })
    expect(result).to.include({
      exitCode: 1,
      error:
        'failed to execute step "one": the executor shell is not allowed in the group jailed: executors.rules[0] has http'
    })
    const { error } = await opened('group: jailed\nenv: [{A: "`id`"}]\nsteps: [{name: one, command: echo hi}]\n', 2)
    expect(error).to.include('the command "id" is not executed: a command runs in a shell')
    await opened('steps: [{name: one, command: echo hi}]\n', 3)
    expect(await scene.done('step', { place: 0 }, { run: 3 })).to.include({ exitCode: 0 })
  })
  it('users and limits of steps are refused at its start, by name', async () => {
    const settings = { 'steps.limits': { memory: '1GiB' } }
    const config = readConfig({ home: temporaryFolder(), settings }, {})
    const quiet = { info: () => {}, warn: () => {}, error: () => {} }
    const refused = await startWorker({ config, clock: systemClock, log: quiet, version: '0' }).then(
      () => expect.fail('it was started'),
      (error: Error) => error.message
    )
    expect(refused).to.equal(
      'steps.*: a worker runs steps as itself, without limits: leave these settings out, or limit the worker as a whole'
    )
  })
})
