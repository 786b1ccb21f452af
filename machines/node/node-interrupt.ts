/** What becomes of an execution that a restart has cut off and that may not go on: a state of the chart in `node.ts`. Source: execution-semantics 13.5.3. */
import type { AlarmInput } from '../slots.ts'
import { withEvent } from '../with-event.ts'
import { nodeSetup } from './node-setup.ts'

// D34, D52
/** Stands in `attempting`, beside `executing`. */
export const interrupting = nodeSetup.createStateConfig({
  description: 'A restart has cut it off, and onInterrupt does not let it go on: what lives of it is killed.',
  tags: 'running',
  entry: ['disarmTimeout', 'kill'],
  invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.remindAt }) },
  on: {
    'alarm.rang': { target: 'interrupting', reenter: true, actions: withEvent('planReminder') },
    'attempt.found': { actions: 'kill' }, // another restart came between
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
