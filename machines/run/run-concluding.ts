/**
 * The states of the chart in `run.ts` once every node is resolved: its handlers, and what is left when they have ended.
 * Source: execution-semantics 7.1.6, 7.3.6, 8.
 */
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

export const releasing = runSetup.createStateConfig({
  description:
    'Every handler has ended: the container of the run is being stopped and removed. A restart does it again.',
  tags: 'running',
  invoke: { id: 'release', src: 'release', input: ({ context }) => context.key },
  on: {
    'run.released': { target: 'ending', actions: 'noteRelease' },
    'worker.lost': {
      description: 'The worker removes it when it is back: the run is over then.',
      target: 'ending',
      actions: [withEvent('noteLoss'), 'noteRelease']
    }
  }
})

export const ending = runSetup.createStateConfig({
  description: 'Everything has ended; the nodes and handlers decide the final status.',
  tags: 'running',
  always: [
    { guard: 'holdsContainer', target: 'releasing' },
    { guard: 'mailDue', target: 'notifying' },
    { guard: { type: 'endsAs', params: { status: 'succeeded' } }, target: 'succeeded' },
    { guard: { type: 'endsAs', params: { status: 'partially_succeeded' } }, target: 'partially_succeeded' },
    { guard: { type: 'endsAs', params: { status: 'canceled' } }, target: 'canceled' },
    { target: 'failed' }
  ]
})

export const notifying = runSetup.createStateConfig({
  description:
    'Mail is being sent; whether that works does not change the status. Only a kill, a forced stop or a shutdown cuts it short.',
  tags: 'running',
  entry: 'sendRunMail',
  always: { guard: 'allMailOut', target: 'ending' },
  on: {
    ...mailFaulted,
    'handlers.limited': {
      description: 'The server shuts down and does not wait for a mail server.',
      target: 'ending',
      actions: ['noteLimit', 'giveUpMail']
    },
    'run.kill': { target: 'ending', actions: ['noteKill', 'giveUpMail'] },
    'run.force': { target: 'ending', actions: ['noteKill', 'giveUpMail'] }
  }
})
