/**
 * The states of the chart in `node.ts` in which no execution is at work: before the first, in place of one, and between the passes of a
 * step with a `repeatPolicy`. A step of the type `signal`, `approval` or `sleep` has no execution: what it waits for comes from outside, or
 * is the time.
 * Source: execution-semantics 5.2, 5.6, 6.1.6, 6.2, 7.3.5, 13.5; embedding 2.5; distribution 4; docs/executors/signal.md,
 * docs/executors/function.md.
 */
import { DIED_TWICE } from '../policy/deaths.ts'
import type { AlarmInput } from '../slots.ts'
import { withEvent } from '../with-event.ts'
import { attemptOf, nodeSetup } from './node-setup.ts'

/** The process has ended while functions of the host application were asked. */
const DIED_ASKING = [
  {
    description: 'For the second time in a row: its functions are not called a third time.',
    guard: 'preparationDiesAgain',
    target: 'failed',
    actions: [
      'notePreparationDeath',
      { type: 'noteFault', params: ({ event: { at } }: { event: { at: number } }) => ({ at, error: DIED_TWICE }) }
    ]
  },
  { actions: 'notePreparationDeath' }
] as const

export const picked = nodeSetup.createStateConfig({
  description: 'Just picked up. A step without preconditions goes straight to its first attempt, or to its wait.',
  tags: 'running',
  always: [
    { guard: 'awaitsAtOnce', target: 'awaiting', actions: 'planDeadline' },
    { guard: 'sleepsAtOnce', target: 'sleeping', actions: 'planWake' },
    { guard: 'mustMove', target: 'placing' },
    { guard: 'isPrepared', target: 'attempting' },
    { guard: 'nothingToPrepare', target: 'attempting', actions: 'takeRetryAsWritten' },
    { target: 'preparing' }
  ]
})

export const preparing = nodeSetup.createStateConfig({
  description:
    'Its preconditions are being evaluated, before the first attempt only. If one does not hold, the step is skipped.',
  tags: 'running',
  invoke: { id: 'preparation', src: 'preparation', input: ({ context }) => attemptOf(context) },
  on: {
    'node.prepared': [
      {
        guard: withEvent('metAndAwaits'),
        target: 'awaiting',
        actions: [withEvent('notePreparation'), withEvent('noteTexts'), 'planDeadline']
      },
      {
        guard: withEvent('metAndSleeps'),
        target: 'sleeping',
        actions: [withEvent('notePreparation'), withEvent('noteTexts'), 'planWake']
      },
      {
        guard: withEvent('conditionsMet'),
        target: 'attempting',
        actions: withEvent('notePreparation')
      },
      {
        target: 'skipped',
        actions: [withEvent('notePreparation'), withEvent('noteSkip')]
      }
    ],
    'worker.lost': [
      { guard: 'waitsForWorker', actions: withEvent('noteLoss') },
      { guard: 'requeueLeft', target: 'placing', actions: [withEvent('noteLoss'), 'noteRequeue'] },
      { target: 'failed', actions: [withEvent('noteLoss'), withEvent('noteLostFault')] }
    ],
    'signal.given': { actions: withEvent('noteGiven') },
    'node.unprepared': { target: 'failed', actions: withEvent('noteFault') },
    'preparation.died': DIED_ASKING,
    'node.lacking': [
      { guard: withEvent('failsWithout'), target: 'failed', actions: withEvent('noteFailedWithout') },
      { target: 'missing', actions: withEvent('noteLack') }
    ],
    'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
  }
})

// D1050: a run waits as a whole for code that an engine lacks
export const missing = nodeSetup.createStateConfig({
  description:
    'This engine has no function or executor of that name, for example because it opened the home of a host application. The step, begun or not, waits for an engine that has it.',
  tags: 'running',
  invoke: { id: 'registration', src: 'registration', input: ({ context }) => attemptOf(context) },
  on: {
    'function.registered': [
      { guard: 'holdsPass', target: 'testing', actions: ['noteFound', 'releasePass'] },
      { guard: 'holdsAttempt', target: 'attempting', actions: 'noteFound' },
      { target: 'preparing', actions: 'noteFound' }
    ],
    'signal.given': { actions: withEvent('noteGiven') },
    'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
  }
})

export const placing = nodeSetup.createStateConfig({
  description:
    'The worker of its run is lost, and it has nothing there: it waits until the run has another one, a handler for a limited time.',
  tags: 'running',
  entry: [
    { type: 'askPlacement', params: ({ event }) => event },
    { type: 'armPlacing', params: ({ event }) => event }
  ],
  exit: 'disarmPlacing',
  on: {
    'worker.fenced': { actions: withEvent('askPlacement') },
    'worker.replaced': { target: 'picked', actions: ['noteBack', withEvent('notePlacement')] },
    'worker.back': { target: 'picked', actions: 'noteBack' },
    'alarm.rang': { target: 'failed', actions: [withEvent('noteLostFault'), 'noteNotTaken'] },
    'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
  }
})

// D1073: a payload that is there before its step is taken by the same state
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

// D31: when a repeating step is stopped, its last pass decides
export const passed = nodeSetup.createStateConfig({
  description: 'A pass of a repeating step has ended, its retries included. What follows is decided here.',
  tags: 'running',
  always: [
    { guard: 'passesUsedUp', target: 'settling' },
    { guard: 'passFailed', target: 'settling' },
    { guard: 'hasRepeatCondition', target: 'testing' },
    { guard: 'repeatsByCode', target: 'repeating', actions: 'planRepeat' },
    { target: 'settling' }
  ]
})

export const testing = nodeSetup.createStateConfig({
  description: 'The condition of repeatPolicy is being evaluated, or its function asked, with the output of the pass.',
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
    'condition.failed': { target: 'failed', actions: withEvent('noteFault') },
    'condition.died': DIED_ASKING,
    'node.lacking': [
      { guard: withEvent('failsWithout'), target: 'failed', actions: withEvent('noteFailedWithout') },
      { target: 'missing', actions: [withEvent('noteLack'), 'holdPass'] }
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
