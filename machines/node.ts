/**
 * One step of one run: its preconditions, its attempts and passes, and the waits between them. Handlers are nodes, too.
 * Some states have their own files: `node-repeat.ts`, `node-stopping.ts`, `node-interrupt.ts`. Guards and actions: `node-setup.ts`.
 * Source: definition-format "Step fields", execution-semantics 5.2, 6, 7, 13.5.3.
 *
 * state           waits for                 goes to
 * picked          nothing                   attempting (nothing to prepare, or prepared); preparing; placing (its worker is lost)
 * preparing       its preconditions         attempting (they hold); skipped (one does not); failed (unreadable, worker lost);
 *                                           placing (worker lost, requeue); canceled (stop)
 * placing         another worker            picked (there is one, or the lost one is back); failed (none takes a handler); canceled (stop)
 * attempting      the end of an execution   executing (first)
 *   executing     the executor              waiting (a retry is due: policy/retry.ts); passed (it repeats); succeeded (markSuccess, 0);
 *                                           partially_succeeded (as its sub run); failed; finishing (stop, it repeats); stopping (stop);
 *                                           expiring (timeoutSec); interrupting (after a restart); unsupported (the executor is missing);
 *                                           offering (its run was placed on a worker); lost, fencing, canceled, executing (as offering)
 *   offering      the worker's answer       executing (it has answered, or is lost: it has failed); lost (wait); fencing (it may go on);
 *                                           canceled (stop, lost); finishing (stop, it repeats); stopping (stop); expiring (timeoutSec)
 *   lost          its worker                executing (it is back); interrupting (the same after a restart); expiring (timeoutSec);
 *                                           canceled (stop); waiting, passed, succeeded, partially_succeeded, failed (it has ended there)
 *   fencing       that it is certain        executing (back, retry); interrupting, expiring, canceled, waiting, passed, succeeded,
 *                                           partially_succeeded, failed (as lost); placing (requeue)
 *   unsupported   a fitting engine          executing (it has the executor); stopping (stop)
 *   finishing     the end of the last pass  settling (it ends); stopping (timeoutSec); stopping.killed (kill, cut off by a restart)
 *   interrupting  the end of what is left   attempting (rerun); failed; succeeded (markSuccess); stopping.killed (stop);
 *                                           interrupting (killed again after 5 s); lost, fencing, executing (as offering)
 *   stopping      the end after a stop      asked (first); canceled (also: worker lost); succeeded (it had ended before the stop)
 *     asked       an alarm                  asked (SIGTERM again after 5 s); killed (clean-up time over, kill)
 *     killed      an alarm                  killed (again after 5 s)
 *   expiring      the end after timeoutSec  asked (first); failed (code 124); passed (it repeats); succeeded (markSuccess);
 *                                           executing (it had ended in time); stopping (stop)
 *     asked       an alarm                  asked (SIGTERM again after 5 s); killed (clean-up time over, kill)
 *     killed      an alarm                  killed (again after 5 s)
 * waiting         the next retry            attempting (intervalSec is over); placing (its worker is lost); canceled (stop)
 * passed          nothing                   settling (the last pass); testing (has a condition); repeating (policy/repeat.ts)
 * testing         the repeat condition      repeating (goes on); settling (does not, stop); canceled (stop at once); failed (worker lost)
 * repeating       the next pass             attempting (intervalSec is over); placing (worker lost); settling, canceled (stop)
 * settling        nothing                   succeeded, partially_succeeded, failed (as the last pass)
 * succeeded, partially_succeeded, failed, skipped, canceled  the end
 */
import { attemptOf, BLANK_NODE } from './node/node-context.ts'
import { attemptEnded } from './node/node-ended.ts'
import { interrupting } from './node/node-interrupt.ts'
import { fencing, lost, placing, whenLost } from './node/node-lost.ts'
import { finishing, passed, repeating, settling, testing } from './node/node-repeat.ts'
import { nodeSetup } from './node/node-setup.ts'
import { expiring, stopping } from './node/node-stopping.ts'
import type { AlarmInput } from './slots.ts'
import type { NodeStatus } from './vocabulary.ts'
import { withEvent } from './with-event.ts'

export type { AttemptCommand, AttemptEnded, AttemptInput } from './attempt.ts'
export { callOf, mayResume, type NodeContext, type NodeInput, type NodeOutput } from './node/node-context.ts'
export type { NodeEvent, NodeStop } from './node/node-events.ts'

export const nodeMachine = nodeSetup.createMachine({
  id: 'node',
  description: 'One step of one run: from the moment its dependencies let it go to its end.',
  context: ({ input }) => ({ startedAt: input.at, ...BLANK_NODE, ...input }),
  initial: 'picked',
  on: {
    'worker.lost': { actions: withEvent('noteLoss') },
    'worker.back': { actions: 'noteBack' },
    'worker.replaced': { actions: 'noteBack' }
  },
  output: ({ context: c, event }) => ({
    place: c.place,
    status: (event as unknown as { output: NodeStatus }).output, // of the final state that was reached
    continues: c.continues,
    at: Math.max(c.finishedAt ?? c.at, c.heardAt ?? 0)
  }),
  states: {
    picked: {
      description: 'Just picked up. A step without preconditions goes straight to its first attempt.',
      tags: 'running',
      always: [
        { guard: 'mustMove', target: 'placing' },
        { guard: 'isPrepared', target: 'attempting' },
        { guard: 'nothingToPrepare', target: 'attempting', actions: 'takeRetryAsWritten' },
        { target: 'preparing' }
      ]
    },
    preparing: {
      description:
        'Its preconditions are being evaluated, before the first attempt only. If one does not hold, the step is skipped.',
      tags: 'running',
      invoke: { id: 'preparation', src: 'preparation', input: ({ context }) => attemptOf(context) },
      on: {
        'node.prepared': [
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
        'worker.lost': [
          { guard: 'waitsForWorker', actions: withEvent('noteLoss') },
          { guard: 'requeueLeft', target: 'placing', actions: [withEvent('noteLoss'), 'noteRequeue'] },
          { target: 'failed', actions: [withEvent('noteLoss'), withEvent('noteLostFault')] }
        ],
        'node.unprepared': { target: 'failed', actions: withEvent('noteFault') },
        'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
      }
    },
    attempting: {
      description: 'An execution is in progress. It outlives `executing`, so that a stop can wait for it.',
      entry: ['beginAttempt', 'startAttempt'],
      exit: ['disarmTimeout', 'dropAttempt'],
      initial: 'executing',
      states: {
        executing: {
          description: 'The executor runs the step.',
          tags: 'running',
          on: {
            'attempt.began': { actions: withEvent('armTimeout') },
            'attempt.unsupported': 'unsupported',
            'attempt.offered': 'offering',
            'attempt.found': { guard: 'mayNotResume', target: 'interrupting', actions: withEvent('planKill') },
            ...attemptEnded,
            ...whenLost,
            'alarm.rang': [
              { guard: 'isOutOfReach', target: 'expiring', actions: [withEvent('planKill'), withEvent('hearLoss')] },
              { target: 'expiring', actions: [withEvent('planKill'), 'askToStop'] }
            ],
            'node.stop': [
              { guard: 'isOutOfReach', target: '#node.canceled', actions: withEvent('noteCancel') },
              { guard: withEvent('finishesPass'), target: 'finishing', actions: withEvent('planKill') },
              { target: 'stopping', actions: [withEvent('planKill'), 'askToStop'] }
            ]
          }
        },
        offering: {
          description:
            'The worker that the run was placed on has been asked to take the step, and has not answered yet. It may have begun.',
          tags: 'running',
          on: {
            ...whenLost,
            'attempt.answered': 'executing',
            'alarm.rang': [
              { guard: 'isOutOfReach', target: 'expiring', actions: [withEvent('planKill'), withEvent('hearLoss')] },
              { target: 'expiring', actions: [withEvent('planKill'), 'askToStop'] }
            ],
            'node.stop': [
              { guard: 'isOutOfReach', target: '#node.canceled', actions: withEvent('noteCancel') },
              { guard: withEvent('finishesPass'), target: 'finishing', actions: withEvent('planKill') },
              { target: 'stopping', actions: [withEvent('planKill'), 'askToStop'] }
            ]
          }
        },
        unsupported: {
          description:
            'This engine lacks the executor, for example because it opened the home of a host application. The execution waits, started or not, for an engine that has it.',
          tags: 'running',
          on: {
            'attempt.supported': 'executing',
            'node.stop': { target: 'stopping', actions: [withEvent('planKill'), 'askToStop'] }
          }
        },
        lost,
        fencing,
        finishing,
        interrupting,
        stopping,
        expiring
      }
    },
    waiting: {
      description: 'Between attempts, until retryPolicy.intervalSec has passed; the wait outlives the process.',
      tags: 'running',
      invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.dueAt }) },
      on: {
        'alarm.rang': [
          { guard: 'mustMove', target: 'placing', actions: 'clearError' },
          { target: 'attempting', actions: 'clearError' }
        ],
        'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
      }
    },
    placing,
    passed,
    testing,
    repeating,
    settling,
    succeeded: {
      description: 'The last execution succeeded, or its failure counts as success.',
      type: 'final',
      tags: 'succeeded',
      output: 'succeeded'
    },
    partially_succeeded: {
      description: 'The sub DAG run succeeded, but only partially.',
      type: 'final',
      tags: 'partially_succeeded',
      output: 'partially_succeeded'
    },
    failed: {
      description: 'The last execution failed and is not tried again.',
      type: 'final',
      tags: 'failed',
      output: 'failed'
    },
    skipped: { description: 'A precondition did not hold.', type: 'final', tags: 'skipped', output: 'skipped' },
    canceled: { description: 'Stopped before its end.', type: 'final', tags: 'canceled', output: 'canceled' }
  }
})

/** The status of a snapshot: the tag of its innermost state. */
export const statusOf = (snapshot: { tags: ReadonlySet<string> }): NodeStatus => {
  const [tag = 'not_started'] = snapshot.tags
  return tag as NodeStatus // tags are typed as statuses by `setup`
}
