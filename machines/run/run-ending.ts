/** What is left when every node and handler has ended: states of the chart in `run.ts`. Source: execution-semantics 8. */
import { withEvent } from '../with-event.ts'
import { mailFaulted } from './run-concluding.ts'
import { runSetup } from './run-setup.ts'

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
