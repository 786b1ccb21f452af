/** Both ends together: the tasks of an engine, done by a worker, over a bus that loses and doubles. Source: distribution 1 (D3, D9, D13), 3. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openDiskSpace } from '../../src/actors/pace/disk-space.ts'
import { type Dispatcher, openDispatcher } from '../../src/actors/workers/tasks/dispatcher.ts'
import { openLogCopy, tailsOf } from '../../src/actors/workers/tasks/log-copy.ts'
import { beginTask, Refused } from '../../src/actors/workers/tasks/one-task.ts'
import { runOnBus, taskOnBus } from '../../src/actors/workers/tasks/task-ids.ts'
import type { TaskKind } from '../../src/bus/jobs.ts'
import { subjectsOf } from '../../src/bus/messages.ts'
import { systemClock } from '../../src/clock.ts'
import { readDefinition } from '../../src/definition/read.ts'
import { openWorkerTasks, type WorkerTasks } from '../../src/worker/open-tasks.ts'
import { temporaryFolder } from '../support/homes.ts'
import { simulatedNet } from '../support/simulated/bus.ts'
import { eventually } from '../support/waiting.ts'
import { CLUSTER, HOME } from '../support/worker/engine-end.ts'

describe('worker › with an engine', function () {
  this.timeout(60_000)
  const key = { name: 'a', dagRunId: 'r1' }
  const run = runOnBus(key, 1)
  const placement = { home: HOME, id: 'wa', lease: 7 }
  const never = new AbortController().signal
  let dispatcher: Dispatcher
  let tasks: WorkerTasks
  let errors: string[]
  before(() => {
    const net = simulatedNet(systemClock, 5)
    net.weather({ lost: 0.1, doubled: 0.3, lateMs: 30 })
    errors = []
    const note = (message: string, fields?: object) => errors.push(`${message} ${JSON.stringify(fields)}`)
    const bus = net.open('engine')
    const subjects = subjectsOf(CLUSTER)
    dispatcher = openDispatcher({
      heartbeatOf: () => undefined,
      deaf: () => {},
      bus,
      clock: systemClock,
      subjects,
      engine: { id: 'e', epoch: 3 },
      isComplete: () => true,
      openRuns: () => new Set([`${run}-7`])
    })
    bus.hear(subjects.everyUp, ({ subject, text, answer }) => {
      const from = subjects.read(subject)
      if (from) dispatcher.hear({ ...from, text, answer })
    })
    tasks = openWorkerTasks({
      bus: net.open('worker'),
      clock: systemClock,
      folder: temporaryFolder(),
      homeId: HOME,
      session: 's',
      cluster: CLUSTER,
      id: 'wa',
      environment: { PATH: process.env.PATH ?? '' },
      defaultShell: 'sh',
      maxProcesses: 8,
      log: { info: () => {}, warn: note, error: note }
    })
  })
  after(async () => {
    dispatcher.close()
    await tasks.close()
    expect(errors).to.deep.equal([])
  })
  const request = <K extends TaskKind>(what: K, job: object, place?: number) => ({
    placement,
    what,
    run,
    job,
    name: 'run/a/r1',
    task: taskOnBus(run, what, 1, place)
  })
  async function done<K extends TaskKind>(what: K, job: object, place?: number) {
    const { task, ended } = beginTask(dispatcher, systemClock, request(what, job, place), never)
    const { result } = await ended
    task.settled()
    return result
  }
  const stepJob = (place: number) => ({ place, attempt: 1, nodes: [] })

  it('a run is opened, its steps are executed, its logs copied, it is closed and forgotten', async () => {
    const text = `name: a
steps:
  - {name: one, command: "seq 1 200000"}
  - {name: two, command: "sleep 600"}`
    const early = await done('check', stepJob(0), 0).catch((error: Error) => error)
    expect(early).to.be.instanceOf(Refused).and.have.property('why', 'run')
    const open = { run: key, runAttempt: 1, plan: readDefinition(text).plan, params: [] }
    expect(await done('open', open)).to.deep.equal({ notes: [] })
    expect(await done('check', { ...stepJob(0), attempt: 2 }, 7)).to.include({ met: true })

    const folder = temporaryFolder()
    const paths = { stdout: join(folder, 'one.out'), stderr: join(folder, 'one.err') }
    for (const path of Object.values(paths)) writeFileSync(path, 'earlier\n')
    const step = beginTask(dispatcher, systemClock, request('step', stepJob(0), 0), never, {
      ending: async (event) => {
        copy.began({ stdout: event.outFrom, stderr: event.errFrom })
        await copy.all({ stdout: event.out, stderr: event.err }, tailsOf(event))
      }
    })
    const parts = { clock: systemClock, diskSpace: openDiskSpace(systemClock), paths, leaving: never }
    const copy = openLogCopy({ ...parts, record: join(folder, 'copied'), task: step.task }, false)
    expect((await step.ended).result).to.deep.equal({ exitCode: 0, notes: [] })
    step.task.settled()
    expect(statSync(paths.stdout).size).to.equal(8 + 1_288_895)
    expect(readFileSync(paths.stdout, 'utf8').endsWith('\n199999\n200000\n')).to.equal(true)

    let hasBegun = false
    const second = beginTask(dispatcher, systemClock, request('step', stepJob(1), 1), never, {
      began: () => {
        hasBegun = true
      }
    })
    await eventually('it has begun', () => (hasBegun ? true : undefined))
    second.task.stop('SIGTERM')
    expect((await second.ended).result).to.include({ exitCode: -1, signal: 'terminated' })
    second.task.settled()
    expect(await done('close', {})).to.deep.equal({ notes: [] })
    await eventually('it is forgotten', () => {
      dispatcher.forget(HOME, run)
      return tasks.held().length === 0 ? true : undefined
    })
    expect([tasks.runs(), tasks.taken()]).to.deep.equal([[], 0])
  })
})
