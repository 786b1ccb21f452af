/**
 * What messages cost an engine: all those of one task, for its thread; and a heartbeat, for a server with many workers. The other end does
 * no work. Source: distribution 10.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { openDispatcher } from '../../../src/actors/workers/tasks/dispatcher.ts'
import { beginTask } from '../../../src/actors/workers/tasks/one-task.ts'
import { coordinatorIn } from '../../../src/bus/address-file.ts'
import { engineServers } from '../../../src/bus/engine-servers.ts'
import { subjectsOf } from '../../../src/bus/messages.ts'
import { openNatsBus } from '../../../src/bus/nats.ts'
import { systemClock } from '../../../src/clock.ts'
import { fakeWorker } from '../../support/simulated/fake-worker.ts'
import { eventually } from '../../support/waiting.ts'

export const CLUSTER = 'troupe'
export const IDLE_HOME = 'e'.repeat(16)
const TASKS = 2_000
const AT_ONCE = 40
const WORKERS = 200
const BEATING_MS = 10_000
/** Until the server has compiled what a heartbeat calls. */
const WARMING_MS = 45_000
const NO_PEER = { insecure: undefined, certFile: '', keyFile: '', clientCaFile: '', skipTlsVerify: false, token: '' }
const registryOf = (home: string) => join(home, 'data', 'service-registry')

/** Of its main thread, ms. */
const spentBy = (pid: number) => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

export const serverOf = (home: string): string => {
  const { port = 0 } = coordinatorIn(registryOf(home)) ?? {}
  return `127.0.0.1:${port}`
}

/** Processor time for the messages of one task, from its offer to the acknowledgment of its end, ms. @param home of the coordinator */
export async function taskCost(home: string): Promise<number> {
  const subjects = subjectsOf(CLUSTER)
  const bus = openNatsBus({
    find: () => engineServers({ nats: [], cluster: CLUSTER, registryDir: registryOf(home), peer: NO_PEER }),
    name: 'bench',
    inbox: subjects.inbox('bench'),
    clock: systemClock
  })
  const dispatcher = openDispatcher({
    bus,
    clock: systemClock,
    subjects,
    engine: { id: 'bench', epoch: 1 },
    isComplete: () => true,
    openRuns: () => new Set(),
    heartbeatOf: () => undefined,
    deaf: () => {}
  })
  const unhear = bus.hear(subjects.everyUp, ({ subject, text, answer }) => {
    const from = subjects.read(subject)
    if (from?.home === IDLE_HOME) dispatcher.hear({ ...from, text, answer })
  })
  const thread = new Worker(new URL('./idle-worker.js', import.meta.url), { workerData: serverOf(home) })
  await new Promise((resolve) => thread.once('message', resolve))
  await eventually('the bus', () => bus.state === 'connected' || undefined)
  const never = new AbortController().signal
  let next = 0
  const many = async (count: number) => {
    for (let left = count; left > 0; left--) {
      const task = (++next).toString(16).padStart(32, '0')
      const placement = { home: IDLE_HOME, id: 'idle', lease: 1 }
      const request = { placement, what: 'step' as const, task, run: '1'.repeat(32), name: 'run/bench/r1/node/a' }
      const one = beginTask(dispatcher, systemClock, { ...request, job: { place: 0, attempt: 1, nodes: [] } }, never)
      await one.ended
      one.task.settled()
    }
  }
  const all = (count: number) => Promise.all(Array.from({ length: AT_ONCE }, () => many(count / AT_ONCE)))
  await all(TASKS) // until the code is warm
  const before = spentBy(process.pid)
  await all(TASKS)
  const cost = (spentBy(process.pid) - before) / TASKS
  unhear()
  dispatcher.close()
  await thread.terminate()
  await bus.close()
  return cost
}

/** Processor time of a server for one heartbeat, ms. */
export async function beatCost(home: string, server: number): Promise<number> {
  const bus = openNatsBus({
    servers: [serverOf(home)],
    name: 'beats',
    inbox: subjectsOf(CLUSTER).inbox('beats'),
    clock: systemClock
  })
  await eventually('the bus', () => bus.state === 'connected' || undefined)
  const idle = async () => {
    const from = spentBy(server)
    await new Promise((resolve) => setTimeout(resolve, BEATING_MS))
    return spentBy(server) - from
  }
  const without = await idle()
  const workers = Array.from({ length: WORKERS }, (_, n) =>
    fakeWorker(bus, CLUSTER, n.toString(16).padStart(16, '0'), { id: `fake-${n}`, labels: {} })
  )
  await Promise.all(workers.map((one) => one.hello()))
  let beats = 0
  const timers = workers.map((one) =>
    setInterval(
      () =>
        void one.beat().then(
          () => beats++,
          () => {} // nobody has answered
        ),
      1_000
    )
  )
  await new Promise((resolve) => setTimeout(resolve, WARMING_MS))
  const from = beats
  const cost = ((await idle()) - without) / (beats - from)
  for (const timer of timers) clearInterval(timer)
  await bus.close()
  return cost
}
