/**
 * The root of the system: spawns the scheduler, queues and runs, and says what happens when one of them fails. Source: architecture 3.
 *
 * state        waits for                          goes to
 * supervising  requests, queues, ends and faults  nowhere: it never ends
 */
import { engineSetup } from './engine-setup.ts'
import { churnMap } from './tables/churn-map.ts'
import { openRunCounts } from './tables/run-counts.ts'
import { withEvent } from './with-event.ts'

export type { EngineContext, EngineEvent, EngineInput, RunEnding } from './engine-setup.ts'
export { runId } from './engine-setup.ts'

export const engineMachine = engineSetup.createMachine({
  id: 'engine',
  description: 'The root of the system. It never ends by itself, and no run, queue or scheduler takes it down.',
  context: ({ input: { at, queues = {}, held = false } }) => ({
    at,
    queues,
    held,
    runCounts: openRunCounts(),
    restartedAt: {},
    requests: churnMap()
  }),
  initial: 'supervising',
  states: {
    supervising: {
      description: 'Requests go to their queue, admitted runs are started, ended ones give their slot back.',
      invoke: { id: 'scheduler', src: 'scheduler', input: ({ context: { at } }) => ({ at }) },
      on: {
        'start.requested': { actions: [withEvent('keepRequest'), withEvent('openQueue'), withEvent('askStart')] },
        'enqueue.requested': { actions: [withEvent('keepRequest'), withEvent('openQueue'), withEvent('askEnqueue')] },
        'start.admitted': {
          actions: [withEvent('noteAdmitted'), withEvent('startRun'), withEvent('dropRequest'), withEvent('answer')]
        },
        'start.queued': { actions: [withEvent('noteQueued'), withEvent('dropRequest'), withEvent('answer')] },
        'start.refused': { actions: [withEvent('dropRequest'), withEvent('answer')] },
        'item.due': {
          description: 'A run that waited has its slot; the room looks up what it needs.',
          actions: [withEvent('noteDispatched'), withEvent('loadItem')]
        },
        'item.loaded': {
          description: 'It is started, unless it took too long and was discarded.',
          guard: withEvent('isKnown'),
          actions: [
            { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'item.started', key, at }) },
            withEvent('goOn')
          ]
        },
        'item.unreadable': {
          description: 'It fails, unless it was discarded meanwhile: then it has failed already, and says why.',
          guard: withEvent('isKnown'),
          actions: [
            withEvent('parkRun'),
            { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
            withEvent('noteGone')
          ]
        },
        'item.expired': {
          description: 'It was no running run within 10 s: it fails, because a silent cancel would raise no alarm.',
          actions: [
            {
              type: 'parkRun',
              params: ({ event: { key, at } }) => ({ key, at, error: 'queued run did not start within 10s' })
            },
            withEvent('noteGone')
          ]
        },
        'item.found': {
          description: 'It waited when the last engine ended, or when its queue threw. One that has its slot keeps it.',
          guard: withEvent('isNotDispatched'),
          actions: [
            { type: 'noteFound', params: ({ event: { key, queue } }) => ({ key, queue, state: 'queued' as const }) },
            withEvent('openQueue'),
            withEvent('putBack')
          ]
        },
        'dequeue.requested': [
          {
            guard: withEvent('isKnown'),
            actions: { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'item.withdrawn', key, at }) }
          },
          { actions: { type: 'answerDequeue', params: ({ event: { key } }) => ({ key, removed: false }) } }
        ],
        'item.removed': {
          actions: [
            withEvent('noteGone'),
            withEvent('forgetItem'),
            { type: 'answerDequeue', params: ({ event: { key } }) => ({ key, removed: true }) }
          ]
        },
        'item.absent': {
          actions: { type: 'answerDequeue', params: ({ event: { key } }) => ({ key, removed: false }) }
        },
        'sub.requested': {
          description: 'A node calls a sub workflow: it is started at once.',
          actions: withEvent('goOn')
        },
        'runs.found': {
          description:
            'They hold their slots again before anybody who waited is started, however long it takes to restore them.',
          actions: [withEvent('noteHolders'), withEvent('retakeSlots')]
        },
        'runs.restored': { actions: withEvent('goOnTogether') },
        'run.unreadable': {
          description: 'What was stored of an open run cannot be used: it is parked as failed, and its slot is free.',
          actions: [
            withEvent('parkUnreadable'),
            { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
            withEvent('noteGone')
          ]
        },
        'queues.held': {
          description: 'The runs are about to be stopped: what that makes room for is for the next engine.',
          actions: 'holdQueues'
        },
        'run.stop': { actions: withEvent('endRun') },
        'run.kill': { actions: withEvent('endRun') },
        'run.force': { actions: withEvent('endRun') },
        'handlers.limited': { actions: withEvent('limitHandlers') },
        'xstate.done.actor.*': [
          {
            description: 'A run has ended.',
            guard: withEvent('isRun'),
            actions: [
              withEvent('drop'),
              {
                type: 'tellQueue',
                params: ({ event: { output } }) => ({ type: 'slot.freed', key: output.key, at: output.at })
              },
              { type: 'noteGone', params: ({ event }) => event.output },
              { type: 'forgetRestarts', params: ({ event }) => event.output }
            ]
          },
          { description: 'A queue has drained.', actions: withEvent('drop') }
        ],
        'xstate.error.actor.*': [
          {
            description: 'A queue has thrown: the next request opens it anew, with the slots that are taken.',
            guard: withEvent('isQueue'),
            actions: [withEvent('drop'), withEvent('noteQueueFault'), withEvent('reportFault')]
          },
          {
            description: 'A run or the scheduler has thrown: the room says which, and when.',
            actions: [withEvent('drop'), withEvent('reportFault')]
          }
        ],
        'run.lost': {
          description: 'There is nothing to restore it from: it is parked as failed, with the reason.',
          actions: [
            withEvent('parkRun'),
            { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
            withEvent('noteGone'),
            withEvent('forgetRestarts')
          ]
        },
        'scheduler.faulted': [
          {
            description: 'A scheduler that throws is started anew, at most 3 times in 60 s.',
            guard: withEvent('schedulerMayRestart'),
            actions: withEvent('restartScheduler')
          },
          { description: 'After that it is given up: health says that it does not tick.' }
        ],
        'run.faulted': [
          {
            description: 'A run that throws is restored from what is stored, at most 3 times in 60 s.',
            guard: withEvent('restartAllowed'),
            actions: [withEvent('noteRestart'), withEvent('goOn')]
          },
          {
            description: 'After that it is parked as failed, with the reason.',
            actions: [
              withEvent('parkRun'),
              { type: 'tellQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
              withEvent('noteGone'),
              withEvent('forgetRestarts')
            ]
          }
        ]
      }
    }
  }
})
