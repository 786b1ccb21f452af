/** The root of the system: spawns the scheduler, queues and runs, and says what happens when one of them fails. Source: architecture 3. */
import { engineSetup } from './engine-setup.ts'
import { openCensus } from './policy/census.ts'
import { passing } from './policy/passing.ts'

export type { EngineContext, EngineEvent, EngineInput, RunEnding } from './engine-setup.ts'
export { runId } from './engine-setup.ts'

export const engineMachine = engineSetup.createMachine({
  id: 'engine',
  description: 'The root of the system. It never ends by itself, and no run, queue or scheduler takes it down.',
  context: ({ input: { at, queues = {}, held = false } }) => ({
    at,
    queues,
    held,
    census: openCensus(),
    restarts: {},
    requests: passing()
  }),
  initial: 'supervising',
  states: {
    supervising: {
      description: 'Requests go to their queue, admitted runs are let go, ended ones give their slot back.',
      invoke: { id: 'scheduler', src: 'scheduler', input: ({ context: { at } }) => ({ at }) },
      on: {
        'start.requested': {
          actions: [
            { type: 'keepRequest', params: ({ event }) => event },
            { type: 'openQueue', params: ({ event }) => event },
            { type: 'askStart', params: ({ event }) => event }
          ]
        },
        'enqueue.requested': {
          actions: [
            { type: 'keepRequest', params: ({ event }) => event },
            { type: 'openQueue', params: ({ event }) => event },
            { type: 'askEnqueue', params: ({ event }) => event }
          ]
        },
        'start.admitted': {
          actions: [
            { type: 'noteAdmitted', params: ({ event }) => event },
            { type: 'letGo', params: ({ event }) => event },
            { type: 'dropRequest', params: ({ event }) => event },
            { type: 'answer', params: ({ event }) => event }
          ]
        },
        'start.queued': {
          actions: [
            { type: 'noteQueued', params: ({ event }) => event },
            { type: 'dropRequest', params: ({ event }) => event },
            { type: 'answer', params: ({ event }) => event }
          ]
        },
        'start.refused': {
          actions: [
            { type: 'dropRequest', params: ({ event }) => event },
            { type: 'answer', params: ({ event }) => event }
          ]
        },
        'item.due': {
          description: 'A run that waited has its slot; the room looks up what it needs.',
          actions: [
            { type: 'noteDispatched', params: ({ event }) => event },
            { type: 'loadItem', params: ({ event }) => event }
          ]
        },
        'item.loaded': {
          description: 'It is let go, unless it took too long and was discarded.',
          guard: { type: 'isKnown', params: ({ event }) => event },
          actions: [
            { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'item.started', key, at }) },
            { type: 'goOn', params: ({ event }) => event }
          ]
        },
        'item.unreadable': {
          description: 'It fails, unless it was discarded meanwhile: then it has failed already, and says why.',
          guard: { type: 'isKnown', params: ({ event }) => event },
          actions: [
            { type: 'parkRun', params: ({ event }) => event },
            { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
            { type: 'noteGone', params: ({ event }) => event }
          ]
        },
        'item.expired': {
          description: 'It was no running run within 10 s: it fails, because a silent cancel would raise no alarm.',
          actions: [
            {
              type: 'parkRun',
              params: ({ event: { key, at } }) => ({ key, at, error: 'queued run did not start within 10s' })
            },
            { type: 'noteGone', params: ({ event }) => event }
          ]
        },
        'item.found': {
          description: 'It waited when the last engine ended, or when its queue threw. One that has its slot keeps it.',
          guard: { type: 'isNotDispatched', params: ({ event }) => event },
          actions: [
            { type: 'noteFound', params: ({ event: { key, queue } }) => ({ key, queue, state: 'queued' as const }) },
            { type: 'openQueue', params: ({ event }) => event },
            { type: 'putBack', params: ({ event }) => event }
          ]
        },
        'dequeue.requested': [
          {
            guard: { type: 'isKnown', params: ({ event }) => event },
            actions: { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'item.withdrawn', key, at }) }
          },
          { actions: { type: 'answerDequeue', params: ({ event: { key } }) => ({ key, removed: false }) } }
        ],
        'item.removed': {
          actions: [
            { type: 'noteGone', params: ({ event }) => event },
            { type: 'forgetItem', params: ({ event }) => event },
            { type: 'answerDequeue', params: ({ event: { key } }) => ({ key, removed: true }) }
          ]
        },
        'item.absent': {
          actions: { type: 'answerDequeue', params: ({ event: { key } }) => ({ key, removed: false }) }
        },
        'sub.requested': {
          description: 'A node calls a sub workflow: it is let go at once.',
          actions: { type: 'goOn', params: ({ event }) => event }
        },
        'runs.found': {
          description:
            'They hold their slots again before anybody who waited is let go, however long it takes to restore them.',
          actions: [
            { type: 'noteHolders', params: ({ event }) => event },
            { type: 'retakeSlots', params: ({ event }) => event }
          ]
        },
        'runs.restored': { actions: { type: 'goOnTogether', params: ({ event }) => event } },
        'run.unreadable': {
          description: 'What was stored of an open run cannot be used: it is parked as failed, and its slot is free.',
          actions: [
            { type: 'parkUnreadable', params: ({ event }) => event },
            { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
            { type: 'noteGone', params: ({ event }) => event }
          ]
        },
        'queues.held': {
          description: 'The runs are about to be stopped: what that makes room for is for the next engine.',
          actions: 'holdQueues'
        },
        'run.stop': { actions: { type: 'endRun', params: ({ event }) => event } },
        'run.kill': { actions: { type: 'endRun', params: ({ event }) => event } },
        'run.force': { actions: { type: 'endRun', params: ({ event }) => event } },
        'handlers.limited': { actions: { type: 'limitHandlers', params: ({ event }) => event } },
        'xstate.done.actor.*': [
          {
            description: 'A run has ended.',
            guard: { type: 'isRun', params: ({ event }) => event },
            actions: [
              { type: 'drop', params: ({ event }) => event },
              {
                type: 'tellQueue',
                params: ({ event: { output } }) => ({ type: 'slot.freed', key: output.key, at: output.at })
              },
              { type: 'noteGone', params: ({ event }) => event.output },
              { type: 'forgetRestarts', params: ({ event }) => event.output }
            ]
          },
          { description: 'A queue has drained.', actions: { type: 'drop', params: ({ event }) => event } }
        ],
        'xstate.error.actor.*': [
          {
            description: 'A queue has thrown: the next request opens it anew, with the slots that are taken.',
            guard: { type: 'isQueue', params: ({ event }) => event },
            actions: [
              { type: 'drop', params: ({ event }) => event },
              { type: 'noteQueueFault', params: ({ event }) => event },
              { type: 'reportFault', params: ({ event }) => event }
            ]
          },
          {
            description: 'A run or the scheduler has thrown: the room says which, and when.',
            actions: [
              { type: 'drop', params: ({ event }) => event },
              { type: 'reportFault', params: ({ event }) => event }
            ]
          }
        ],
        'run.lost': {
          description: 'There is nothing to restore it from: it is parked as failed, with the reason.',
          actions: [
            { type: 'parkRun', params: ({ event }) => event },
            { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
            { type: 'noteGone', params: ({ event }) => event },
            { type: 'forgetRestarts', params: ({ event }) => event }
          ]
        },
        'scheduler.faulted': [
          {
            description: 'A scheduler that throws is started anew, at most 3 times in 60 s.',
            guard: { type: 'schedulerMayRestart', params: ({ event }) => event },
            actions: { type: 'restartScheduler', params: ({ event }) => event }
          },
          { description: 'After that it is given up: health says that it does not tick.' }
        ],
        'run.faulted': [
          {
            description: 'A run that throws is restored from what is stored, at most 3 times in 60 s.',
            guard: { type: 'restartAllowed', params: ({ event }) => event },
            actions: [
              { type: 'noteRestart', params: ({ event }) => event },
              { type: 'goOn', params: ({ event }) => event }
            ]
          },
          {
            description: 'After that it is parked as failed, with the reason.',
            actions: [
              { type: 'parkRun', params: ({ event }) => event },
              { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
              { type: 'noteGone', params: ({ event }) => event },
              { type: 'forgetRestarts', params: ({ event }) => event }
            ]
          }
        ]
      }
    }
  }
})
