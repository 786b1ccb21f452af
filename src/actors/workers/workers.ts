/**
 * The room of the workers: what is heard on the bus becomes an event of the worker that has said it, and what its chart decides becomes
 * an answer. Nothing is decided here. Source: distribution 2, 3, 4.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Actor, createActor } from 'xstate'
import type { FleetWorker } from '../../../machines/tables/fleet.ts'
import { type DrainAsked, type LostTold, workerMachine } from '../../../machines/worker.ts'
import { lostTold } from '../../../machines/worker-setup.ts'
import type { Enrolment } from '../../bus/enrolment.ts'
import { type Answer, BEAT_MS, PROTOCOL, subjectsOf, written } from '../../bus/messages.ts'
import type { Store } from '../../store/open.ts'
import type { StoredWorker } from '../../store/stored.ts'
import { keepWorker, workersIn } from '../../store/workers.ts'
import type { Transactions } from '../journal/transactions.ts'
import { alarm } from '../pace/alarm.ts'
import { type Beacon, type BeaconParts, openBeacon } from './beacon.ts'
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
import { steadyClock } from './steady-clock.ts'
import { type Desk, type DeskParts, openDesk } from './tasks/desk.ts'

export interface WorkersParts extends BeaconParts {
  store: Store
  transactions: Transactions
  lostAfterMs: number
  fenceAfterMs: number
  /** Which workers have a key, at this moment; absent: none. */
  enrolment?(): Enrolment | undefined
  /** Whether every run that was open when the previous engine ended is open again. */
  isComplete(): boolean
  /** Runs that were placed on a worker and are open, each as `<run>-<lease>`. */
  openRuns(home: string): ReadonlySet<string>
  /** Whether any run holds a slot of a worker. */
  hasRuns(home: string): boolean
  /** Asks every run that was placed on a worker to stop. */
  stopRuns(home: string): void
  /** Called when something that placements depend on has changed, never for a mere heartbeat. @param worker absent: it serves nobody now */
  changed?(home: string, worker: FleetWorker | undefined): void
  /** What a worker says of an execution that nobody waits for. Resolves when it need not be said again. */
  late?: NonNullable<DeskParts['late']>
  /** Tells the runs that were placed on a worker what has become of it. */
  tellRuns(news: WorkerNews): void
  /** Homes of workers that open runs were placed on. */
  neededHomes(): Iterable<string>
  /** Called with errors that the engine survives, but that should not have happened. */
  fault(error: unknown): void
}

/** A worker is lost, may be taken for ended, or is back. */
export interface WorkerNews {
  type: 'worker.lost' | 'worker.fenced' | 'worker.back'
  home: string
  /** Its id. */
  worker: string
  told: LostTold
}

export interface Workers {
  /** Those that serve or are refused, by id. */
  list(): WorkerView[]
  /** Another engine that calls the same cluster its own, as a sentence; undefined: there is none. */
  rival(): string | undefined
  /** Tasks that this engine asks of them. */
  desk: Desk
  /** Whether the bus has been away for so long that who cannot wait does not wait for it. */
  isAway(): boolean
  /** How many were lost, and how many of those were certain to have ended, since the engine was opened. */
  losses(): { lost: number; fenced: number }
  /** Resolves when that is stored. @param drain absent: it shall take runs again */
  drain(home: string, drain?: DrainAsked): Promise<void>
  /** Somebody was enrolled or revoked: whoever was revoked gets no further run. */
  enrolmentChanged(): void
  close(): Promise<void>
}

/** Whoever floods the bus with new homes is refused without being listed. */
const MOST_WORKERS = 10_000
const MOST_REFUSED = 100

interface Known {
  actor: Actor<typeof workerMachine>
  /** State and process that are stored. */
  stored: string
  /** Why it takes no further run, as it said last; empty: it takes some. */
  trouble: string
  /** What `changed` was last called with. */
  taker?: FleetWorker | undefined
  /** Answers the message that its chart is deciding about. */
  answer(said: Answer): void
}

const nobody = () => {}
const FLOOD = `it says more than ${MOST_SAID} things a second: what is more is not heard`
/** Between looks whether all runs are open again. */
const AGAIN_MS = 1_000
const UNKNOWN: StoredWorker = { state: 'lost', session: '', greetedAt: 0, heardAt: 0, refusal: '', fences: true }
const ABOUT_TASKS: ReadonlySet<string> = new Set(['event', 'job', 'runs'])

// D985
export function openWorkers(parts: WorkersParts): Workers {
  const { bus, store, engine, cluster, lostAfterMs, fenceAfterMs, fault } = parts
  const clock = steadyClock(parts.clock)
  const subjects = subjectsOf(cluster)
  const known = new Map<string, Known>()
  /** Homes of those that are refused. */
  const refused = new Set<string>()
  let writing = Promise.resolve()
  let isLeaving = false
  let beacon: Beacon | undefined
  const { isComplete, openRuns, hasRuns, stopRuns } = parts
  const keys = keysOf(() => parts.enrolment?.())
  const desk = openDesk({
    ...{ bus, clock, subjects, engine, isComplete, openRuns },
    ...(parts.late ? { late: parts.late } : {}),
    beatOf(home) {
      const { session = '', beat = 0 } = known.get(home)?.actor.getSnapshot().context ?? {}
      return session === '' || beat === 0 ? undefined : { session, n: beat }
    },
    deaf: (home) => known.get(home)?.actor.send({ type: 'offers.unanswered', at: clock.now() })
  })
  const count = { lost: 0, fenced: 0 }
  const pending: WorkerNews[] = []
  /** Runs that are not open again yet hear of it later. */
  function say(home: string, type: WorkerNews['type']): void {
    const { context } = known.get(home)?.actor.getSnapshot() ?? {}
    if (!context) return
    pending.push({ type, home, worker: context.self?.id ?? home, told: lostTold(context) })
    if (pending.length === 1) tellPending()
  }
  function tellPending(): void {
    if (isLeaving) return
    if (!isComplete()) {
      // Until then nothing begins elsewhere that may be at work there.
      for (const news of pending) if (news.type === 'worker.lost') parts.tellRuns(news)
      parts.clock.after(AGAIN_MS, tellPending)
    } else for (const news of pending.splice(0)) parts.tellRuns(news)
  }

  const logicOf = (home: string) => {
    const answer = (said: Answer) => known.get(home)?.answer(said)
    const refuse = (why: string, text: string) => answer({ kind: 'refused', why, text })
    return workerMachine.provide({
      actors: { alarm: alarm({ ...parts, clock }) },
      actions: {
        welcome: () =>
          answer({
            kind: 'welcome',
            epoch: engine.epoch,
            engine: engine.id,
            beatMs: BEAT_MS,
            lostMs: lostAfterMs,
            fenceMs: fenceAfterMs
          }),
        sayLost() {
          count.lost++
          clock.soon(() => say(home, 'worker.lost'))
        },
        sayFenced() {
          count.fenced++
          clock.soon(() => say(home, 'worker.fenced'))
        },
        sayBack: () => clock.soon(() => say(home, 'worker.back')),
        refuse: ({ context: { refusal } }) => refuse('refused', refusal),
        refuseGarbled: (_, { reason }) => refuse('message', reason),
        acknowledge: ({ context: { drain } }, { beat: n }) =>
          answer({ kind: 'heard', n, epoch: engine.epoch, ...(drain ? { drain } : {}) }),
        stopRuns: () => stopRuns(home),
        askHello: () => answer({ kind: 'greet' }),
        refuseReplaced: () => refuse('replaced', 'another process of the same home has said hello since')
      }
    })
  }
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
      // Its next heartbeat is that of a stranger, who is asked for a hello.
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

  /** Of heartbeats nothing is stored, so that they cost no commit. */
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
  // D1009
  /** While two engines call the same cluster their own, neither places anything. */
  function tell(home: string, one: Known, found: FleetWorker | undefined): void {
    const taker = found && beacon?.rival() !== undefined ? { ...found, isTaking: false } : found
    if (isDeepStrictEqual(taker, one.taker)) return
    one.taker = taker
    parts.changed?.(home, taker)
  }
  function write(home: string, worker?: ReturnType<typeof storedWorker>): void {
    writing = writing.then(() => keepWorker(store, home, worker)).catch(fault)
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

  // D978
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
    if (ABOUT_TASKS.has(said.kind)) return desk.hear({ ...said, text, answer })
    const share = floods.heard(said.home)
    if (share === 'drop') return
    const reply = (given: Answer) => answer(written(given))
    const {
      event,
      tasks = [],
      trouble = ''
    }: Said = share === 'first'
      ? { event: { type: 'hello.garbled' as const, at: clock.now(), reason: FLOOD } }
      : saidBy(said.home, said.kind, text)
    // Runs can be stopped once they are all open again.
    if (event.type === 'beat.heard') event.isLate &&= isComplete()
    let one = known.get(said.home)
    if (!one && event.type === 'beat.heard') return reply({ kind: 'greet' })
    if (!one && isFull(event.type === 'hello.garbled'))
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
    desk.progress(said.home, tasks)
  })
  for (const { home, worker } of workersIn(store)) open(home, restoredWorker(inputOf(home), worker))
  // D1003
  /** A worker that was forgotten, or whose entry cannot be read, may still have runs. */
  for (const home of parts.neededHomes()) if (!known.has(home)) open(home, restoredWorker(inputOf(home), UNKNOWN))
  const tellAll = (type: 'engine.connected' | 'engine.disconnected') => {
    for (const { actor } of [...known.values()]) actor.send({ type, at: clock.now() })
  }
  /** While the bus is away nobody is lost to the charts; but whoever cannot wait does not wait for the bus either. */
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
          ...{ heardAt: worker.heardAt + late, connectedAt: worker.connectedAt + late },
          ...(lostAt === undefined ? {} : { lostAt: lostAt + late })
        }))
        .sort(byId)
    },
    losses: () => ({ ...count }),
    rival: () => beacon?.rival(),
    desk,
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
      desk.close()
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
