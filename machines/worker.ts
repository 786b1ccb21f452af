/**
 * One worker: a program on this or another machine that has said hello and sends a heartbeat every second. Its health is the age of
 * the last one. The engine's own absence from the bus makes nobody silent: silence counts only while the engine is connected.
 * Whether it drains is a fact beside its health: it gets no further run, and leaves when it has none. So is whether it floods the bus.
 * Source: distribution 4, D15, D16, D17; http-api "Worker"; api-semantics 7.
 *
 * state         waits for                        goes to
 * greeting      its first hello                  serving; incompatible (refused, or not readable)
 * serving       another hello                    healthy (first); serving (it was restarted); incompatible (refused)
 *   healthy     5 s without a heartbeat          healthy (the engine is back); warning
 *   warning     a heartbeat, 15 s without one    warning (the engine is back); healthy; unhealthy
 *   unhealthy   a heartbeat, `lostAfter`         unhealthy (the engine is back); healthy; lost
 * lost          a heartbeat or hello             unsure (first); serving.healthy; serving; incompatible (refused)
 *   unsure      a heartbeat, `fenceAfter`        unsure (the engine is back); fenced; forgotten (it has no fence, after an hour)
 *   fenced      a heartbeat, an hour             fenced (the engine is back); forgotten
 * incompatible  another hello, `lostAfter`       incompatible (refused again, or the engine is back); serving; forgotten
 * forgotten     the end
 */
import type { AlarmInput } from './slots.ts'
import { withEvent } from './with-event.ts'
import { lostTold, WARNING_MS, type WorkerContext, workerSetup } from './worker-setup.ts'

export type {
  BeatHeard,
  DrainAsked,
  HelloHeard,
  LostTold,
  WorkerContext,
  WorkerEvent,
  WorkerInput
} from './worker-setup.ts'

// D981: the alarm of a healthy worker is set every 5 s, not with each heartbeat
/** Source: http-api "Worker". */
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

// D1002: a worker of an earlier release has no fence: nothing of it becomes certain by time
/** A lost worker without a fence is waited for, until it is forgotten. */
const untilFenced = {
  src: 'alarm' as const,
  input: ({ context: c }: { context: WorkerContext }): AlarmInput => ({
    dueAt: c.silentSince + (c.fences ? c.fenceAfterMs : FORGOTTEN_MS)
  })
}

const couldNotHear = { description: 'The engine could not have heard it.', guard: 'isAway' } as const

/** Transitions of both states of silence: the next heartbeat makes the worker healthy. */
const heardAgain = workerSetup.createStateConfig({
  on: {
    'beat.heard': [
      { guard: withEvent('isDeaf'), target: 'healthy', actions: [withEvent('noteBeat'), 'askHello'] },
      { guard: withEvent('isCurrent'), target: 'healthy', actions: [withEvent('noteBeat'), withEvent('acknowledge')] }
    ]
  }
}).on

/** Transitions of a worker that does not take part, when it says hello. */
const greeted = workerSetup.createStateConfig({
  on: {
    'hello.heard': [
      {
        guard: withEvent('isWelcome'),
        target: '#worker.serving',
        actions: [withEvent('noteHello'), withEvent('welcome'), 'sayBack']
      },
      { target: '#worker.incompatible', reenter: true, actions: [withEvent('noteRefused'), 'refuse'] }
    ],
    'hello.garbled': { target: '#worker.incompatible', reenter: true, actions: [withEvent('noteGarbled'), 'refuse'] },
    'flood.heard': { target: '#worker.incompatible', reenter: true, actions: [withEvent('noteGarbled'), 'refuse'] }
  }
}).on

// D980: a worker is an actor beside the engine's root, not below it
export const workerMachine = workerSetup.createMachine({
  id: 'worker',
  description: 'A worker that has said hello: it is known by the id of its home folder.',
  context: ({ input: { home, at, speaks, lostAfterMs, fenceAfterMs } }) => ({
    home,
    speaks,
    lostAfterMs,
    fenceAfterMs,
    fences: false,
    isDeaf: false,
    session: '',
    beat: 0,
    load: {},
    refusal: '',
    away: false,
    greetedAt: at,
    heardAt: at,
    silentSince: at,
    drain: undefined,
    isLeaving: false,
    isLate: false,
    hasStoppedRuns: false
  }),
  always: {
    description: 'Its time to drain is over: what it has is stopped, once.',
    guard: 'hasRunsToStop',
    actions: ['noteRunsStopped', 'stopRuns']
  },
  initial: 'greeting',
  on: {
    'offers.unanswered': {
      description: 'It is offered nothing more, and asked to say hello: what it listens to, it listens to again then.',
      actions: 'noteDeaf'
    },
    'engine.disconnected': {
      description: 'Whatever is silent from now on may be so because of the engine.',
      actions: 'noteAway'
    },
    'drain.asked': {
      description: 'Healthy or not: it hears of it with the answer to its next heartbeat.',
      actions: withEvent('noteDrain')
    }
  },
  states: {
    greeting: {
      description: 'The engine has not heard of it before.',
      on: greeted
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
            actions: [withEvent('noteHello'), withEvent('welcome'), 'sayBack']
          },
          { target: 'incompatible', actions: [withEvent('noteRefused'), 'refuse'] }
        ],
        'hello.garbled': {
          description: 'The worker that serves is not harmed by it: others may have said that.',
          actions: withEvent('refuseGarbled')
        },
        'flood.heard': {
          description:
            'It is listed as incompatible and gets no further run as long as it floods; what it has goes on.',
          actions: [withEvent('noteFlood'), withEvent('refuseGarbled')]
        },
        'beat.heard': [
          {
            description: 'A later process of the same home, whose hello an engine has heard that was killed then.',
            guard: withEvent('isLater'),
            actions: 'askHello'
          },
          {
            description: 'A process of the same home that said hello before the present one: it should leave.',
            actions: 'refuseReplaced'
          }
        ]
      },
      states: {
        healthy: {
          description: 'It was heard less than 5 s ago, and may be offered work.',
          tags: 'healthy',
          invoke: { id: 'silence', ...silentFor(WARNING_MS) },
          on: {
            'beat.heard': [
              { guard: withEvent('isDeaf'), actions: [withEvent('noteBeat'), 'askHello'] },
              { guard: withEvent('isCurrent'), actions: [withEvent('noteBeat'), withEvent('acknowledge')] }
            ],
            'alarm.rang': [
              couldNotHear,
              {
                description: 'It was heard in the meantime: the alarm is set again, not with each heartbeat.',
                guard: withEvent('wasHeard'),
                actions: 'waitOn'
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
            ...heardAgain,
            'alarm.rang': [couldNotHear, { target: 'unhealthy' }],
            'engine.connected': { target: 'warning', reenter: true, actions: withEvent('noteBack') }
          }
        },
        unhealthy: {
          description: 'It has been silent for longer; it may still come back.',
          tags: 'unhealthy',
          invoke: silentForLost,
          on: {
            ...heardAgain,
            'alarm.rang': [couldNotHear, { target: '#worker.lost' }],
            'engine.connected': { target: 'unhealthy', reenter: true, actions: withEvent('noteBack') }
          }
        }
      }
    },
    lost: {
      description: 'It has been silent for `lostAfter`. Its runs are told; it is welcome when it comes back.',
      initial: 'unsure',
      on: {
        'hello.heard': [
          { guard: withEvent('isOutdated'), actions: 'refuseReplaced' },
          {
            guard: withEvent('isWelcome'),
            target: 'serving',
            actions: [withEvent('noteHello'), withEvent('welcome'), 'sayBack']
          },
          { target: 'incompatible', actions: [withEvent('noteRefused'), 'refuse'] }
        ],
        'hello.garbled': {
          description: 'Nothing follows from it.',
          actions: withEvent('refuseGarbled')
        },
        'flood.heard': { description: 'The same.', actions: withEvent('refuseGarbled') },
        'beat.heard': [
          {
            guard: withEvent('isCurrent'),
            target: 'serving.healthy',
            actions: [withEvent('noteBeat'), withEvent('acknowledge'), 'sayBack']
          },
          { guard: withEvent('isLater'), actions: 'askHello' },
          { description: 'Another process of its home was the last to say hello.', actions: 'refuseReplaced' }
        ]
      },
      states: {
        unsure: {
          description: 'It may still have something at work, unless its fence has ended that.',
          entry: { type: 'sayLost', params: ({ context }) => lostTold(context) },
          invoke: untilFenced,
          on: {
            'alarm.rang': [couldNotHear, { guard: 'fences', target: 'fenced' }, { target: '#worker.forgotten' }],
            'engine.connected': { target: 'unsure', reenter: true, actions: withEvent('noteBack') }
          }
        },
        fenced: {
          description: 'It is certain that nothing of it is at work any more: what it had may begin elsewhere.',
          entry: 'sayFenced',
          invoke: silentFor(FORGOTTEN_MS),
          on: {
            'alarm.rang': [couldNotHear, { target: '#worker.forgotten' }],
            'engine.connected': { target: 'fenced', reenter: true, actions: withEvent('noteBack') }
          }
        }
      }
    },
    incompatible: {
      description: 'It was refused and gets nothing. It is listed with the reason as long as it asks again.',
      invoke: silentForLost,
      on: {
        ...greeted,
        'beat.heard': { description: 'What it says counts once it is welcome.', actions: 'askHello' },
        'alarm.rang': [couldNotHear, { target: 'forgotten' }],
        'engine.connected': { target: 'incompatible', reenter: true, actions: withEvent('noteBack') }
      }
    },
    forgotten: {
      description: 'Nothing is known of it any more; its next hello is its first.',
      type: 'final'
    }
  }
})
