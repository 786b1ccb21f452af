/**
 * The room of the workers: what is heard on the bus becomes an event of the worker that has said it, and what its chart decides becomes
 * an answer. Nothing is decided here. Source: distribution 2, 3, 4.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Actor, createActor } from 'xstate'
import type { FleetWorker } from '../../../machines/tables/fleet.ts'
import type { workerMachine } from '../../../machines/worker.ts'
import { lostTold } from '../../../machines/worker-setup.ts'
import { type Answer, PROTOCOL, subjectsOf, written } from '../../bus/messages.ts'
import type { StoredWorker } from '../../store/stored.ts'
import { keepWorker, workersIn } from '../../store/tables/workers.ts'
import { type Beacon, openBeacon } from './beacon.ts'
import { MOST_SAID, openFloods } from './floods.ts'
import { eventOf, type Said } from './heard.ts'
import { keysOf, REVOKED } from './keys.ts'
import {
  isDraining,
  restoredWorker,
  storedWorker,
  takerOf,
  viewOf,
  type WorkerSnapshot,
  type WorkerView
} from './known-worker.ts'
import { openRunNews, type WorkerNews } from './run-news.ts'
import { steadyClock } from './steady-clock.ts'
import { openDispatcher } from './tasks/dispatcher.ts'
import { workerLogic } from './worker-logic.ts'
import type { Workers, WorkersParts } from './workers-parts.ts'

export type { WorkerNews } from './run-news.ts'
export type { Workers, WorkersParts } from './workers-parts.ts'

/** Limits of homes: in a flood of new ones, those beyond are refused without being listed. */
const MOST_WORKERS = 10_000
const MOST_REFUSED = 100

interface Known {
  actor: Actor<typeof workerMachine>
  /** State and process that are stored. */
  stored: string
  /** Why the worker takes no further run, as it said last; empty: it takes some. */
  trouble: string
  /** What `changed` was last called with. */
  taker?: FleetWorker | undefined
  /** Answers the message that its chart is deciding about. */
  answer(said: Answer): void
}

const nobody = () => {}
const FLOOD = `it says more than ${MOST_SAID} things a second: what is more is not heard`
const UNKNOWN: StoredWorker = { state: 'lost', session: '', greetedAt: 0, heardAt: 0, refusal: '', fences: true }
const ABOUT_TASKS: ReadonlySet<string> = new Set(['event', 'job', 'runs'])

// D985: a refused worker is not sent away for good, except by another process of its home
export function openWorkers(parts: WorkersParts): Workers {
  const { bus, store, engine, cluster, lostAfterMs, fenceAfterMs, fault } = parts
  const clock = steadyClock(parts.clock)
  const subjects = subjectsOf(cluster)
  const known = new Map<string, Known>()
  /** Homes of those that are refused. */
  const refused = new Set<string>()
  let writing = Promise.resolve()
  /** An event is stored before the state of the worker that it tells of: a crash in between loses none. */
  let noticing = Promise.resolve()
  let isLeaving = false
  let beacon: Beacon | undefined
  const { isComplete, openRuns, hasRuns, stopRuns } = parts
  const keys = keysOf(() => parts.enrolment?.())
  const dispatcher = openDispatcher({
    bus,
    clock,
    subjects,
    engine,
    isComplete,
    openRuns,
    ...(parts.late ? { late: parts.late } : {}),
    ...(parts.givenUp ? { givenUp: parts.givenUp } : {}),
    heartbeatOf(home) {
      const { session = '', beat = 0 } = known.get(home)?.actor.getSnapshot().context ?? {}
      return session === '' || beat === 0 ? undefined : { session, n: beat }
    },
    deaf: (home) => known.get(home)?.actor.send({ type: 'offers.unanswered', at: clock.now() })
  })
  const count = { lost: 0, fenced: 0 }
  const runNews = openRunNews({ clock: parts.clock, isComplete, tellRuns: parts.tellRuns })
  /** Runs that are not open again yet hear of it later. */
  function say(home: string, type: WorkerNews['type']): void {
    if (type === 'worker.lost') count.lost++
    if (type === 'worker.fenced') count.fenced++
    else notice(home, type)
    clock.soon(() => {
      const { context } = known.get(home)?.actor.getSnapshot() ?? {}
      if (context) runNews.say({ type, home, worker: context.self?.id ?? home, told: lostTold(context) })
    })
  }
  /** Notes news of a worker that says hello for many reasons; only one that was lost is back. */
  function notice(home: string, type: 'worker.lost' | 'worker.back'): void {
    const { actor, stored = '' } = known.get(home) ?? {}
    if (!parts.noticed || (type === 'worker.back' && !stored.startsWith('lost'))) return
    const id = actor?.getSnapshot().context.self?.id ?? home
    noticing = parts.noticed(type, { id, runs: parts.openRuns(home).size }).catch(fault)
  }
  const logicOf = (home: string) =>
    workerLogic({
      ...parts,
      clock,
      answer: (said) => known.get(home)?.answer(said),
      say: (type) => say(home, type),
      stopRuns: () => stopRuns(home)
    })
  const inputOf = (home: string) => ({ home, at: clock.now(), speaks: PROTOCOL, lostAfterMs, fenceAfterMs })

  function open(home: string, snapshot?: WorkerSnapshot): Known {
    const options = { id: `worker/${home}`, input: inputOf(home), ...(snapshot ? { snapshot } : {}) }
    const one: Known = { actor: createActor(logicOf(home), options), stored: '', trouble: '', answer: nobody }
    known.set(home, one)
    one.actor.subscribe({
      next(found) {
        keep(home, one, found)
        if (found.matches('incompatible')) refused.add(home)
        else refused.delete(home)
        tell(home, one, takerIn(home, found))
      },
      // The next heartbeat is that of a stranger, who is asked for a hello.
      error(error) {
        known.delete(home)
        refused.delete(home)
        tell(home, one, undefined)
        fault(error)
      },
      complete() {
        if (isLeaving) return
        known.delete(home)
        refused.delete(home)
        write(home)
      }
    })
    one.actor.start()
    return one
  }

  /** Stores a worker. A heartbeat changes nothing of its entry, so it costs no commit. */
  function keep(home: string, one: Known, snapshot: WorkerSnapshot): void {
    const worker = storedWorker(snapshot)
    const news = worker ? `${worker.state} ${worker.session} ${JSON.stringify(worker.drain)}` : ''
    if (news !== '' && news !== one.stored) write(home, worker)
    one.stored = news
  }
  function takerIn(home: string, snapshot: WorkerSnapshot): FleetWorker | undefined {
    const taker = takerOf(snapshot)
    if (!taker || (!keys.isRevoked(home) && known.get(home)?.trouble === '')) return taker
    const { takesSubRuns, ...rest } = taker
    return { ...rest, isTaking: false, ...(takesSubRuns && !keys.isRevoked(home) ? { takesSubRuns } : {}) }
  }
  function viewsOf(home: string, snapshot: WorkerSnapshot): WorkerView[] {
    const views = viewOf(snapshot, hasRuns(home))
    const { trouble = '' } = known.get(home) ?? {}
    if (!keys.isRevoked(home)) return views.map((view) => ({ ...view, trouble }))
    return views.map((view) => ({ ...view, status: 'incompatible', health: 'unhealthy', refusal: REVOKED }))
  }
  // D1009: of two engines that call one cluster their own, neither places a run
  /** While two engines call the same cluster their own, neither places anything. */
  function tell(home: string, one: Known, found: FleetWorker | undefined): void {
    const taker = found && beacon?.rival() !== undefined ? { ...found, isTaking: false } : found
    if (isDeepStrictEqual(taker, one.taker)) return
    one.taker = taker
    parts.changed?.(home, taker, () => one.taker)
  }
  function write(home: string, worker?: ReturnType<typeof storedWorker>): void {
    const noticed = noticing
    writing = writing
      .then(() => noticed)
      .then(() => keepWorker(store, home, worker))
      .catch(fault)
  }

  /** The home of another worker that serves under an id. */
  function holderOf(id: string, home: string): string | undefined {
    for (const [other, { actor }] of known) {
      const snapshot = actor.getSnapshot()
      if (other !== home && snapshot.context.self?.id === id && snapshot.matches('serving')) return other
    }
    return undefined
  }
  const isFull = (isGarbled: boolean) => known.size >= MOST_WORKERS || (isGarbled && refused.size >= MOST_REFUSED)

  // D978: a worker that drains refuses nothing, and leaves when its engine says that no run is left
  /** Placements know that it drains, and none of them is left. */
  const isFree = (home: string, { actor, taker }: Known) =>
    isDraining(actor.getSnapshot().context) && taker?.isTaking !== true && isComplete() && !hasRuns(home)

  const floods = openFloods(clock)
  const saidBy = (home: string, kind: string, text: string): Said =>
    eventOf(
      { home, kind, text, at: clock.now() },
      { holderOf: (id) => holderOf(id, home), refusalOf: (id) => keys.refusalOf(home, id) }
    )
  const unhear = bus.hear(subjects.everyUp, ({ subject, text, answer }) => {
    const said = subjects.read(subject)
    if (!said) return
    if (ABOUT_TASKS.has(said.kind)) return dispatcher.hear({ ...said, text, answer })
    const share = floods.heard(said.home)
    if (share === 'drop') return
    const reply = (given: Answer) => answer(written(given))
    const {
      event,
      tasks = [],
      trouble = ''
    }: Said = share === 'first'
      ? { event: { type: 'flood.heard' as const, at: clock.now(), reason: FLOOD } }
      : saidBy(said.home, said.kind, text)
    // Runs can be stopped once they are all open again.
    if (event.type === 'beat.heard') event.isLate &&= isComplete()
    let one = known.get(said.home)
    if (!one && event.type === 'beat.heard') return reply({ kind: 'greet' })
    if (!one && isFull(event.type === 'hello.garbled' || event.type === 'flood.heard'))
      return reply({ kind: 'refused', why: 'full', text: 'too many workers are known' })
    one ??= open(said.home)
    let given: Answer | undefined
    one.answer = (said) => {
      given = said
    }
    if (event.type === 'beat.heard') one.trouble = trouble
    one.actor.send(event)
    one.answer = nobody
    if (given) reply(given.kind === 'heard' && isFree(said.home, one) ? { ...given, free: true } : given)
    dispatcher.progress(said.home, tasks)
  })
  for (const { home, worker } of workersIn(store)) open(home, restoredWorker(inputOf(home), worker))
  // D1003: a worker that is not on record any more, and has runs, counts as lost from the start of the engine
  /** A worker that was forgotten, or whose entry cannot be read, may still have runs. */
  for (const home of parts.neededHomes()) if (!known.has(home)) open(home, restoredWorker(inputOf(home), UNKNOWN))
  const tellAll = (type: 'engine.connected' | 'engine.disconnected') => {
    for (const { actor } of [...known.values()]) actor.send({ type, at: clock.now() })
  }
  /** While the bus is away nobody is lost to the charts; but what cannot wait does not wait for the bus either. */
  let awaySince = bus.state === 'connected' ? undefined : clock.elapsed()
  const unstate = bus.onState((state) => {
    awaySince = state === 'connected' ? undefined : (awaySince ?? clock.elapsed())
    tellAll(state === 'connected' ? 'engine.connected' : 'engine.disconnected')
  })
  if (bus.state === 'connected') tellAll('engine.connected')
  beacon = openBeacon({
    ...parts,
    clock,
    rivalChanged() {
      for (const [home, one] of [...known]) tell(home, one, takerIn(home, one.actor.getSnapshot()))
    }
  })

  return {
    list() {
      const late = parts.clock.now() - clock.now()
      return [...known]
        .flatMap(([home, { actor }]) => viewsOf(home, actor.getSnapshot()))
        .map(({ lostAt, ...worker }) => ({
          ...worker,
          heardAt: worker.heardAt + late,
          connectedAt: worker.connectedAt + late,
          ...(lostAt === undefined ? {} : { lostAt: lostAt + late })
        }))
        .sort(byId)
    },
    losses: () => ({ ...count }),
    rival: () => beacon?.rival(),
    dispatcher,
    isAway: () => awaySince !== undefined && clock.elapsed() - awaySince >= lostAfterMs,
    async drain(home, drain) {
      known.get(home)?.actor.send({ type: 'drain.asked', at: clock.now(), ...(drain ? { drain } : {}) })
      await writing
    },
    enrolmentChanged() {
      for (const [home, one] of [...known]) tell(home, one, takerIn(home, one.actor.getSnapshot()))
    },
    async close() {
      isLeaving = true
      runNews.close()
      dispatcher.close()
      beacon?.close()
      unhear()
      unstate()
      for (const { actor } of [...known.values()]) actor.stop()
      await writing
    }
  }
}

const byId = (one: WorkerView, other: WorkerView) =>
  one.id < other.id ? -1 : one.id > other.id ? 1 : one.home < other.home ? -1 : 1
