/**
 * What a step with a `repeatPolicy` can be beside what every step can be: states of the chart in `node.ts`.
 * Source: execution-semantics 6.2, 7.3.5.
 */
import { attemptOf, nodeSetup } from './node-setup.ts'
import type { AlarmInput } from './slots.ts'

export const passed = nodeSetup.createStateConfig({
  description: 'A pass of a repeating step is over, its retries included: whether another one follows.',
  tags: 'running',
  always: [
    { guard: 'passesUsedUp', target: 'settling' },
    { guard: 'hasRepeatCondition', target: 'testing' },
    { guard: 'repeatsByCode', target: 'repeating', actions: 'planRepeat' },
    { target: 'settling' }
  ]
})

export const testing = nodeSetup.createStateConfig({
  description: 'The condition of repeatPolicy is being evaluated, with what the pass wrote.',
  tags: 'running',
  invoke: { id: 'repetition', src: 'repetition', input: ({ context }) => ({ ...attemptOf(context), over: true }) },
  on: {
    'condition.checked': [
      {
        guard: { type: 'repeatsByCondition', params: ({ event }) => event },
        target: 'repeating',
        actions: [{ type: 'noteDecision', params: ({ event }) => event }, 'planRepeat']
      },
      { target: 'settling', actions: { type: 'noteDecision', params: ({ event }) => event } }
    ],
    'node.stop': [
      {
        guard: { type: 'stopsAtOnce', params: ({ event }) => event },
        target: 'canceled',
        actions: { type: 'noteCancel', params: ({ event }) => event }
      },
      { target: 'settling', actions: { type: 'noteDecision', params: ({ event }) => event } }
    ]
  }
})

export const repeating = nodeSetup.createStateConfig({
  description: 'Between two passes, until repeatPolicy.intervalSec has passed; the wait outlives the process.',
  tags: 'running',
  invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.dueAt }) },
  on: {
    'alarm.rang': { target: 'attempting', actions: 'clearError' },
    'node.stop': [
      {
        guard: { type: 'stopsAtOnce', params: ({ event }) => event },
        target: 'canceled',
        actions: { type: 'noteCancel', params: ({ event }) => event }
      },
      { target: 'settling', actions: { type: 'noteDecision', params: ({ event }) => event } }
    ]
  }
})

export const settling = nodeSetup.createStateConfig({
  description: 'A repeating step has had its last pass: that one decides what the step ends as.',
  tags: 'running',
  entry: 'noteLastPass',
  always: [
    { guard: 'endedInPart', target: 'partially_succeeded' },
    { guard: 'endedWell', target: 'succeeded' },
    { guard: 'endedAsSuccess', target: 'succeeded' },
    { target: 'failed', actions: 'noteContinue' }
  ]
})

/** Stands in `attempting`, beside `executing`. */
export const finishing = nodeSetup.createStateConfig({
  description:
    'Asked to stop, but it repeats: the pass at work is its last, and is killed when the clean-up time is over.',
  tags: 'running',
  invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.killAt }) },
  on: {
    'attempt.began': { actions: { type: 'armTimeout', params: ({ event }) => event } },
    'attempt.found': { guard: 'mayNotResume', target: 'stopping.killed' },
    'attempt.ended': {
      target: '#node.settling',
      actions: [
        { type: 'noteEnd', params: ({ event }) => event },
        { type: 'notePass', params: ({ event }) => event }
      ]
    },
    'node.kill': { target: 'stopping.killed', actions: { type: 'planKillNow', params: ({ event }) => event } },
    'alarm.rang': [
      {
        guard: { type: 'killDue', params: ({ event }) => event },
        target: 'stopping.killed',
        actions: { type: 'planReminder', params: ({ event }) => event }
      },
      { target: 'stopping', actions: 'askToStop' } // timeoutSec of the pass
    ]
  }
})
