/**
 * How an execution ends that was asked to stop or has timed out: states of the chart in `node.ts`.
 * Source: execution-semantics 7.1, 7.3.
 */
import type { AlarmInput } from '../slots.ts'
import { withEvent } from '../with-event.ts'
import { nodeSetup } from './node-setup.ts'
import { TIMED_OUT } from './node-setup-stopping.ts'

/** The time limit, and a stop, while an attempt is at work or may be. */
export const whenCalledOff = nodeSetup.createStateConfig({
  on: {
    'alarm.rang': [
      { guard: 'isOutOfReach', target: 'expiring', actions: [withEvent('planKill'), withEvent('hearLoss')] },
      { target: 'expiring', actions: [withEvent('planKill'), 'askToStop'] }
    ],
    'node.stop': [
      { guard: 'isOutOfReach', target: '#node.canceled', actions: withEvent('noteCancel') },
      { guard: withEvent('finishesPass'), target: 'finishing', actions: withEvent('planKill') },
      { target: 'stopping', actions: [withEvent('planKill'), 'askToStop'] }
    ]
  }
}).on

/** Ending a process: SIGTERM, SIGTERM again, then SIGKILL. */
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
      description:
        'The grace period is over: the whole process group is killed, and killed again in case a restart lost the signal.',
      entry: 'kill',
      invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.remindAt }) },
      on: {
        'node.kill': { actions: 'kill' }, // it may come with force, which its sub runs have not received yet
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

/** A child of `attempting`, next to `executing`. */
export const stopping = nodeSetup.createStateConfig({
  ...untilItEnds,
  description: 'Asked to stop: first signalOnStop, then SIGTERM every 5 s, and SIGKILL when the grace period is over.',
  tags: 'canceled',
  on: {
    'worker.lost': [
      { guard: 'calls', actions: withEvent('noteLoss') },
      {
        description: 'Nobody can end it any more: the worker is told when it is back, or ends it by itself.',
        target: '#node.canceled',
        actions: [withEvent('noteLoss'), 'noteUnknown', withEvent('noteCancel')]
      }
    ],
    'attempt.ended': [
      {
        description: 'It had succeeded before it was asked to stop, but no engine was running to see it.',
        guard: withEvent('endedWellBefore'),
        target: '#node.succeeded',
        actions: [withEvent('noteEnd'), withEvent('noteDone')]
      },
      { target: '#node.canceled', actions: [withEvent('noteEnd'), withEvent('noteCancel')] }
    ]
  }
})

/** A child of `attempting`, next to `executing`. */
export const expiring = nodeSetup.createStateConfig({
  ...untilItEnds,
  entry: 'dropTimeout',
  description: 'timeoutSec is over: the execution is ended as by a stop, but the step fails with code 124.',
  tags: 'running',
  on: {
    'worker.lost': [
      { guard: 'calls', actions: withEvent('noteLoss') },
      { actions: [withEvent('noteLoss'), withEvent('hearLoss')] }
    ],
    'attempt.ended': [
      {
        description: 'It had ended in time, but no engine was running to see it.',
        guard: withEvent('endedInTime'),
        target: 'executing',
        actions: withEvent('hearAgain')
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
})
