/** The types, guards and actions of the worker chart. `worker.ts` says when they apply. Source: distribution 4, D15, D16, D17. */
import { assign, sendTo, setup } from 'xstate'
import { type Asking, isEarlier, refusalOf, type Speaks } from './policy/welcome.ts'
import { type AlarmRang, type AlarmSet, alarm } from './slots.ts'
import type { WorkerLoad, WorkerSelf } from './vocabulary.ts'

export interface WorkerInput {
  /** Id of the worker's home folder: one that is restarted under another name is the same. */
  home: string
  at: number
  /** The versions of the protocol that this engine speaks. */
  speaks: Speaks
  lostAfterMs: number
  /** After this silence the fence on its machine has ended what it had at work. */
  fenceAfterMs: number
}
export interface WorkerContext {
  home: string
  speaks: Speaks
  lostAfterMs: number
  fenceAfterMs: number
  /** The worker has a fence; one of an earlier release has none. */
  fences: boolean
  /** The worker hears no offers, although it is heard. */
  isDeaf: boolean
  /** Absent: it has said nothing that could be read. */
  self?: WorkerSelf
  /** The process of the worker: each says hello with a number of its own. */
  session: string
  /** Number of the latest heartbeat. */
  beat: number
  load: WorkerLoad
  /** When the worker said hello, and when it was last heard; epoch ms by the engine's clock. */
  greetedAt: number
  heardAt: number
  /** The silence of the worker counts from here. */
  silentSince: number
  /** The engine is not connected to the bus. */
  away: boolean
  /** Why the worker is refused; empty: it is not. */
  refusal: string
  /** Says more than a worker may: when that was heard last, and the reason. Undefined: it does not, or not any more. */
  flood?: Flood | undefined
  /** The process of the worker was asked to drain. The next one on its home begins afresh. */
  drain: DrainAsked | undefined
  /** The worker says itself that it leaves: it was sent a signal. */
  isLeaving: boolean
  /** The time of the worker to drain is over. */
  isLate: boolean
  /** The runs that it had then were asked to stop. */
  hasStoppedRuns: boolean
}

export interface Flood {
  at: number
  reason: string
}

export interface DrainAsked {
  /** Runs that have not ended by then are stopped; absent: it waits for them without a limit. */
  timeoutMs?: number
}

export interface HelloHeard extends Asking {
  type: 'hello.heard'
  at: number
  session: string
  self: WorkerSelf
  isLeaving: boolean
  fences: boolean
}
/** What the runs of a lost worker are told. */
export interface LostTold {
  silentMs: number
  /** Epoch ms; absent: it has no fence. */
  fencedAt?: number
}
export const lostTold = ({ lostAfterMs, fenceAfterMs, silentSince, fences }: WorkerContext): LostTold => ({
  silentMs: lostAfterMs,
  ...(fences ? { fencedAt: silentSince + fenceAfterMs } : {})
})
export interface BeatHeard {
  type: 'beat.heard'
  at: number
  session: string
  beat: number
  load: WorkerLoad
  isLeaving: boolean
  isLate: boolean
}
export type WorkerEvent =
  | HelloHeard
  /** A worker said something that is no hello. @param reason a sentence */
  | { type: 'hello.garbled'; at: number; reason: string }
  /** A worker says so much that the rest is not heard; again in each second in which it does. @param reason a sentence */
  | ({ type: 'flood.heard' } & Flood)
  | BeatHeard
  /** Somebody wants it to drain. @param drain absent: it shall take runs again */
  | { type: 'drain.asked'; at: number; drain?: DrainAsked }
  /** Several offers to it went unanswered, one after the other. */
  | { type: 'offers.unanswered'; at: number }
  | { type: 'engine.connected'; at: number }
  | { type: 'engine.disconnected'; at: number }
  | AlarmRang

/** Source: http-api "Worker". */
export const WARNING_MS = 5_000
/** A worker that has not flooded the bus for so long does not any more. */
const QUIET_MS = 10_000

// D1226: a worker that floods is listed as incompatible, and what it has goes on
const floodOver = ({ flood }: WorkerContext, at: number): Pick<WorkerContext, 'flood'> =>
  flood && at - flood.at >= QUIET_MS ? { flood: undefined } : {}

export const workerSetup = setup({
  types: {} as { input: WorkerInput; context: WorkerContext; events: WorkerEvent },
  actors: { alarm },
  guards: {
    fences: ({ context }) => context.fences,
    isDeaf: ({ context }, beat: BeatHeard) => context.isDeaf && beat.session === context.session,
    isWelcome: ({ context }, hello: HelloHeard) => refusalOf(hello, context.speaks) === undefined,
    /** The hello was on its way for long: the process that has said it has a successor. */
    isOutdated: ({ context }, { session }: HelloHeard) => isEarlier(session, context.session),
    // D1035: the heartbeat of a later process is answered with a request for its hello
    /** The process of the heartbeat was started after the known one. */
    isLater: ({ context }, { session }: BeatHeard) => isEarlier(context.session, session),
    isCurrent: ({ context }, { session }: BeatHeard) => session === context.session,
    isAway: ({ context }) => context.away,
    hasRunsToStop: ({ context: { isLate, hasStoppedRuns } }) => isLate && !hasStoppedRuns,
    wasHeard: ({ context }, { at }: AlarmRang) => at < context.silentSince + WARNING_MS
  },
  actions: {
    noteHello: assign(({ context }, { at, session, self, isLeaving, fences }: HelloHeard) => ({
      self,
      session,
      beat: 0,
      load: {},
      refusal: '',
      isLeaving,
      fences,
      isDeaf: false,
      greetedAt: at,
      heardAt: at,
      silentSince: at,
      ...(session === context.session ? {} : { drain: undefined, isLate: false, hasStoppedRuns: false }),
      ...floodOver(context, at)
    })),
    noteRefused: assign(({ context }, hello: HelloHeard) => ({
      self: hello.self,
      session: '',
      beat: 0,
      load: {},
      heardAt: hello.at,
      silentSince: hello.at,
      refusal: refusalOf(hello, context.speaks) ?? ''
    })),
    noteGarbled: assign((_, { at, reason }: { at: number; reason: string }) => ({
      session: '',
      heardAt: at,
      silentSince: at,
      refusal: reason
    })),
    // D982: a heartbeat that was overtaken counts as heard, and says nothing new
    noteBeat: assign(({ context }, { at, beat, load, isLeaving, isLate }: BeatHeard) => ({
      heardAt: at,
      silentSince: at,
      ...(beat > context.beat
        ? { beat, load, isLeaving, isLate, hasStoppedRuns: isLate && context.hasStoppedRuns }
        : {}),
      ...floodOver(context, at)
    })),
    noteFlood: assign((_, { at, reason }: Flood) => ({ flood: { at, reason } })),
    // D1241: the alarm of a healthy worker is set again
    waitOn: sendTo(
      'silence',
      ({ context }): AlarmSet => ({ type: 'alarm.set', dueAt: context.silentSince + WARNING_MS })
    ),
    // D977: a worker drains beside its health, as a fact of its process
    noteDrain: assign((_, { drain }: { drain?: DrainAsked }) => ({ drain })),
    noteRunsStopped: assign({ hasStoppedRuns: true }),
    /** Asks every run that was placed on it to stop. */
    stopRuns: () => {},
    noteDeaf: assign({ isDeaf: true }),
    /** Tells the runs of the worker. */
    sayLost: (_, _told: LostTold) => {},
    sayFenced: () => {},
    sayBack: () => {},
    noteAway: assign({ away: true }),
    /** Nobody could be heard while the engine was away: silence counts anew. */
    noteBack: assign((_, { at }: { at: number }) => ({ away: false, silentSince: at })),
    /** Answers a hello. */
    welcome: (_, _hello: HelloHeard) => {},
    /** Answers a hello with the reason in the context. */
    refuse: () => {},
    /** Answers something that is no hello, which changes nothing. */
    refuseGarbled: (_, _garbled: { reason: string }) => {},
    /** Answers a heartbeat. */
    acknowledge: (_, _beat: BeatHeard) => {},
    /** Answers a heartbeat: it should say hello first. */
    askHello: () => {},
    /** Answers a process whose place another one on its home has taken. */
    refuseReplaced: () => {}
  }
})
