/**
 * The states within `attempting` of the chart in `node.ts`, next to `executing`: how an execution ends by itself, after a stop, its time
 * limit or a restart, and what becomes of it when its worker is lost. What a lost worker had begun may still be at work there, so nothing
 * is begun a second time before it is certain that it is not.
 * Source: execution-semantics 5.4, 6, 7.1, 7.3, 13.5.3; distribution 4, D4, D6, D7, D13.
 */
import type { AlarmInput } from '../slots.ts'
import { withEvent } from '../with-event.ts'
import { nodeSetup } from './node-setup.ts'
import { TIMED_OUT } from './node-stops.ts'

export const attemptEnded = nodeSetup.createStateConfig({
  on: {
    'attempt.ended': [
      {
        description: 'It ended after its time limit, before the alarm of that was heard.',
        guard: withEvent('outlived'),
        target: '#node.attempting.expiring',
        actions: [
          { type: 'planKill', params: ({ context: { timeoutAt } }) => ({ at: timeoutAt }) },
          withEvent('hearAgain')
        ]
      },
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
    ]
  }
}).on

// D1000: a run leaves a lost worker only once it is certain that nothing of it is at work there
/** Transitions of children of `attempting`: the worker is lost while it has the execution, or may have begun it. */
export const whenLost = nodeSetup.createStateConfig({
  on: {
    'worker.lost': [
      {
        description: 'Its sub DAG runs have workers of their own, and hear of it themselves.',
        guard: 'calls',
        actions: [withEvent('noteLoss'), withEvent('tellCall')]
      },
      { guard: 'waitsForWorker', target: 'lost', actions: withEvent('noteLoss') },
      { guard: 'mayGoOn', target: 'fencing', actions: withEvent('noteLoss') },
      {
        description: 'It may not be executed again: it fails as by its own end.',
        target: 'executing',
        actions: [withEvent('noteLoss'), withEvent('hearLoss')]
      }
    ]
  }
}).on

/** Transitions of both states below: what a worker that was taken for lost says after all counts. */
const untilItIsBack = nodeSetup.createStateConfig({
  on: {
    ...attemptEnded,
    'worker.back': { target: 'executing', actions: 'noteBack' },
    'attempt.began': { target: 'executing', actions: ['noteBack', withEvent('armTimeout')] },
    'attempt.found': [
      { guard: 'mayNotResume', target: 'interrupting', actions: ['noteBack', withEvent('planKill')] },
      { target: 'executing', actions: 'noteBack' }
    ],
    'alarm.rang': {
      description: 'Its time limit is over, and nobody can end it.',
      target: 'expiring',
      actions: [withEvent('planKill'), withEvent('hearLoss')]
    },
    'node.stop': { target: '#node.canceled', actions: withEvent('noteCancel') }
  }
}).on

export const lost = nodeSetup.createStateConfig({
  description: 'Its worker is lost and onWorkerLost is `wait`: it waits until the worker is back, however long.',
  tags: 'running',
  on: untilItIsBack
})

export const fencing = nodeSetup.createStateConfig({
  description:
    'Its worker is lost and it may be executed again: once it is certain that this execution has ended, unless the worker is back before.',
  tags: 'running',
  on: {
    ...untilItIsBack,
    'worker.fenced': [
      {
        description:
          'What it does on a third machine, or in a container of somebody else, cannot be ended: it is not begun again by itself.',
        guard: 'reachesFar',
        target: 'executing',
        actions: withEvent('hearLastLoss')
      },
      { guard: 'requeueLeft', target: '#node.placing', actions: 'noteRequeue' },
      { description: 'A failed attempt, which is retried.', target: 'executing', actions: withEvent('hearLoss') }
    ]
  }
})

// D34, D52: `onInterrupt` is about executions that started and have no recorded end
export const interrupting = nodeSetup.createStateConfig({
  description:
    'A restart interrupted the execution, and onInterrupt, or that its process has ended twice, does not allow it to continue: what is still running is killed.',
  tags: 'running',
  entry: ['disarmTimeout', 'kill'],
  invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.remindAt }) },
  on: {
    ...whenLost,
    'alarm.rang': { target: 'interrupting', reenter: true, actions: withEvent('planReminder') },
    'attempt.found': { actions: 'kill' }, // there was another restart
    'attempt.died': { actions: 'kill' },
    'attempt.missing': { target: '#node.missing', actions: withEvent('noteMissing') }, // into an engine without its code
    'attempt.ended': [
      {
        guard: 'mayRerun',
        target: '#node.attempting',
        reenter: true,
        actions: [withEvent('noteInterruption'), 'clearError']
      },
      {
        guard: withEvent('marksSuccess'),
        target: '#node.succeeded',
        actions: [withEvent('noteInterruption'), withEvent('noteDone')]
      },
      { target: '#node.failed', actions: [withEvent('noteInterruption'), withEvent('noteDone'), 'noteContinue'] }
    ],
    'node.stop': { target: 'stopping.killed', actions: withEvent('planKill') }
  }
})

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

export const finishing = nodeSetup.createStateConfig({
  description:
    'Asked to stop, but it repeats: the current pass is the last one, and is killed when the grace period is over.',
  tags: 'running',
  invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.killAt }) },
  on: {
    'worker.lost': [
      { guard: 'calls', actions: withEvent('noteLoss') },
      { actions: [withEvent('noteLoss'), withEvent('hearLoss')] }
    ],
    'attempt.began': { actions: [withEvent('armTimeout'), withEvent('noteDeathIfAny')] },
    'attempt.found': { guard: 'mayNotResume', target: 'stopping.killed' },
    'attempt.died': { guard: 'mayNotResume', target: 'stopping.killed' },
    'attempt.missing': { target: '#node.canceled', actions: withEvent('noteCancel') }, // nobody here can finish it
    'attempt.ended': { target: '#node.settling', actions: [withEvent('noteEnd'), withEvent('notePass')] },
    'node.kill': { target: 'stopping.killed', actions: withEvent('planKillNow') },
    'alarm.rang': [
      { guard: withEvent('killDue'), target: 'stopping.killed', actions: withEvent('planReminder') },
      { target: 'stopping', actions: 'askToStop' } // timeoutSec of the pass
    ]
  }
})
