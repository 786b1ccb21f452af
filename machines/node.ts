/**
 * One step of one run: its preconditions, its attempts and passes, and the waits between them. Handlers are nodes, too.
 * States and guards in `node/`. Source: definition-format "Step fields", execution-semantics 5.2, 6, 7, 13.5.3.
 *
 * state           waits for                 goes to
 * picked          nothing                   attempting (is prepared); preparing; placing (worker lost); awaiting, sleeping (it is a wait)
 * preparing       its preconditions         attempting (they hold); awaiting, sleeping (it is a wait); skipped; failed;
 *                                           placing (worker lost); missing (a function is not here); canceled (stop)
 * missing         a fitting engine          attempting (an attempt waited); testing (a pass had ended); preparing; canceled (stop)
 * placing         another worker            picked (there is one, or the lost one is back); failed (none takes a handler); canceled (stop)
 * attempting      the end of an execution   executing (first)
 *   executing     the executor              waiting (a retry is due: policy/retry.ts); passed (it repeats); succeeded; failed;
 *                                           partially_succeeded (its sub run); finishing, stopping, canceled (stop); expiring; missing;
 *                                           interrupting (after a restart); offering (on a worker); lost, fencing, executing (as offering)
 *   offering      the worker's answer       executing (it has answered, or is lost: it has failed); lost (wait); fencing (it may go on);
 *                                           finishing, stopping, canceled (stop); expiring (timeoutSec)
 *   lost          its worker                executing (it is back); interrupting (after a restart); expiring (timeoutSec); canceled (stop);
 *                                           waiting, passed, succeeded, partially_succeeded, failed (it has ended there)
 *   fencing       that it is certain        executing (back, retry); placing (requeue); interrupting, expiring, canceled, waiting, passed,
 *                                           succeeded, partially_succeeded, failed (as lost)
 *   finishing     the end of the last pass  settling (it ends); stopping (timeoutSec); stopping.killed (kill, restart); canceled (no code)
 *   interrupting  the end of what is left   attempting (rerun); failed; succeeded (markSuccess); stopping.killed (stop); missing;
 *                                           interrupting (killed again after 5 s); lost, fencing, executing (as offering)
 *   stopping      the end after a stop      asked (first); canceled (also: worker lost); succeeded (it had ended before the stop)
 *     asked       an alarm                  asked (SIGTERM again after 5 s); killed (clean-up time over, kill)
 *     killed      an alarm                  killed (again after 5 s)
 *   expiring      the end after timeoutSec  asked (first); failed (code 124); passed; succeeded; executing (it had ended in time); stopping
 *     asked       an alarm                  asked (SIGTERM again after 5 s); killed (clean-up time over, kill)
 *     killed      an alarm                  killed (again after 5 s)
 * waiting         the next retry            attempting (intervalSec is over); placing (its worker is lost); canceled (stop)
 * passed          nothing                   settling (the last pass); testing (a condition or function); repeating (policy/repeat.ts)
 * testing         the repeat condition      repeating (goes on); settling (does not, stop); canceled (stop at once); missing (no code);
 *                                           failed (worker lost, no answer)
 * repeating       the next pass             attempting (intervalSec is over); placing (worker lost); settling, canceled (stop)
 * settling        nothing                   succeeded, partially_succeeded, failed (as the last pass)
 * awaiting        a signal or approval      succeeded (given, onTimeout); failed (refused, time over); skipped (onTimeout); canceled (stop)
 * sleeping        an instant                succeeded (it is there); canceled (stop)
 * succeeded, partially_succeeded, failed, skipped, canceled  the end
 */
import * as during from './node/node-attempting.ts'
import * as between from './node/node-between.ts'
import { BLANK_NODE } from './node/node-context.ts'
import { nodeSetup } from './node/node-setup.ts'
import type { AlarmInput } from './slots.ts'
import type { NodeStatus } from './vocabulary.ts'
import { withEvent } from './with-event.ts'

export type { Answers, AttemptCommand, AttemptEnded, AttemptInput, AttemptMissing } from './attempt.ts'
export {
  mayResume,
  type NodeContext,
  type NodeEvent,
  type NodeInput,
  type NodeOutput,
  type NodeStop,
  type SignalGiven
} from './node/node-context.ts'
export { callOf, eachOf } from './node/node-setup.ts'

export const nodeMachine = nodeSetup.createMachine({
  id: 'node',
  description: 'One step of one run: from the moment its dependencies let it go to its end.',
  context: ({ input }) => ({ startedAt: input.at, ...BLANK_NODE, ...input }),
  initial: 'picked',
  on: {
    'worker.lost': { actions: withEvent('noteLoss') },
    'worker.back': { actions: 'noteBack' },
    'worker.replaced': { actions: ['noteBack', withEvent('notePlacement')] },
    'attempt.late': {
      description: 'How an execution ended that was given up: it is noted, and changes nothing.',
      actions: withEvent('noteLate')
    }
  },
  output: ({ context: c, event }) => ({
    place: c.place,
    status: (event as unknown as { output: NodeStatus }).output, // of the final state that was reached
    continues: c.continues,
    at: Math.max(c.finishedAt ?? c.at, c.heardAt ?? 0)
  }),
  states: {
    picked: between.picked,
    preparing: between.preparing,
    attempting: {
      description: 'An execution is in progress. It outlives `executing`, so that a stop can wait for it.',
      entry: ['beginAttempt', 'startAttempt'],
      exit: [withEvent('noteGivenUp'), 'disarmTimeout', 'dropAttempt'],
      initial: 'executing',
      states: {
        executing: {
          description: 'The executor runs the step.',
          tags: 'running',
          on: {
            'attempt.began': { actions: [withEvent('armTimeout'), withEvent('noteDeathIfAny')] },
            'attempt.missing': [
              { guard: withEvent('failsWithout'), target: '#node.failed', actions: withEvent('noteFailedWithout') },
              { target: '#node.missing', actions: [withEvent('noteMissing'), withEvent('noteDeathIfAny')] }
            ],
            'attempt.offered': 'offering',
            'attempt.found': { guard: 'mayNotResume', target: 'interrupting', actions: withEvent('planKill') },
            'attempt.died': [
              { guard: 'mayNotResume', target: 'interrupting', actions: ['noteDeath', withEvent('planKill')] },
              {
                description:
                  'For the second time in a row: it is not begun a third time, whatever its retryPolicy says.',
                guard: 'diesAgain',
                target: 'interrupting',
                actions: ['noteDeath', withEvent('planKill')]
              },
              { actions: 'noteDeath' }
            ],
            ...during.attemptEnded,
            ...during.whenLost,
            ...during.whenCalledOff
          }
        },
        offering: {
          description:
            'The worker that the run was placed on has been asked to take the step, and has not answered yet. It may have begun.',
          tags: 'running',
          on: {
            ...during.whenLost,
            'attempt.answered': 'executing',
            ...during.whenCalledOff
          }
        },
        lost: during.lost,
        fencing: during.fencing,
        finishing: during.finishing,
        interrupting: during.interrupting,
        stopping: during.stopping,
        expiring: during.expiring
      }
    },
    missing: between.missing,
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
    placing: between.placing,
    passed: between.passed,
    testing: between.testing,
    repeating: between.repeating,
    settling: between.settling,
    awaiting: between.awaiting,
    sleeping: between.sleeping,
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
