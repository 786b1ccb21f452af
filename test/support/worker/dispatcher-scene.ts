/** The dispatcher of an engine, and workers that do as a test says, over a bus that loses, doubles and delays. */
import type { TaskRequest, Waiting } from '../../../src/actors/workers/tasks/asked-task.ts'
import { type Dispatcher, openDispatcher } from '../../../src/actors/workers/tasks/dispatcher.ts'
import type { GivenUpTask } from '../../../src/actors/workers/tasks/given-up.ts'
import type { Bus } from '../../../src/bus/bus.ts'
import { subjectsOf } from '../../../src/bus/messages.ts'
import { type Order, orderIn, type Reply, type TaskEvent, wordIn, writtenTask } from '../../../src/bus/tasks.ts'
import { type SimulatedNet, simulatedNet } from '../simulated/bus.ts'
import { type SimulatedClock, simulatedClock } from '../simulated/simulated-clock.ts'

export const HOME = 'a'.repeat(16)
export const OTHER = 'b'.repeat(16)
export const TASK = '1'.repeat(32)
export const subjects = subjectsOf('t')

interface DispatcherScene {
  clock: SimulatedClock
  net: SimulatedNet
  bus: Bus
  dispatcher: Dispatcher
  isComplete: boolean
  said: string[]
  deaf: string[]
  open: Set<string>
  givenUp: GivenUpTask[]
  late: { home: string; task: string }[]
  noted(): Promise<void>
}

/** For the tests of a `describe`: each has a new one. */
export function dispatcherScene() {
  const scene = {} as DispatcherScene // filled before each test
  beforeEach(() => {
    scene.clock = simulatedClock()
    scene.net = simulatedNet(scene.clock)
    scene.bus = scene.net.open('engine')
    scene.isComplete = true
    scene.said = []
    scene.deaf = []
    scene.open = new Set()
    scene.givenUp = []
    scene.late = []
    scene.noted = async () => {}
    const engine = { id: 'e1', epoch: 3 }
    scene.dispatcher = openDispatcher({
      heartbeatOf: () => ({ session: 's', n: 4 }),
      deaf: (home) => scene.deaf.push(home),
      bus: scene.bus,
      clock: scene.clock,
      subjects,
      engine,
      isComplete: () => scene.isComplete,
      openRuns: () => scene.open,
      givenUp: () => scene.givenUp,
      late(home, { task }) {
        scene.late.push({ home, task })
        return scene.noted()
      }
    })
    scene.bus.hear(subjects.everyUp, ({ subject, text, answer }) => {
      const from = subjects.read(subject)
      if (from) scene.dispatcher.hear({ ...from, text, answer })
    })
  })
  afterEach(() => scene.dispatcher.close())

  const request = (given: Partial<TaskRequest> = {}): TaskRequest => ({
    placement: { home: HOME, id: 'wa', lease: 7 },
    what: 'step',
    task: TASK,
    run: '2'.repeat(32),
    name: 'run/a/r/node/a',
    job: { place: 0 },
    ...given
  })
  const waiting = (): Waiting => ({
    claimed: () => scene.said.push('claimed'),
    heard: ({ what }) => scene.said.push(what),
    grown: ({ out }) => scene.said.push(`grown to ${out}`),
    postponed: ({ why, text }) => scene.said.push(`postponed: ${why}, ${text}`),
    refused: ({ why }) => scene.said.push(`refused: ${why}`)
  })
  /** A worker that notes its orders, and answers what it is told to. */
  function worker(
    home = HOME,
    reply: (order: Order) => Reply | undefined = () => ({ kind: 'claimed', state: 'claimed' })
  ) {
    const end = scene.net.open(home)
    const orders: Order[] = []
    end.hear(subjects.down(home), ({ text, answer }) => {
      const order = orderIn(text)
      orders.push(order)
      const given = reply(order)
      if (given) answer(writtenTask(given))
    })
    return {
      orders,
      kinds: () => orders.map(({ kind }) => kind),
      /** @returns what the engine answers */
      async says(event: Partial<TaskEvent>) {
        const whole = { task: TASK, lease: 7, engine: 'e1', session: 's', what: 'began' as const, agoMs: 0 }
        const sizes = { out: 0, err: 0, outFrom: 0, errFrom: 0 }
        const asked = end.ask(
          subjects.up(home, 'event'),
          writtenTask({ kind: 'event', ...whole, ...sizes, ...event }),
          1_000
        )
        const answer = asked.then(
          (text) => wordIn(text).kind,
          () => 'nothing'
        )
        await pass(1_000)
        return answer
      },
      async asks(engine: string, runs: { run: string; lease: number }[]) {
        const asked = end.ask(subjects.up(home, 'runs'), writtenTask({ kind: 'runs', engine, runs }), 1_000)
        const answer = asked.then(wordIn, () => undefined)
        await pass(1_000)
        return answer
      },
      async wants(from: number) {
        const asked = end.ask(
          subjects.up(home, 'job'),
          writtenTask({ kind: 'job', task: TASK, lease: 7, engine: 'e1', from }),
          1_000
        )
        await pass(10)
        return wordIn(await asked)
      }
    }
  }
  const quiet = async () => {
    for (let n = 0; n < 10; n++) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      await quiet()
      scene.clock.goTo(scene.clock.now() + Math.min(500, left))
    }
    await quiet()
  }

  return Object.assign(scene, { request, waiting, worker, quiet, pass })
}
