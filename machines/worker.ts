/**
 * One worker: a program on this or another machine that has said hello and sends a heartbeat every second. Its health is the age of
 * the last one. The engine's own absence from the bus makes nobody silent: silence counts only while the engine is connected.
 * Source: distribution 4, D15, D17; http-api "Worker"; api-semantics 7.
 *
 * state         waits for                        goes to
 * greeting      its first hello                  serving; incompatible (refused, or not readable)
 * serving       another hello                    healthy (first); serving (it was restarted); incompatible (refused)
 *   healthy     5 s without a heartbeat          healthy (there was one, or the engine is back); warning
 *   warning     a heartbeat, 15 s without one    warning (the engine is back); healthy; unhealthy
 *   unhealthy   a heartbeat, `lostAfter`         unhealthy (the engine is back); healthy; lost
 * lost          a heartbeat or hello, an hour    lost (the engine is back); serving.healthy; serving; incompatible (refused); forgotten
 * incompatible  another hello, `lostAfter`       incompatible (refused again, or the engine is back); serving; forgotten
 * forgotten     the end
 */
import { assign, setup } from 'xstate'
import { type Asking, isEarlier, refusalOf, type Speaks } from './policy/welcome.ts'
import { type AlarmInput, type AlarmRang, alarm } from './slots.ts'
import type { WorkerLoad, WorkerSelf } from './vocabulary.ts'
import { withEvent } from './with-event.ts'

export interface WorkerInput {
  /** Id of its home folder: a worker that is restarted under another name is the same. */
  home: string
  at: number
  /** What this engine speaks. */
  speaks: Speaks
  lostAfterMs: number
}
export interface WorkerContext {
  home: string
  speaks: Speaks
  lostAfterMs: number
  /** Absent: it has said nothing that could be read. */
  self?: WorkerSelf
  /** Its process: each says hello with a number of its own. */
  session: string
  /** Number of its latest heartbeat. */
  beat: number
  load: WorkerLoad
  /** When it said hello, and when it was last heard; epoch ms by the engine's clock. */
  greetedAt: number
  heardAt: number
  /** Its silence counts from here. */
  silentSince: number
  /** The engine is not connected to the bus. */
  away: boolean
  /** Why it is refused; empty: it is not. */
  refusal: string
}

export interface HelloHeard extends Asking {
  type: 'hello.heard'
  at: number
  session: string
  self: WorkerSelf
}
export interface BeatHeard {
  type: 'beat.heard'
  at: number
  session: string
  beat: number
  load: WorkerLoad
}
export type WorkerEvent =
  | HelloHeard
  /** It said something that is no hello. @param reason a sentence */
  | { type: 'hello.garbled'; at: number; reason: string }
  | BeatHeard
  | { type: 'engine.connected'; at: number }
  | { type: 'engine.disconnected'; at: number }
  | AlarmRang

// D981
/** Source: http-api "Worker". */
const WARNING_MS = 5_000
const UNHEALTHY_MS = 15_000
const FORGOTTEN_MS = 3_600_000

const silentFor = (ms: number) => ({
  src: 'alarm' as const,
  input: ({ context }: { context: WorkerContext }): AlarmInput => ({ dueAt: context.silentSince + ms })
})
const silentForLost = {
  src: 'alarm' as const,
  input: ({ context }: { context: WorkerContext }): AlarmInput => ({
    dueAt: context.silentSince + context.lostAfterMs
  })
}

// D980
export const workerMachine = setup({
  types: {} as { input: WorkerInput; context: WorkerContext; events: WorkerEvent },
  actors: { alarm },
  guards: {
    isWelcome: ({ context }, hello: HelloHeard) => refusalOf(hello, context.speaks) === undefined,
    /** It was on its way for long: the process that has said it has a successor. */
    isOutdated: ({ context }, { session }: HelloHeard) => isEarlier(session, context.session),
    isCurrent: ({ context }, { session }: BeatHeard) => session === context.session,
    isAway: ({ context }) => context.away,
    wasHeard: ({ context }, { at }: AlarmRang) => at < context.silentSince + WARNING_MS
  },
  actions: {
    noteHello: assign((_, { at, session, self }: HelloHeard) => ({
      ...{ self, session, beat: 0, load: {}, refusal: '' },
      ...{ greetedAt: at, heardAt: at, silentSince: at }
    })),
    noteRefused: assign(({ context }, hello: HelloHeard) => ({
      ...{ self: hello.self, session: '', beat: 0, load: {}, heardAt: hello.at, silentSince: hello.at },
      refusal: refusalOf(hello, context.speaks) ?? ''
    })),
    noteGarbled: assign((_, { at, reason }: { at: number; reason: string }) => ({
      ...{ session: '', heardAt: at, silentSince: at },
      refusal: reason
    })),
    // D982
    /** One that was overtaken on its way counts as heard, and says nothing new. */
    noteBeat: assign(({ context }, { at, beat, load }: BeatHeard) => ({
      ...{ heardAt: at, silentSince: at },
      ...(beat > context.beat ? { beat, load } : {})
    })),
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
}).createMachine({
  id: 'worker',
  description: 'A worker that has said hello: it is known by the id of its home folder.',
  context: ({ input: { home, at, speaks, lostAfterMs } }) => ({
    ...{ home, speaks, lostAfterMs, session: '', beat: 0, load: {}, refusal: '', away: false },
    ...{ greetedAt: at, heardAt: at, silentSince: at }
  }),
  initial: 'greeting',
  on: {
    'engine.disconnected': {
      description: 'Whatever is silent from now on may be so because of the engine.',
      actions: 'noteAway'
    }
  },
  states: {
    greeting: {
      description: 'The engine has not heard of it before.',
      on: {
        'hello.heard': [
          { guard: withEvent('isWelcome'), target: 'serving', actions: [withEvent('noteHello'), withEvent('welcome')] },
          { target: 'incompatible', actions: [withEvent('noteRefused'), 'refuse'] }
        ],
        'hello.garbled': { target: 'incompatible', actions: [withEvent('noteGarbled'), 'refuse'] }
      }
    },
    serving: {
      description: 'It takes part. How long ago it was heard is its health.',
      initial: 'healthy',
      on: {
        'hello.heard': [
          {
            description: 'A process of the same home that was started before the present one: it should leave.',
            guard: withEvent('isOutdated'),
            actions: 'refuseReplaced'
          },
          {
            description: 'Its program was started again on the same home, or it has heard of a new engine.',
            guard: withEvent('isWelcome'),
            target: 'serving',
            reenter: true,
            actions: [withEvent('noteHello'), withEvent('welcome')]
          },
          { target: 'incompatible', actions: [withEvent('noteRefused'), 'refuse'] }
        ],
        'hello.garbled': {
          description: 'Whoever has said that: the worker that serves is not harmed by it.',
          actions: withEvent('refuseGarbled')
        },
        'beat.heard': {
          description: 'A process of the same home that said hello before the present one: it should leave.',
          actions: 'refuseReplaced'
        }
      },
      states: {
        healthy: {
          description: 'It was heard less than 5 s ago, and may be offered work.',
          tags: 'healthy',
          invoke: silentFor(WARNING_MS),
          on: {
            'beat.heard': { guard: withEvent('isCurrent'), actions: [withEvent('noteBeat'), withEvent('acknowledge')] },
            'alarm.rang': [
              { description: 'The engine could not have heard it.', guard: 'isAway' },
              {
                description: 'It was heard in the meantime: the alarm is set anew, not with each heartbeat.',
                guard: withEvent('wasHeard'),
                target: 'healthy',
                reenter: true
              },
              { target: 'warning' }
            ],
            'engine.connected': { target: 'healthy', reenter: true, actions: withEvent('noteBack') }
          }
        },
        warning: {
          description: 'It was heard less than 15 s ago.',
          tags: 'warning',
          invoke: silentFor(UNHEALTHY_MS),
          on: {
            'beat.heard': {
              guard: withEvent('isCurrent'),
              target: 'healthy',
              actions: [withEvent('noteBeat'), withEvent('acknowledge')]
            },
            'alarm.rang': [
              { description: 'The engine could not have heard it.', guard: 'isAway' },
              { target: 'unhealthy' }
            ],
            'engine.connected': { target: 'warning', reenter: true, actions: withEvent('noteBack') }
          }
        },
        unhealthy: {
          description: 'It has been silent for longer; it may still come back.',
          tags: 'unhealthy',
          invoke: silentForLost,
          on: {
            'beat.heard': {
              guard: withEvent('isCurrent'),
              target: 'healthy',
              actions: [withEvent('noteBeat'), withEvent('acknowledge')]
            },
            'alarm.rang': [
              { description: 'The engine could not have heard it.', guard: 'isAway' },
              { target: '#worker.lost' }
            ],
            'engine.connected': { target: 'unhealthy', reenter: true, actions: withEvent('noteBack') }
          }
        }
      }
    },
    lost: {
      description: 'It has been silent for `lostAfter`. It is no longer listed, and welcome when it comes back.',
      invoke: silentFor(FORGOTTEN_MS),
      on: {
        'hello.heard': [
          { guard: withEvent('isOutdated'), actions: 'refuseReplaced' },
          { guard: withEvent('isWelcome'), target: 'serving', actions: [withEvent('noteHello'), withEvent('welcome')] },
          { target: 'incompatible', actions: [withEvent('noteRefused'), 'refuse'] }
        ],
        'hello.garbled': {
          description: 'Nothing follows from it.',
          actions: withEvent('refuseGarbled')
        },
        'beat.heard': [
          {
            guard: withEvent('isCurrent'),
            target: 'serving.healthy',
            actions: [withEvent('noteBeat'), withEvent('acknowledge')]
          },
          { description: 'Another process of its home was the last to say hello.', actions: 'refuseReplaced' }
        ],
        'alarm.rang': [
          { description: 'The engine could not have heard it.', guard: 'isAway' },
          { target: 'forgotten' }
        ],
        'engine.connected': { target: 'lost', reenter: true, actions: withEvent('noteBack') }
      }
    },
    incompatible: {
      description: 'It was refused and gets nothing. It is listed with the reason as long as it asks again.',
      invoke: silentForLost,
      on: {
        'hello.heard': [
          { guard: withEvent('isWelcome'), target: 'serving', actions: [withEvent('noteHello'), withEvent('welcome')] },
          { target: 'incompatible', reenter: true, actions: [withEvent('noteRefused'), 'refuse'] }
        ],
        'hello.garbled': { target: 'incompatible', reenter: true, actions: [withEvent('noteGarbled'), 'refuse'] },
        'beat.heard': { description: 'What it says counts once it is welcome.', actions: 'askHello' },
        'alarm.rang': [
          { description: 'The engine could not have heard it.', guard: 'isAway' },
          { target: 'forgotten' }
        ],
        'engine.connected': { target: 'incompatible', reenter: true, actions: withEvent('noteBack') }
      }
    },
    forgotten: {
      description: 'Nothing is known of it any more; its next hello is its first.',
      type: 'final'
    }
  }
})
