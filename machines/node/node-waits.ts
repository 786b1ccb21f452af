/**
 * The states that only a step of the types `signal`, `approval` and `sleep` has, of the chart in `node.ts`. Such a step has no executor
 * at work: what it waits for comes from outside, or is the time. Source: embedding 2.5; docs/executors/signal.md.
 */
import type { AlarmInput } from '../slots.ts'
import { withEvent } from '../with-event.ts'
import { nodeSetup } from './node-setup.ts'

// D1073
export const awaiting = nodeSetup.createStateConfig({
  description:
    'It waits for a signal or an approval, until timeoutSec is over if it has one. The wait outlives the process, and holds none.',
  tags: 'running',
  entry: 'armDeadline',
  exit: 'disarmDeadline',
  always: [
    { guard: 'isRefused', target: 'failed', actions: ['noteRefusal', 'noteContinue'] },
    { guard: 'isGiven', target: 'succeeded', actions: 'noteTaken' }
  ],
  on: {
    'signal.given': { actions: withEvent('noteGiven') },
    'alarm.rang': [
      { guard: 'timeoutSucceeds', target: 'succeeded', actions: withEvent('noteOver') },
      { guard: 'timeoutSkips', target: 'skipped', actions: withEvent('noteOverSkipped') },
      { guard: 'timeoutCountsAsSuccess', target: 'succeeded', actions: withEvent('noteOverFailed') },
      { target: 'failed', actions: [withEvent('noteOverFailed'), 'noteContinue'] }
    ],
    'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
  }
})

export const sleeping = nodeSetup.createStateConfig({
  description: 'It sleeps until an instant that a restart does not move.',
  tags: 'running',
  invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.dueAt }) },
  on: {
    'alarm.rang': { target: 'succeeded', actions: withEvent('noteOver') },
    'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
  }
})
