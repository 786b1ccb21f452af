/**
 * The states that only a step with a `repeatPolicy` has, of the chart in `node.ts`.
 * Source: execution-semantics 6.2, 7.3.5.
 */
import type { AlarmInput } from '../slots.ts'
import { withEvent } from '../with-event.ts'
import { attemptOf } from './node-context.ts'
import { nodeSetup } from './node-setup.ts'

// D31
export const passed = nodeSetup.createStateConfig({
  description: 'A pass of a repeating step has ended, its retries included. What follows is decided here.',
  tags: 'running',
  always: [
    { guard: 'passesUsedUp', target: 'settling' },
    { guard: 'hasRepeatCondition', target: 'testing' },
    { guard: 'repeatsByCode', target: 'repeating', actions: 'planRepeat' },
    { target: 'settling' }
  ]
})

export const testing = nodeSetup.createStateConfig({
  description: 'The condition of repeatPolicy is being evaluated, with the output of the pass.',
  tags: 'running',
  invoke: { id: 'repetition', src: 'repetition', input: ({ context }) => ({ ...attemptOf(context), over: true }) },
  on: {
    'condition.checked': [
      {
        guard: withEvent('repeatsByCondition'),
        target: 'repeating',
        actions: [withEvent('noteDecision'), 'planRepeat']
      },
      { target: 'settling', actions: withEvent('noteDecision') }
    ],
    'worker.lost': [
      { guard: 'waitsForWorker', actions: withEvent('noteLoss') },
      {
        description: 'Whether it goes on, nobody knows: it has not succeeded.',
        target: 'failed',
        actions: [withEvent('noteLoss'), withEvent('noteLostFault')]
      }
    ],
    'node.stop': [
      { guard: withEvent('stopsAtOnce'), target: 'canceled', actions: withEvent('noteCancel') },
      { target: 'settling', actions: withEvent('noteDecision') }
    ]
  }
})

export const repeating = nodeSetup.createStateConfig({
  description: 'Between two passes, until repeatPolicy.intervalSec has passed; the wait outlives the process.',
  tags: 'running',
  invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.dueAt }) },
  on: {
    'alarm.rang': [
      { guard: 'mustMove', target: 'placing', actions: 'clearError' },
      { target: 'attempting', actions: 'clearError' }
    ],
    'node.stop': [
      { guard: withEvent('stopsAtOnce'), target: 'canceled', actions: withEvent('noteCancel') },
      { target: 'settling', actions: withEvent('noteDecision') }
    ]
  }
})

export const settling = nodeSetup.createStateConfig({
  description: 'A repeating step has finished its last pass, which decides the final status.',
  tags: 'running',
  entry: 'noteLastPass',
  always: [
    { guard: 'endedInPart', target: 'partially_succeeded' },
    { guard: 'endedWell', target: 'succeeded' },
    { guard: 'endedAsSuccess', target: 'succeeded' },
    { target: 'failed', actions: 'noteContinue' }
  ]
})

/** A child of `attempting`, next to `executing`. */
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
