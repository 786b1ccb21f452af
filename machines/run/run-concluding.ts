/** The handlers of a run, once every node is settled: a state of the chart in `run.ts`. Source: execution-semantics 7.1.6, 7.3.6, 8. */
import { withEvent } from '../with-event.ts'
import { runSetup } from './run-setup.ts'

/** A mail that throws has no say in the run. */
export const mailFaulted = runSetup.createStateConfig({
  on: { 'xstate.error.actor.mail.*': { actions: withEvent('dropMail') } }
}).on

export const concluding = runSetup.createStateConfig({
  description:
    'Every node is settled. One of success, failure and cancel is answered by its handler, then exit. No stop cuts them short: that takes force.',
  tags: 'running',
  entry: ['disarmTimeout', { type: 'armLimit', params: ({ context }) => context }],
  exit: 'disarmLimit',
  initial: 'choosing',
  on: {
    'handlers.limited': { guard: 'isUnlimited', actions: ['noteLimit', withEvent('armLimit')] },
    'alarm.rang': {
      description: 'The server waits no longer.',
      guard: withEvent('handlersOver'),
      actions: ['noteKill', withEvent('stopHandler'), withEvent('killHandler')]
    },
    'run.kill': [
      { guard: 'wasHurried', actions: ['noteKill', withEvent('stopHandler'), withEvent('killHandler')] },
      { actions: 'noteHurry' }
    ],
    'run.force': { actions: ['noteKill', withEvent('stopHandler'), withEvent('killHandler')] }
  },
  states: {
    choosing: {
      description: 'The status so far decides which handler runs.',
      always: [
        { guard: 'hasOutcomeHandler', target: 'answering' },
        { guard: 'hasExitHandler', target: 'exiting' },
        { target: '#run.ending' }
      ]
    },
    answering: {
      description: 'The handler for success, failure or cancel.',
      entry: 'startOutcomeHandler',
      on: {
        'xstate.done.actor.*': {
          target: 'answered',
          actions: [withEvent('dropNode'), withEvent('settleHandler'), withEvent('mailIfFailed')]
        },
        ...mailFaulted,
        'xstate.error.actor.*': {
          target: 'answered',
          actions: [withEvent('dropNode'), 'settleHandlerFault', withEvent('mailIfFailed')]
        }
      }
    },
    answered: {
      description: 'The exit handler comes last, whatever the other did.',
      always: [{ guard: 'hasExitHandler', target: 'exiting' }, { target: '#run.ending' }]
    },
    exiting: {
      description: 'The exit handler.',
      entry: 'startExitHandler',
      on: {
        'xstate.done.actor.*': {
          target: '#run.ending',
          actions: [withEvent('dropNode'), withEvent('settleHandler'), withEvent('mailIfFailed')]
        },
        ...mailFaulted,
        'xstate.error.actor.*': {
          target: '#run.ending',
          actions: [withEvent('dropNode'), 'settleHandlerFault', withEvent('mailIfFailed')]
        }
      }
    }
  }
})
