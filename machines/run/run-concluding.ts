/** The handlers of a run, once every node is resolved: a state of the chart in `run.ts`. Source: execution-semantics 7.1.6, 7.3.6, 8. */
import { withEvent } from '../with-event.ts'
import { runSetup } from './run-setup.ts'

/** A mail that throws does not affect the run. */
export const mailFaulted = runSetup.createStateConfig({
  on: { 'xstate.error.actor.mail.*': { actions: withEvent('dropMail') } }
}).on

export const concluding = runSetup.createStateConfig({
  description:
    'Every node is resolved. The handler for success, failure or cancel runs, then the exit handler. Only a forced stop cuts them short.',
  tags: 'running',
  entry: ['disarmTimeout', { type: 'armLimit', params: ({ context }) => context }],
  exit: 'disarmLimit',
  initial: 'choosing',
  on: {
    'handlers.limited': { guard: 'isUnlimited', actions: ['noteLimit', withEvent('armLimit')] },
    'alarm.rang': {
      description: 'The server does not wait any longer.',
      guard: withEvent('handlersOver'),
      actions: ['noteKill', withEvent('stopHandler'), withEvent('killHandler')]
    },
    'run.kill': [
      { guard: 'gracePeriodOver', actions: ['noteKill', withEvent('stopHandler'), withEvent('killHandler')] },
      { actions: 'noteGracePeriodOver' }
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
          actions: [withEvent('dropNode'), withEvent('noteHandlerEnd'), withEvent('mailIfFailed')]
        },
        ...mailFaulted,
        'xstate.error.actor.*': {
          target: 'answered',
          actions: [withEvent('dropNode'), 'noteHandlerFault', withEvent('mailIfFailed')]
        }
      }
    },
    answered: {
      description: 'The exit handler comes last, however the other one ended.',
      always: [{ guard: 'hasExitHandler', target: 'exiting' }, { target: '#run.ending' }]
    },
    exiting: {
      description: 'The exit handler.',
      entry: 'startExitHandler',
      on: {
        'xstate.done.actor.*': {
          target: '#run.ending',
          actions: [withEvent('dropNode'), withEvent('noteHandlerEnd'), withEvent('mailIfFailed')]
        },
        ...mailFaulted,
        'xstate.error.actor.*': {
          target: '#run.ending',
          actions: [withEvent('dropNode'), 'noteHandlerFault', withEvent('mailIfFailed')]
        }
      }
    }
  }
})
