/** An execution that a restart interrupted and that must not continue: a state of the chart in `node.ts`. Source: execution-semantics 13.5.3. */
import type { AlarmInput } from '../slots.ts'
import { withEvent } from '../with-event.ts'
import { whenLost } from './node-lost.ts'
import { nodeSetup } from './node-setup.ts'

// D34, D52
/** A child of `attempting`, next to `executing`. */
export const interrupting = nodeSetup.createStateConfig({
  description:
    'A restart interrupted the execution, and onInterrupt, or that its process has ended twice, does not allow it to continue: what is still running is killed.',
  tags: 'running',
  entry: ['disarmTimeout', 'kill'],
  invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.remindAt }) },
  on: {
    ...whenLost,
    'alarm.rang': { target: 'interrupting', reenter: true, actions: withEvent('planReminder') },
    'attempt.found': { actions: 'kill' }, // there was another restart
    'attempt.died': { actions: 'kill' },
    'attempt.missing': { target: '#node.missing', actions: withEvent('noteMissing') }, // into an engine without its code
    'attempt.ended': [
      {
        guard: 'mayRerun',
        target: '#node.attempting',
        reenter: true,
        actions: [withEvent('noteInterruption'), 'clearError']
      },
      {
        guard: withEvent('marksSuccess'),
        target: '#node.succeeded',
        actions: [withEvent('noteInterruption'), withEvent('noteDone')]
      },
      { target: '#node.failed', actions: [withEvent('noteInterruption'), withEvent('noteDone'), 'noteContinue'] }
    ],
    'node.stop': { target: 'stopping.killed', actions: withEvent('planKill') }
  }
})
