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
        actions: [
          { type: 'notePreparation', params: ({ event: { retry, conditions } }) => ({ retry, conditions }) },
          withEvent('noteTexts'),
          'planDeadline'
        ]
      },
      {
        guard: withEvent('metAndSleeps'),
        target: 'sleeping',
        actions: [
          { type: 'notePreparation', params: ({ event: { retry, conditions } }) => ({ retry, conditions }) },
          withEvent('noteTexts'),
          'planWake'
        ]
      },
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
    'signal.given': { actions: withEvent('noteGiven') },
    'node.unprepared': { target: 'failed', actions: withEvent('noteFault') },
    'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
  }
})
