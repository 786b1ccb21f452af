/** The room of the workers, and workers that do as a test says, over a simulated bus and a virtual clock. */
import { join } from 'node:path'
import { expect } from 'chai'
import type { Transactions } from '../../../src/actors/journal/transactions.ts'
import { openWorkers, type WorkerNews, type Workers, type WorkersParts } from '../../../src/actors/workers/workers.ts'
import type { Bus } from '../../../src/bus/bus.ts'
import { type Answer, answerIn, type Hello, subjectsOf, written } from '../../../src/bus/messages.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { beginEpoch } from '../../../src/store/tables/workers.ts'
import { temporaryFolder } from '../homes.ts'
import { type SimulatedNet, simulatedNet } from '../simulated/bus.ts'
import { type SimulatedClock, simulatedClock } from '../simulated/simulated-clock.ts'

/** Homes. */
export const [A, B] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb']
export const subjects = subjectsOf('t')

/** What a worker says of itself. */
export const helloOf = (home: string, given: Partial<Hello> = {}): Hello => ({
  v: 1,
  minV: 1,
  id: 'wa',
  home,
  session: 's1',
  labels: { zone: 'a' },
  slots: 4,
  version: '1',
  host: 'box',
  pid: 7,
  executors: ['shell'],
  ...given
})

interface RoomScene {
  store: Store
  clock: SimulatedClock
  net: SimulatedNet
  faults: unknown[]
  /** Homes of workers that runs are on. */
  needed: string[]
}

/** For the tests of a `describe`: each has a new one. */
export function roomScene() {
  const scene = {} as RoomScene // filled before each test
  /** Runs that hold a slot of a worker. */
  const held = new Set<string>()
  const stopped: string[] = []
  const news: WorkerNews[] = []
  /** Events about workers. */
  const noticed: string[] = []
  const opened: Workers[] = []
  beforeEach(() => {
    scene.store = openStore(join(temporaryFolder(), 'data'))
    scene.clock = simulatedClock()
    scene.net = simulatedNet(scene.clock)
    scene.faults = []
    news.length = 0
    noticed.length = 0
    scene.needed = []
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((workers) => workers.close()))
    await scene.store.root.close()
    expect(scene.faults).to.deep.equal([])
  })
  async function room(name = 'engine', given: { id?: string } = {}, more: Partial<WorkersParts> = {}) {
    const engine = { ...(await beginEpoch(scene.store, scene.clock)), ...given }
    const transactions = { take: (work: () => void) => work() } as Transactions // the only member that alarms use
    const workers = openWorkers({
      bus: scene.net.open(name),
      clock: scene.clock,
      store: scene.store,
      transactions,
      engine,
      version: '1',
      cluster: 't',
      lostAfterMs: 30_000,
      fenceAfterMs: 60_000,
      neededHomes: () => scene.needed,
      tellRuns: (one) => void news.push(one),
      isComplete: () => true,
      openRuns: () => new Set(),
      hasRuns: () => held.size > 0,
      stopRuns: (home) => stopped.push(home),
      noticed: async (notice, { id }) => void noticed.push(`${notice} ${id}`),
      fault: (error) => scene.faults.push(error),
      ...more
    })
    opened.push(workers)
    return workers
  }
  const pass = (ms: number) => scene.clock.goTo(scene.clock.now() + ms)

  /** A worker that does as it is told by the test. */
  function worker(home: string, given: Partial<Hello> = {}) {
    const bus: Bus = scene.net.open(`${home} ${given.session ?? 's1'}`)
    const answers: Answer[] = []
    let beats = 0
    const self = helloOf(home, given)
    const ask = (kind: 'hello' | 'beat', text: string) => {
      bus.ask(subjects.up(home, kind), text, 60_000).then(
        (answer) => answers.push(answerIn(answer)),
        () => {}
      )
    }
    return {
      answers,
      says: (text: string) => ask('hello', text),
      hello: () => ask('hello', written({ kind: 'hello', ...self })),
      beat: (more: { draining?: true; late?: true; trouble?: string } = {}) =>
        ask('beat', written({ kind: 'beat', session: self.session, n: ++beats, load: { cpu: 5 }, ...more } as never))
    }
  }
  /** What was answered, once it has arrived. */
  const answered = async ({ answers }: ReturnType<typeof worker>) => {
    pass(1)
    pass(1)
    await new Promise(setImmediate)
    return answers.splice(0).map((answer) => ('text' in answer ? `${answer.kind}: ${answer.text}` : answer.kind))
  }
  const shown = (workers: Workers) =>
    workers.list().map(({ id, status, health, refusal }) => [id, status, health, refusal].filter(Boolean).join(' '))

  return Object.assign(scene, { held, stopped, news, noticed, opened, room, pass, worker, answered, shown })
}
