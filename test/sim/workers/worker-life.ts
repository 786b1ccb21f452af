/** The lifetime of a worker's process on a simulated machine: the real program, which may end between any two things that it does. */
import { join } from 'node:path'
import { openDiskSpace } from '../../../src/actors/pace/disk-space.ts'
import { fewEachRound } from '../../../src/actors/pace/few-each-round.ts'
import type { Clock } from '../../../src/clock.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import { sharedContainers } from '../../../src/executors/docker/shared-container.ts'
import { type Fence, openFence } from '../../../src/executors/fence/fence.ts'
import type { Log } from '../../../src/log.ts'
import { openMoments } from '../../../src/testing/moments.ts'
import { openWorkerHome } from '../../../src/worker/home.ts'
import { openTasksOn } from '../../../src/worker/open-tasks.ts'
import type { Machine } from '../../../src/worker/work/machine.ts'
import { openWorker } from '../../../src/worker/worker.ts'
import type { SimulatedClock } from '../../support/simulated/simulated-clock.ts'
import { CLUSTER } from './cluster.ts'
import type { Onlooker } from './processes.ts'
import type { WorkerLife, WorkerMachine } from './world.ts'

const silent = { write: () => {}, flushed: async () => {} }

/** @param last number of the moment at which it dies; absent: it does not */
export function openWorkerLife(machine: WorkerMachine, last: number | undefined): WorkerLife {
  const { world, number } = machine
  let isFrozen = false
  let held: (() => void)[] = []
  const gate = (work: () => void) => void (isFrozen ? held.push(work) : work())
  const moments = openMoments(clockOf(machine, gate), last)
  const { clock } = moments
  const life: WorkerLife = {
    moments,
    homeId: undefined,
    freeze() {
      isFrozen = true
    },
    thaw() {
      isFrozen = false
      for (const work of held.splice(0)) gate(work)
    },
    end() {
      held = []
      moments.end()
    }
  }
  const folder = world.disks.mount(machine.home, number, {
    isUnflushed: world.bug.isUnflushed === true,
    get alive() {
      return moments.alive
    },
    passes: () => moments.passes('before a transaction'),
    flushed: () =>
      machine.slowMs > 0
        ? new Promise((resolve) => void clock.after(machine.slowMs, resolve))
        : moments.after(() => {}),
    get isDiskFull() {
      return machine.isDiskFull
    }
  })
  let fence: Fence | undefined
  const onlooker: Onlooker = {
    get alive() {
      return moments.alive
    },
    passes: moments.passes,
    tell: (news) => gate(() => moments.alive && news()),
    now: clock.now,
    isTooLate(state) {
      const limit = fence?.limitOf(`${state}.1.state`)
      return limit !== undefined && Math.floor(machine.uptime() / 10) >= limit
    }
  }
  const fault = (message: string, fields: object = {}) => {
    if (moments.alive && !machine.isDiskFull)
      world.fault(`worker ${machine.name}: ${message} ${JSON.stringify(fields)}`)
  }
  const log: Pick<Log, 'info' | 'warn' | 'error'> = { info: () => {}, warn: () => {}, error: fault }
  try {
    open()
  } catch (error) {
    // It ends, and whoever guards it starts it again.
    if (moments.alive && !machine.isDiskFull) world.fault(error)
    life.end()
  }
  return life

  function open(): void {
    const { home, session } = (({ id, session }) => ({ home: id, session }))(
      openWorkerHome(folder, clock, undefined, () => () => {})
    )
    life.homeId = home
    world.bug.disk?.(folder)
    const bus = world.net.open(machine.name, { after: clock.after, receive: gate })
    const tasks = openTasksOn(simulatedMachine(), {
      bus,
      clock,
      log,
      folder,
      cluster: CLUSTER,
      homeId: home,
      session,
      id: machine.name,
      slots: world.bug.slots?.(machine.slots) ?? machine.slots,
      uptime: machine.uptime
    })
    life.tasks = tasks
    const worker = openWorker({
      bus,
      where: () => 'here',
      clock,
      log,
      home: { folder, id: home, session },
      cluster: CLUSTER,
      id: machine.name,
      labels: world.bug.labels?.(machine.labels) ?? machine.labels,
      slots: world.bug.slots?.(machine.slots) ?? machine.slots,
      version: '1.0.0',
      tasks,
      load: () => ({})
    })
    life.worker = worker
    const leave = () => void worker.close().then(life.end)
    worker.replaced.then((reason) => {
      if (moments.alive)
        world.rules.runs && world.found('W15 a process is sent away for another one only', `${machine.name}: ${reason}`)
    })
    worker.drained.then(leave)
  }
  function simulatedMachine(): Machine {
    const executor = machine.processes.executorFor(onlooker)
    const own = openFence({
      folder: join(folder, 'fence'),
      environment: {},
      start: machine.fence.start,
      boot: `${machine.bootedAt}`
    })
    fence = world.bug.fence?.(own) ?? own
    return {
      executors: ['shell'],
      fence,
      services: {
        clock,
        logs: silent,
        capture: machine.processes.captureFor(onlooker),
        defaultShell: 'sh',
        environment: {},
        containers: sharedContainers(dockerEngine(folder, {}, clock), clock),
        mayLook: fewEachRound(clock, 50),
        diskSpace: openDiskSpace(clock),
        functions: new Map(),
        missing: () => undefined,
        missingIn: () => undefined,
        executorFor: () => world.bug.executor?.(executor) ?? executor
      },
      sweep: () => {},
      close: async () => {}
    }
  }
}

/** Its machine's own clock. @param gate what happens to its process passes there */
function clockOf(machine: WorkerMachine, gate: (work: () => void) => void): SimulatedClock {
  const { clock } = machine.world
  const own: Pick<Clock, 'now' | 'elapsed' | 'at' | 'after'> = {
    now: () => clock.now() + machine.skewMs,
    elapsed: machine.uptime,
    at: (dueAt, ring) => clock.at(dueAt - machine.skewMs, () => gate(ring)),
    after: (ms, ring) => clock.after(ms, () => gate(ring))
  }
  return { ...clock, ...own }
}
