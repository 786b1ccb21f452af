/**
 * One DAG run: preconditions, which nodes may start, stop and time limit, handlers, and the status at the end.
 * Handlers and what is left after them are in `run-concluding.ts`, guards and actions in `run-setup.ts`.
 * Source: execution-semantics 5, 7, 8.
 *
 * state        waits for                 goes to
 * preparing    variables and folders     checking (has preconditions); delaying (has a delay); working; concluding (stop);
 *                                        failed (cannot be prepared, worker lost); ending (the same after a stop); moving (requeue);
 *                                        superseded (policy/drift.ts)
 * moving       another worker            preparing (there is one, or the lost one is back); ending (stop, timeoutSec)
 * checking     the DAG's preconditions   working (they hold); delaying (they hold, has a delay); moving (worker lost, requeue);
 *                                        concluding (one does not, stop, timeoutSec, worker lost); superseded (policy/drift.ts)
 * delaying     the end of delaySec       working (it is over); concluding (stop, timeoutSec); superseded (policy/drift.ts)
 * working      the ends of its nodes     concluding (all have ended); ending (the same, nothing to conclude);
 *                                        stopping (stop, timeoutSec); superseded (policy/drift.ts)
 * superseded   an engine of its version  preparing, checking, delaying, working (as it was: it has opened, stop, timeoutSec)
 * stopping     the nodes at work         concluding (none is left)
 * concluding   its handlers              choosing (first)
 *   choosing   nothing                   answering (has the handler of policy/outcome.ts); exiting (has onExit only); ending
 *   answering  that handler              answered (it ended, however)
 *   answered   nothing                   exiting (has onExit); ending
 *   exiting    onExit                    ending (it ended, however)
 * ending       nothing                   releasing (has a container); notifying (mail is due: policy/notify.ts);
 *                                        succeeded, partially_succeeded, canceled, failed (policy/outcome.ts)
 * releasing    the end of its container  ending (it is gone, or its worker is lost)
 * notifying    mail on its way           ending (it is out, kill, the server ends)
 * succeeded, partially_succeeded, failed, canceled  the end
 */
import type { EndStatus } from './policy/outcome.ts'
import { openRunState } from './policy/readiness.ts'
import { concluding, ending, mailFaulted, notifying, releasing } from './run/run-concluding.ts'
import { keptSignals, placedOn } from './run/run-context.ts'
import { DELAY, runSetup } from './run/run-setup.ts'
import { differsIn, superseded } from './run/run-superseded.ts'
import type { AlarmInput } from './slots.ts'
import { withEvent } from './with-event.ts'

export {
  keptSignals,
  type NodeEnded,
  type NodeFaulted,
  type NotificationInput,
  nodeId,
  outcomeOf,
  placedOn,
  type RunContext,
  type RunEvent,
  type RunInput,
  type RunOutput,
  reopened
} from './run/run-context.ts'
export { HANDLERS } from './run/run-handlers.ts'
export { fateOfSignal } from './run/run-news.ts'

export const runMachine = runSetup.createMachine({
  id: 'run',
  description: 'One DAG run, from its admission by the queue to its last handler.',
  context: ({ input: { key, plan, at, known, only, placement } }) => ({
    key,
    plan,
    at,
    runState: openRunState(plan.steps, plan.maxActiveSteps, known, { only }),
    handlerFailed: false,
    ...keptSignals(plan, known),
    ...(only === undefined ? {} : { only }),
    ...placedOn({ placement })
  }),
  initial: 'preparing',
  on: {
    'notification.ended': { actions: withEvent('dropMail') },
    'signal.given': {
      description:
        'A step that waits, now or later, gets a signal. One payload a step; a signal of the same id changes nothing.',
      guard: withEvent('takesSignal'),
      actions: [withEvent('keepSignal'), withEvent('passSignal')]
    },
    'worker.lost': {
      description: 'What follows is decided by each of its nodes.',
      actions: [withEvent('noteLoss'), withEvent('passOn')]
    },
    'worker.back': { actions: ['noteBack', withEvent('passOn')] },
    'worker.replaced': { actions: ['noteBack', withEvent('notePlacement'), withEvent('passOn')] },
    'worker.fenced': [
      {
        description: 'It goes on elsewhere if something of it waits for that.',
        guard: 'waitsForPlace',
        actions: ['noteFenced', withEvent('askPlacement'), withEvent('passOn')]
      },
      { actions: ['noteFenced', withEvent('passOn')] }
    ],
    'placement.wanted': [
      { description: 'Another node of it has asked: it goes once.', guard: 'hasAsked' },
      { guard: 'isFenced', actions: ['noteWanted', withEvent('askPlacement')] },
      { description: 'Something of it may still be at work.', actions: 'noteWanted' }
    ],
    'handlers.limited': {
      description: 'The server shuts down: the time limit counts from the start of the first handler.',
      guard: 'isUnlimited',
      actions: 'noteLimit'
    }
  },
  output: ({ context: c, event }) => ({
    key: c.key,
    status: (event as unknown as { output: EndStatus }).output, // of the final state that was reached
    at: c.at
  }),
  states: {
    preparing: {
      description:
        'Variables are evaluated and the working directory is created. An error here fails the run before any step.',
      tags: 'running',
      entry: 'armTimeout',
      invoke: { id: 'preparation', src: 'preparation', input: ({ context }) => context.key },
      on: {
        'worker.lost': [
          { guard: 'waitsForWorker', actions: withEvent('noteLoss') },
          {
            guard: 'stopAsked',
            target: 'ending',
            actions: [withEvent('noteLoss'), withEvent('noteTime'), 'noteRelease']
          },
          { guard: 'mayMove', target: 'moving', actions: [withEvent('noteLoss'), 'noteMove', 'noteWanted'] },
          { target: 'failed', actions: [withEvent('noteLoss'), withEvent('noteLostFault')] }
        ],
        'run.prepared': [
          { guard: 'stopAsked', target: 'concluding', actions: withEvent('noteTime') },
          { guard: 'hasConditions', target: 'checking', actions: withEvent('noteTime') },
          { guard: 'hasDelay', target: 'delaying', actions: withEvent('noteTime') },
          { target: 'working', actions: withEvent('noteTime') }
        ],
        'run.unprepared': [
          {
            guard: 'stopAsked',
            target: 'ending',
            actions: [withEvent('noteTime'), 'noteRelease'] // it has none
          },
          { target: 'failed', actions: withEvent('noteFault') }
        ],
        'release.differs': differsIn('preparing'),
        'run.stop': { actions: [withEvent('noteStop'), 'hurryPreparation'] },
        'run.kill': { actions: 'noteKill' },
        'run.force': { actions: [withEvent('noteStop'), 'noteKill', 'hurryPreparation'] },
        'alarm.rang': [
          { guard: 'stopAsked' },
          { actions: [withEvent('noteTimeout'), 'cancelPending', 'hurryPreparation'] }
        ]
      }
    },
    moving: {
      description: 'Its worker was lost before it had begun anything: it is prepared again, there or on another one.',
      tags: 'running',
      on: {
        'worker.replaced': { target: 'preparing', actions: ['noteBack', withEvent('notePlacement')] },
        'worker.back': { target: 'preparing', actions: 'noteBack' },
        'run.stop': { target: 'ending', actions: [withEvent('noteStop'), 'noteRelease'] },
        'run.force': { target: 'ending', actions: [withEvent('noteStop'), 'noteKill', 'noteRelease'] },
        'alarm.rang': { target: 'ending', actions: [withEvent('noteTimeout'), 'cancelPending', 'noteRelease'] }
      }
    },
    checking: {
      description: 'The preconditions of the DAG are being evaluated. If one does not hold, the run is canceled.',
      tags: 'running',
      invoke: { id: 'conditions', src: 'conditions', input: ({ context }) => context.key },
      on: {
        'worker.lost': [
          { guard: 'waitsForWorker', actions: withEvent('noteLoss') },
          { guard: 'mayMove', target: 'moving', actions: [withEvent('noteLoss'), 'noteMove', 'noteWanted'] },
          {
            description: 'What cannot be evaluated does not hold, and says why.',
            target: 'concluding',
            actions: [withEvent('noteLoss'), withEvent('noteUnmet'), 'giveUp']
          }
        ],
        'conditions.checked': [
          { guard: withEvent('metWithDelay'), target: 'delaying', actions: withEvent('noteConditions') },
          { guard: withEvent('conditionsMet'), target: 'working', actions: withEvent('noteConditions') },
          { target: 'concluding', actions: [withEvent('noteConditions'), 'giveUp'] }
        ],
        'release.differs': differsIn('checking'),
        'run.stop': { target: 'concluding', actions: withEvent('noteStop') },
        'run.force': { target: 'concluding', actions: [withEvent('noteStop'), 'noteKill'] },
        'alarm.rang': { target: 'concluding', actions: [withEvent('noteTimeout'), 'cancelPending'] }
      }
    },
    delaying: {
      description:
        'The initial delay of the DAG, once per run. It counts towards the time limit and outlives the process.',
      tags: 'running',
      invoke: {
        src: 'alarm',
        input: ({ context: { at, plan } }): AlarmInput => ({ dueAt: at + plan.delayMs, name: DELAY })
      },
      on: {
        'alarm.rang': [
          { guard: withEvent('delayOver'), target: 'working', actions: withEvent('noteTime') },
          { target: 'concluding', actions: [withEvent('noteTimeout'), 'cancelPending'] }
        ],
        'release.differs': differsIn('delaying'),
        'run.stop': { target: 'concluding', actions: withEvent('noteStop') },
        'run.force': { target: 'concluding', actions: [withEvent('noteStop'), 'noteKill'] }
      }
    },
    working: {
      description: 'Nodes run as their dependencies allow, at most maxActiveSteps at a time.',
      tags: 'running',
      entry: 'startReady',
      always: [
        { guard: 'allDone', target: 'ending' },
        { guard: 'allResolved', target: 'concluding' }
      ],
      on: {
        'xstate.done.actor.*': {
          actions: [withEvent('dropNode'), withEvent('resolveNode'), withEvent('mailIfFailed'), 'startReady']
        },
        ...mailFaulted,
        'xstate.error.actor.*': {
          actions: [withEvent('dropNode'), withEvent('resolveFault'), withEvent('mailIfFailed'), 'startReady']
        },
        'release.differs': differsIn('working'),
        'run.stop': { target: 'stopping', actions: withEvent('noteStop') },
        'run.force': { target: 'stopping', actions: [withEvent('noteStop'), 'noteKill'] },
        'alarm.rang': { target: 'stopping', actions: [withEvent('noteTimeout'), 'cancelPending'] }
      }
    },
    superseded,
    stopping: {
      description: 'No new node starts; running nodes are being stopped, within their grace period.',
      tags: 'running',
      entry: 'stopNodes',
      always: { guard: 'noneActive', target: 'concluding' },
      on: {
        'xstate.done.actor.*': { actions: [withEvent('dropNode'), withEvent('closeNode'), withEvent('mailIfFailed')] },
        ...mailFaulted,
        'xstate.error.actor.*': {
          actions: [withEvent('dropNode'), withEvent('closeFault'), withEvent('mailIfFailed')]
        },
        'run.kill': [
          { guard: 'gracePeriodOver', actions: 'noteKill' },
          // Handlers of the run have until the next kill.
          { actions: ['noteGracePeriodOver', withEvent('killNodes')] }
        ],
        'run.force': { actions: ['noteKill', withEvent('killNodes')] }
      }
    },
    concluding,
    releasing,
    ending,
    notifying,
    succeeded: {
      description: 'Every node and handler succeeded, or was skipped.',
      type: 'final',
      tags: 'succeeded',
      output: 'succeeded'
    },
    partially_succeeded: {
      description: 'Something failed but was continued, and something else succeeded.',
      type: 'final',
      tags: 'partially_succeeded',
      output: 'partially_succeeded'
    },
    failed: {
      description: 'A node or handler failed, or the run timed out.',
      type: 'final',
      tags: 'failed',
      output: 'failed'
    },
    canceled: {
      description: 'Stopped, or its preconditions did not hold.',
      type: 'final',
      tags: 'canceled',
      output: 'canceled'
    }
  }
})
