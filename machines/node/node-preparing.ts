/**
 * The first states of the chart in `node.ts`: until what comes before the first execution, or before a wait, has been evaluated.
 * Source: execution-semantics 5.2, 5.6, 6.1.6.
 */
import { withEvent } from '../with-event.ts'
import { attemptOf } from './node-context.ts'
import { nodeSetup } from './node-setup.ts'

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
    'node.lacking': [
      { guard: withEvent('failsWithout'), target: 'failed', actions: withEvent('noteFailedWithout') },
      { target: 'missing', actions: withEvent('noteLack') }
    ],
    'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
  }
})
