/**
 * The root of the system: spawns the scheduler, queues and runs, and says what happens when one of them fails. Source: architecture 3.
 *
 * state        waits for                          goes to
 * supervising  requests, queues, workers, ends and faults  nowhere: it never ends
 */
import { waitsOf } from './engine/waits.ts'
import { engineSetup } from './engine-setup.ts'
import { churnMap } from './tables/churn-map.ts'
import { openFleet } from './tables/fleet.ts'
import { openRunCounts, SUB_RUNS } from './tables/run-counts.ts'
import { withEvent } from './with-event.ts'

export {
  type EngineContext,
  type EngineEvent,
  type EngineInput,
  type RunEnding,
  runId
} from './engine/engine-context.ts'

export const engineMachine = engineSetup.createMachine({
  id: 'engine',
  description:
    'The root of the system. It never ends by itself, and a failing run, queue or scheduler does not take it down.',
  context: ({ input: { at, queues = {}, held = false, fleet }, self }) => ({
    at,
    queues,
    held,
    ...(fleet
      ? {
          fleet: openFleet(
            fleet.lease,
            waitsOf(() => self.getSnapshot().children)
          )
        }
      : {}),
    runCounts: openRunCounts(),
    restartedAt: {},
    requests: churnMap()
  }),
  initial: 'supervising',
  states: {
    supervising: {
      description: 'Requests go to their queue, admitted runs are started, ended runs free their slot.',
      invoke: { id: 'scheduler', src: 'scheduler', input: ({ context: { at } }) => ({ at }) },
      on: {
        'start.requested': { actions: [withEvent('keepRequest'), withEvent('openQueue'), withEvent('askStart')] },
        'enqueue.requested': { actions: [withEvent('keepRequest'), withEvent('openQueue'), withEvent('askEnqueue')] },
        'start.admitted': {
          actions: [
            withEvent('noteAdmitted'),
            withEvent('notePlaced'),
            withEvent('startRun'),
            withEvent('dropRequest'),
            withEvent('answer')
          ]
        },
        'start.queued': { actions: [withEvent('noteQueued'), withEvent('dropRequest'), withEvent('answer')] },
        'start.refused': { actions: [withEvent('dropRequest'), withEvent('answer')] },
        'item.due': {
          description: 'A queued run has got its slot; what it needs is being loaded.',
          actions: [withEvent('noteDispatched'), withEvent('loadItem')]
        },
        'item.loaded': {
          description: 'The run is started, unless it took too long and was discarded.',
          guard: withEvent('isKnown'),
          actions: [
            { type: 'notifyQueue', params: ({ event: { key, at } }) => ({ type: 'item.started', key, at }) },
            withEvent('goOn')
          ]
        },
        'item.unreadable': {
          description:
            'The run fails, unless it was discarded in the meantime: then it has already failed, with the reason.',
          guard: withEvent('isKnown'),
          actions: [
            withEvent('failRun'),
            { type: 'notifyQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
            withEvent('noteGone'),
            withEvent('freeWorker')
          ]
        },
        'item.expired': {
          description: 'The run did not start within 10 s: it fails, because a silent cancel would raise no alarm.',
          actions: [
            {
              type: 'failRun',
              params: ({ event: { key, at } }) => ({ key, at, error: 'queued run did not start within 10s' })
            },
            withEvent('noteGone'),
            withEvent('freeWorker')
          ]
        },
        'item.found': {
          description:
            'The run was queued when the previous engine ended, or when its queue threw. If it has a slot, it keeps it.',
          guard: withEvent('isNotDispatched'),
          actions: [
            { type: 'noteFound', params: ({ event: { key, queue } }) => ({ key, queue, state: 'queued' as const }) },
            withEvent('openQueue'),
            withEvent('requeue')
          ]
        },
        'dequeue.requested': [
          {
            guard: withEvent('isKnown'),
            actions: { type: 'notifyQueue', params: ({ event: { key, at } }) => ({ type: 'item.withdrawn', key, at }) }
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
        'sub.requested': [
          {
            description: 'A node calls a sub workflow with a selector of its own: the sub DAG run is placed by itself.',
            guard: withEvent('needsWorker'),
            actions: [
              { type: 'keepRequest', params: ({ event }) => ({ ...event, queue: SUB_RUNS }) },
              { type: 'openQueue', params: { queue: SUB_RUNS } },
              withEvent('askPlace')
            ]
          },
          {
            description: 'A node calls a sub workflow: the sub DAG run starts at once, where its caller is.',
            actions: withEvent('goOn')
          }
        ],
        'worker.changed': {
          description: 'Runs that lacked a worker get what room it has: first those that had begun.',
          actions: [
            withEvent('noteWorker'),
            withEvent('moveOn'),
            { type: 'offerRoom', params: ({ event: { worker, at } }) => ({ home: worker.home, at }) }
          ]
        },
        'worker.gone': {
          description: 'No run is placed on it any more. Those that were keep their slots, for when it is back.',
          actions: withEvent('dropWorker')
        },
        'worker.lost': {
          description:
            'Its runs decide what follows. What begins elsewhere must not be a second time of what it may still do.',
          actions: [withEvent('noteUnsure'), withEvent('tellRuns')]
        },
        'worker.fenced': {
          description: 'Nothing of it is at work: its runs may go on elsewhere, and so may those that waited for that.',
          actions: [withEvent('noteSure'), withEvent('tellRuns'), withEvent('offerAllRoom')]
        },
        'worker.back': {
          description: 'It goes on with what it has.',
          actions: [withEvent('noteSure'), withEvent('dropMoves'), withEvent('tellRuns'), withEvent('offerAllRoom')]
        },
        'placement.wanted': { actions: withEvent('lookUpNeeds') },
        'move.requested': {
          description: 'The run gets a place on another worker, or waits for one.',
          actions: withEvent('move')
        },
        'run.moved': {
          description: 'The run goes on on another worker.',
          actions: [withEvent('noteMoved'), withEvent('sayReplaced')]
        },
        'room.passed': {
          description: 'What room a worker still has is offered to the next queue that waits for it.',
          actions: [withEvent('moveOn'), withEvent('offerRoom')]
        },
        'runs.found': {
          description:
            'Runs that were running get their slots back before any queued run starts, however long it takes to restore them.',
          actions: [withEvent('noteHolders'), withEvent('retakeSlots')]
        },
        'runs.restored': { actions: withEvent('goOnTogether') },
        'run.unreadable': {
          description: 'The stored state of an open run cannot be used: the engine fails the run and frees its slot.',
          actions: [
            withEvent('failUnreadable'),
            { type: 'notifyQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
            withEvent('noteGone'),
            withEvent('freeWorker')
          ]
        },
        'queues.held': {
          description: 'The runs are about to be stopped: the slots that this frees are left to the next engine.',
          actions: 'holdQueues'
        },
        'run.superseded': {
          description: 'It waits for its version, which may never come: its place in its queue is given to others.',
          guard: withEvent('hasPlace'),
          actions: [
            { type: 'notifyQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
            withEvent('noteHeld')
          ]
        },
        'run.continued': { guard: withEvent('isHeld'), actions: withEvent('takeBack') },
        'release.differs': { actions: withEvent('tellRun') },
        'release.opened': { actions: withEvent('tellRun') },
        'run.stop': { actions: withEvent('endRun') },
        'run.kill': { actions: withEvent('endRun') },
        'run.force': { actions: withEvent('endRun') },
        'signal.given': { actions: withEvent('tellRun') },
        'handlers.limited': { actions: withEvent('limitHandlers') },
        'xstate.done.actor.*': [
          {
            description: 'A run has ended.',
            guard: withEvent('isRun'),
            actions: [
              withEvent('drop'),
              {
                type: 'notifyQueue',
                params: ({ event: { output } }) => ({ type: 'slot.freed', key: output.key, at: output.at })
              },
              { type: 'noteGone', params: ({ event }) => event.output },
              { type: 'freeWorker', params: ({ event }) => event.output },
              { type: 'forgetRestarts', params: ({ event }) => event.output }
            ]
          },
          { description: 'A queue has drained.', actions: withEvent('drop') }
        ],
        'xstate.error.actor.*': [
          {
            description: 'A queue has thrown: the next request opens it again, with the slots that are taken.',
            guard: withEvent('isQueue'),
            actions: [withEvent('drop'), withEvent('noteQueueFault'), withEvent('reportFault')]
          },
          {
            description: 'A run or the scheduler has thrown: an event follows that says which one, and when.',
            actions: [withEvent('drop'), withEvent('reportFault')]
          }
        ],
        'run.lost': {
          description: 'There is nothing to restore the run from: the engine fails it, with the reason.',
          actions: [
            withEvent('failRun'),
            { type: 'notifyQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
            withEvent('noteGone'),
            withEvent('freeWorker'),
            withEvent('forgetRestarts')
          ]
        },
        'scheduler.faulted': [
          {
            description: 'A scheduler that throws is restarted, at most 3 times in 60 s.',
            guard: withEvent('schedulerMayRestart'),
            actions: withEvent('restartScheduler')
          },
          {
            description:
              'After that the engine gives up on it: the health check reports that the scheduler does not tick.'
          }
        ],
        'run.faulted': [
          {
            description: 'A run that throws is restored from its stored state, at most 3 times in 60 s.',
            guard: withEvent('restartAllowed'),
            actions: [withEvent('noteRestart'), withEvent('goOn')]
          },
          {
            description: 'After that the engine fails it, with the reason.',
            actions: [
              withEvent('failRun'),
              { type: 'notifyQueue', params: ({ event: { key, at } }) => ({ type: 'slot.freed', key, at }) },
              withEvent('noteGone'),
              withEvent('freeWorker'),
              withEvent('forgetRestarts')
            ]
          }
        ]
      }
    }
  }
})
