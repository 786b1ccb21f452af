/**
 * How an execution that was asked to end, or has no time left, comes to its end: states of the chart in `node.ts`.
 * Source: execution-semantics 7.1, 7.3.
 */
import type { AlarmInput } from '../slots.ts'
import { withEvent } from '../with-event.ts'
import { nodeSetup } from './node-setup.ts'
import { TIMED_OUT } from './node-setup-stopping.ts'

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

/** Stands in `attempting`, beside `executing`. */
export const stopping = nodeSetup.createStateConfig({
  ...untilItEnds,
  description: 'Asked to stop: signalOnStop first, SIGTERM every 5 s, SIGKILL when the clean-up time is over.',
  tags: 'canceled',
  on: {
    'attempt.ended': [
      {
        description: 'It had ended well before it was asked to, and an engine that was not there could not hear of it.',
        guard: withEvent('endedWellBefore'),
        target: '#node.succeeded',
        actions: [withEvent('noteEnd'), withEvent('noteDone')]
      },
      { target: '#node.canceled', actions: [withEvent('noteEnd'), withEvent('noteCancel')] }
    ]
  }
})

/** Stands in `attempting`, beside `executing`. */
export const expiring = nodeSetup.createStateConfig({
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
})
