/** A worker that takes part, and an engine that does as a test says, over a simulated bus and a virtual clock. */
import { expect } from 'chai'
import type { Bus } from '../../../src/bus/bus.ts'
import { type Answer, beatIn, helloIn, subjectsOf, written } from '../../../src/bus/messages.ts'
import type { WorkerTasks } from '../../../src/worker/open-tasks.ts'
import { openWorker, type Worker } from '../../../src/worker/worker.ts'
import { temporaryFolder } from '../homes.ts'
import { type SimulatedNet, simulatedNet } from '../simulated/bus.ts'
import { type SimulatedClock, simulatedClock } from '../simulated/simulated-clock.ts'

export const HOME = '0123456789abcdef'
export const subjects = subjectsOf('t')
export const welcome = (epoch = 1, engine = 'e1'): Answer => ({
  kind: 'welcome',
  epoch,
  engine,
  beatMs: 1_000,
  lostMs: 30_000
})
export const heard = (n: number, epoch = 1): Answer => ({ kind: 'heard', n, epoch })

interface MembershipScene {
  clock: SimulatedClock
  net: SimulatedNet
  /** Tasks on record. */
  held: ReturnType<WorkerTasks['held']>
  /** Of how many the disk refuses what came of them. */
  unwritten: number
  /** How often it asked which runs are over. */
  asks: number
}

/** For the tests of a `describe`: each has a new one. */
export function membershipScene() {
  const scene = {} as MembershipScene // filled before each test
  const opened: Worker[] = []
  beforeEach(() => {
    scene.clock = simulatedClock()
    scene.net = simulatedNet(scene.clock)
    scene.held = []
    scene.unwritten = 0
    scene.asks = 0
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((worker) => worker.close()))
  })

  /** Lets time pass in steps, and what was awaited go on after each. */
  async function pass(ms: number): Promise<void> {
    const until = scene.clock.now() + ms
    while (scene.clock.now() < until) {
      scene.clock.goTo(Math.min(until, scene.clock.now() + 100))
      await new Promise(setImmediate)
    }
  }
  const contacts: string[] = []
  function worker() {
    contacts.length = 0
    const said: string[] = []
    const one = openWorker({
      bus: scene.net.open('worker'),
      clock: scene.clock,
      cluster: 't',
      id: 'wa',
      labels: { zone: 'a' },
      slots: 4,
      version: '1.0.0',
      where: () => 'box:1',
      home: { folder: temporaryFolder(), id: HOME, session: '7-ab' },
      tasks: {
        executors: ['shell'],
        progress: () => [],
        held: () => scene.held,
        unwritten: () => scene.unwritten,
        trouble: () => undefined,
        askForOverRuns: () => void scene.asks++,
        contact: {
          isFresh: () => true,
          isRecent: () => true,
          isPast: () => false,
          lapses: () => 0,
          sent: (n) => void contacts.push(`sent ${n}`),
          answered: (n, fenceMs) => void contacts.push(`answered ${n} ${fenceMs}`)
        },
        listenAnew: () => void contacts.push('listens anew'),
        close: async () => {}
      },
      log: { info: (text) => said.push(text), warn: (text) => said.push(text) }
    })
    opened.push(one)
    let left = ''
    void one.replaced.then((reason) => {
      left = reason
    })
    return { one, said, left: () => left }
  }
  /** An engine that does as the test says. `asked`: what it was asked, newest last. */
  function engine(answer: (kind: string, n: number) => Answer | undefined, name = 'engine') {
    const bus: Bus = scene.net.open(name)
    const asked: string[] = []
    const beats: number[] = []
    /** What each heartbeat says about draining. */
    const flags: string[] = []
    bus.hear(subjects.everyUp, ({ subject, text, answer: reply }) => {
      const { kind = '' } = subjects.read(subject) ?? {}
      asked.push(kind)
      const n = kind === 'beat' ? beatIn(text).n : 0
      if (kind === 'beat') {
        beats.push(n)
        flags.push(`${beatIn(text).draining ? 'draining' : ''}${beatIn(text).late ? ' late' : ''}`)
      }
      if (kind === 'hello') expect(helloIn(text)).to.include({ id: 'wa', home: HOME, session: '7-ab', slots: 4 })
      const given = answer(kind, n)
      if (given) reply(written(given))
    })
    return {
      asked,
      beats,
      flags,
      close: () => bus.close(),
      beacon: (epoch: number, id = 'e1') =>
        bus.tell(subjects.engine, written({ kind: 'engine', engine: id, epoch, version: '1' }))
    }
  }
  const kind = (epoch = 1) => engine((asked, n) => (asked === 'hello' ? welcome(epoch) : heard(n, epoch)))

  return Object.assign(scene, { pass, contacts, worker, engine, kind })
}
