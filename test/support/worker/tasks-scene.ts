/** A worker's account of its tasks, over a bus that loses, doubles and delays; what does the work is told how it ends. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Offer, Reply } from '../../../src/bus/tasks.ts'
import type { Stopped } from '../../../src/worker/tasks/record.ts'
import { openSpool, type Spool } from '../../../src/worker/tasks/spool.ts'
import { openTasks, type Tasks } from '../../../src/worker/tasks/tasks.ts'
import type { Work } from '../../../src/worker/tasks/work.ts'
import { temporaryFolder } from '../homes.ts'
import { type SimulatedNet, simulatedNet } from '../simulated/bus.ts'
import { type SimulatedClock, simulatedClock } from '../simulated/simulated-clock.ts'
import { CLUSTER, type EngineEnd, engineEnd, HOME, named, offerOf } from './engine-end.ts'

export const JOB = { place: 0, attempt: 1, nodes: [] }
export const TASK = named(1)
export const RUN = named(100)

export interface Begun {
  id: string
  resumed: boolean
  heard: Stopped[]
  tell: Parameters<Work['begin']>[2]
  end(result?: object): void
}

/** What differs from test to test, and from process to process of the worker. */
interface TasksScene {
  clock: SimulatedClock
  net: SimulatedNet
  folder: string
  engine: EngineEnd
  tasks: Tasks
  begun: Begun[]
  forgotten: string[]
  faults: unknown[]
  refusal: ReturnType<Work['refusal']>
  isAtWork: boolean
  isFresh: boolean
  isPast: boolean
  wasFenced: boolean
  lapses: number
}

/** For the tests of a `describe`: each has a new one. */
export function tasksScene() {
  const scene = {} as TasksScene // filled before each test
  beforeEach(() => {
    scene.clock = simulatedClock()
    scene.net = simulatedNet(scene.clock)
    scene.folder = temporaryFolder()
    scene.engine = engineEnd(scene.net.open('engine'))
    scene.begun = []
    scene.forgotten = []
    scene.faults = []
    scene.refusal = undefined
    scene.isAtWork = scene.wasFenced = scene.isPast = false
    scene.isFresh = true
    scene.lapses = 0
    start()
  })
  afterEach(() => {
    scene.tasks.close()
    expect(scene.faults).to.deep.equal([])
  })

  const spoolFolder = () => join(scene.folder, 'spool')
  const logs = (): [string, string] => [join(scene.folder, 'a.out'), join(scene.folder, 'a.err')]
  /** A process of the worker, after the one before it has gone. */
  function start(spool: Spool = openSpool(spoolFolder())): void {
    scene.tasks?.close()
    scene.begun = []
    const work: Work = {
      isOpen: () => false,
      isAtWork: () => scene.isAtWork,
      refusal: () => scene.refusal,
      logsOf: logs,
      begin(task, resumed, tell) {
        const heard: Stopped[] = []
        let end: (result: object) => void = () => {}
        const ended = new Promise<{ result: object; at: number }>((resolve) => {
          end = (result) => resolve({ result, at: scene.clock.now() })
        })
        const id = `${task.task}-${task.lease}`
        scene.begun.push({ id, resumed, heard, tell, end: (result = { exitCode: 0, notes: [] }) => end(result) })
        return { ended, hear: (asked) => heard.push(asked), leave: () => {} }
      },
      forget: (run) => scene.forgotten.push(run)
    }
    const fault = (message: string, fields?: object) => scene.faults.push([message, fields])
    scene.tasks = openTasks({
      bus: scene.net.open('worker'),
      clock: scene.clock,
      cluster: CLUSTER,
      homeId: HOME,
      session: 's',
      spool,
      work,
      contact: {
        isFresh: () => scene.isFresh,
        isRecent: (beat) => beat?.n !== 1,
        isPast: () => scene.isPast,
        lapses: () => scene.lapses,
        sent: () => {},
        answered: () => {}
      },
      fence: { wasFenced: () => scene.wasFenced, unlist: () => {} },
      log: { error: fault, warn: () => {} }
    })
  }
  /** Has what is due happen, and the disk work, until it is so. @param ms that pass with each turn */
  async function until(what: string, is: () => boolean, ms = 0): Promise<void> {
    const tooLate = performance.now() + 50_000
    while (!is()) {
      if (performance.now() > tooLate) throw new Error(`${what}: never`)
      scene.clock.goTo(scene.clock.now() + ms)
      await new Promise(setImmediate)
    }
  }
  async function got<T>(asked: Promise<T>, ms = 0): Promise<T> {
    let isOver = false
    const over = () => {
      isOver = true
    }
    asked.then(over, over)
    await until('an answer', () => isOver, ms)
    return asked
  }
  const offer = (given: Partial<Offer> = {}, job: object = JOB) => got(scene.engine.ask(offerOf(given, job)))
  const said = (reply: Reply): string =>
    reply.kind === 'refused' ? `refused: ${reply.why}` : reply.kind === 'claimed' ? reply.state : reply.kind
  const linesOf = (id = `${TASK}-7`) =>
    readFileSync(join(spoolFolder(), id), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).kind)
  const beginning = () => until('it begins', () => scene.begun.length > 0)

  return Object.assign(scene, { spoolFolder, logs, start, until, got, offer, said, linesOf, beginning })
}
