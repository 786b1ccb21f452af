/**
 * What becomes of a node whose worker is lost: states of the chart in `node.ts`. What the worker had begun may still be at work there,
 * so nothing is begun a second time before it is certain that it is not. Source: distribution 4, D4, D6, D7, D13.
 */
import { withEvent } from '../with-event.ts'
import { attemptEnded } from './node-ended.ts'
import { nodeSetup } from './node-setup.ts'

// D1000
/** Of children of `attempting`: the worker is lost while it has the execution, or may have begun it. */
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

/** Of both states below: what a worker that was taken for lost says after all counts. */
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

/** A child of `attempting`, next to `executing`. */
export const lost = nodeSetup.createStateConfig({
  description: 'Its worker is lost and onWorkerLost is `wait`: it waits until the worker is back, however long.',
  tags: 'running',
  on: untilItIsBack
})

/** A child of `attempting`, next to `executing`. */
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
