/**
 * One step of one run: its preconditions, its attempts and passes and the waits between them. Handlers are nodes too.
 * States of steps that repeat are in `node-repeat.ts`, that of one cut off by a restart in `node-interrupt.ts`, what the names mean in
 * `node-setup.ts`.
 * Source: definition-format "Step fields", execution-semantics 5.2, 6, 7, 13.5.3.
 */
import { attemptOf } from './node-context.ts'
import { interrupting } from './node-interrupt.ts'
import { finishing, passed, repeating, settling, testing } from './node-repeat.ts'
import { nodeSetup } from './node-setup.ts'
import { TIMED_OUT } from './node-setup-stopping.ts'
import type { AlarmInput } from './slots.ts'
import type { NodeStatus } from './vocabulary.ts'
import { withEvent } from './with-event.ts'

export type { AttemptCommand, AttemptEnded, AttemptInput, NodePlace } from './attempt.ts'
export { callOf, mayResume, type NodeContext, type NodeInput, type NodeOutput } from './node-context.ts'
export type { NodeEvent, NodeStop } from './node-events.ts'

/** A process that must end: asked, asked again, then killed. */
const untilItEnds = nodeSetup.createStateConfig({
  entry: 'disarmTimeout',
  initial: 'asked',
  states: {
    asked: {
      description: 'Waiting for the process to end by itself.',
      invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.remindAt }) },
      on: {
        'node.kill': { target: 'killed', actions: withEvent('planKillNow') },
        'alarm.rang': [
          { guard: withEvent('killDue'), target: 'killed', actions: withEvent('planReminder') },
          { target: 'asked', reenter: true, actions: ['askAgain', withEvent('planReminder')] }
        ]
      }
    },
    killed: {
      description: 'The clean-up time is over: the whole group is killed, and again if a restart has lost that.',
      entry: 'kill',
      invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.remindAt }) },
      on: {
        'node.kill': { actions: 'kill' }, // it may come with force, which what it calls has not heard yet
        'alarm.rang': {
          guard: withEvent('reminderDue'),
          target: 'killed',
          reenter: true,
          actions: withEvent('planReminder')
        }
      }
    }
  }
})

export const nodeMachine = nodeSetup.createMachine({
  id: 'node',
  description: 'One step of one run: from the moment its dependencies let it go to its end.',
  context: ({ input }) => ({
    startedAt: input.at,
    attempt: 0,
    retryCount: 0,
    doneCount: 0,
    continues: false,
    dueAt: 0,
    timeoutAt: 0,
    remindAt: 0,
    killAt: 0,
    ...input
  }),
  initial: 'picked',
  output: ({ context: c, event }) => ({
    place: c.place,
    status: (event as unknown as { output: NodeStatus }).output, // of the final state that was reached
    continues: c.continues,
    at: Math.max(c.finishedAt ?? c.at, c.heardAt ?? 0)
  }),
  states: {
    picked: {
      description: 'Just released. A step without preconditions goes straight to its first attempt.',
      tags: 'running',
      always: [
        { guard: 'nothingToPrepare', target: 'attempting', actions: 'takeRetryAsWritten' },
        { target: 'preparing' }
      ]
    },
    preparing: {
      description:
        'Its preconditions are being looked at, before the first attempt only. One that does not hold skips the step.',
      tags: 'running',
      invoke: { id: 'preparation', src: 'preparation', input: ({ context }) => attemptOf(context) },
      on: {
        'node.prepared': [
          {
            guard: withEvent('conditionsMet'),
            target: 'attempting',
            actions: { type: 'notePreparation', params: ({ event: { retry, conditions } }) => ({ retry, conditions }) }
          },
          {
            target: 'skipped',
            actions: [
              { type: 'notePreparation', params: ({ event: { retry, conditions } }) => ({ retry, conditions }) },
              withEvent('noteSkip')
            ]
          }
        ],
        'node.unprepared': { target: 'failed', actions: withEvent('noteFault') },
        'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
      }
    },
    attempting: {
      description: 'An execution is at work. It outlives `executing`, so that a stop can wait for it.',
      entry: ['beginAttempt', 'startAttempt'],
      exit: ['disarmTimeout', 'dropAttempt'],
      initial: 'executing',
      states: {
        executing: {
          description: 'The executor runs the step.',
          tags: 'running',
          on: {
            'attempt.began': { actions: withEvent('armTimeout') },
            'attempt.unsupported': 'unsupported',
            'attempt.found': { guard: 'mayNotResume', target: 'interrupting', actions: withEvent('planKill') },
            'attempt.ended': [
              {
                guard: withEvent('retryDue'),
                target: '#node.waiting',
                actions: [withEvent('noteEnd'), withEvent('planRetry')]
              },
              { guard: 'repeats', target: '#node.passed', actions: [withEvent('noteEnd'), withEvent('notePass')] },
              {
                guard: withEvent('okInPart'),
                target: '#node.partially_succeeded',
                actions: [withEvent('noteEnd'), withEvent('noteDone')]
              },
              {
                guard: withEvent('ok'),
                target: '#node.succeeded',
                actions: [withEvent('noteEnd'), withEvent('noteDone')]
              },
              {
                guard: withEvent('marksSuccess'),
                target: '#node.succeeded',
                actions: [withEvent('noteEnd'), withEvent('noteDone')]
              },
              { target: '#node.failed', actions: [withEvent('noteEnd'), withEvent('noteDone'), 'noteContinue'] }
            ],
            'alarm.rang': { target: 'expiring', actions: [withEvent('planKill'), 'askToStop'] },
            'node.stop': [
              { guard: withEvent('finishesPass'), target: 'finishing', actions: withEvent('planKill') },
              { target: 'stopping', actions: [withEvent('planKill'), 'askToStop'] }
            ]
          }
        },
        unsupported: {
          description:
            'This engine lacks the executor, as one does that opens the home of a host application. The execution waits, not begun, or as it was, for an engine that has it.',
          tags: 'running',
          on: {
            'attempt.supported': 'executing',
            'node.stop': { target: 'stopping', actions: [withEvent('planKill'), 'askToStop'] }
          }
        },
        finishing,
        interrupting,
        stopping: {
          ...untilItEnds,
          description: 'Asked to stop: signalOnStop first, SIGTERM every 5 s, SIGKILL when the clean-up time is over.',
          tags: 'canceled',
          on: {
            'attempt.ended': [
              {
                description:
                  'It had ended well before it was asked to, and an engine that was not there could not hear of it.',
                guard: withEvent('endedWellBefore'),
                target: '#node.succeeded',
                actions: [withEvent('noteEnd'), withEvent('noteDone')]
              },
              { target: '#node.canceled', actions: [withEvent('noteEnd'), withEvent('noteCancel')] }
            ]
          }
        },
        expiring: {
          ...untilItEnds,
          entry: 'dropTimeout',
          description: 'timeoutSec is over: ended like a stop, but the step fails with code 124.',
          tags: 'running',
          on: {
            'attempt.ended': [
              {
                description: 'It had ended in time, and an engine that was not there could not hear of it.',
                guard: withEvent('endedInTime'),
                target: 'executing',
                actions: withEvent('hearInTime')
              },
              { guard: 'repeats', target: '#node.passed', actions: [withEvent('noteExpiry'), withEvent('notePass')] },
              {
                guard: { type: 'marksSuccess', params: ({ event }) => ({ ...event, exitCode: TIMED_OUT }) },
                target: '#node.succeeded',
                actions: [withEvent('noteExpiry'), withEvent('noteDone')]
              },
              { target: '#node.failed', actions: [withEvent('noteExpiry'), withEvent('noteDone'), 'noteContinue'] }
            ],
            'node.stop': { target: 'stopping', actions: 'askToStop' }
          }
        }
      }
    },
    waiting: {
      description: 'Between attempts, until retryPolicy.intervalSec has passed; the wait outlives the process.',
      tags: 'running',
      invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.dueAt }) },
      on: {
        'alarm.rang': { target: 'attempting', actions: 'clearError' },
        'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
      }
    },
    passed,
    testing,
    repeating,
    settling,
    succeeded: {
      description: 'The last execution succeeded, or its failure counts as success.',
      type: 'final',
      tags: 'succeeded',
      output: 'succeeded'
    },
    partially_succeeded: {
      description: 'The sub DAG run succeeded, but only partially.',
      type: 'final',
      tags: 'partially_succeeded',
      output: 'partially_succeeded'
    },
    failed: {
      description: 'The last execution failed and is not tried again.',
      type: 'final',
      tags: 'failed',
      output: 'failed'
    },
    skipped: { description: 'A precondition did not hold.', type: 'final', tags: 'skipped', output: 'skipped' },
    canceled: { description: 'Stopped before its end.', type: 'final', tags: 'canceled', output: 'canceled' }
  }
})

/** The status a snapshot stands for: the tag of its innermost state. */
export const statusOf = (snapshot: { tags: ReadonlySet<string> }): NodeStatus => {
  const [tag = 'not_started'] = snapshot.tags
  return tag as NodeStatus // tags are typed as statuses by `setup`
}
