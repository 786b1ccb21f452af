/** What becomes of an execution that a restart has cut off and that may not go on: a state of the chart in `node.ts`. Source: execution-semantics 13.5.3. */
import { nodeSetup } from './node-setup.ts'
import type { AlarmInput } from './slots.ts'

/** Stands in `attempting`, beside `executing`. */
export const interrupting = nodeSetup.createStateConfig({
  description: 'A restart has cut it off, and onInterrupt does not let it go on: what lives of it is killed.',
  tags: 'running',
  entry: ['disarmTimeout', 'kill'],
  invoke: { src: 'alarm', input: ({ context }): AlarmInput => ({ dueAt: context.remindAt }) },
  on: {
    'alarm.rang': {
      target: 'interrupting',
      reenter: true,
      actions: { type: 'planReminder', params: ({ event }) => event }
    },
    'attempt.found': { actions: 'kill' }, // another restart came between
    'attempt.ended': [
      {
        guard: 'mayRerun',
        target: '#node.attempting',
        reenter: true,
        actions: [{ type: 'noteInterruption', params: ({ event }) => event }, 'clearError']
      },
      {
        guard: { type: 'marksSuccess', params: ({ event }) => event },
        target: '#node.succeeded',
        actions: [
          { type: 'noteInterruption', params: ({ event }) => event },
          { type: 'noteDone', params: ({ event }) => event }
        ]
      },
      {
        target: '#node.failed',
        actions: [
          { type: 'noteInterruption', params: ({ event }) => event },
          { type: 'noteDone', params: ({ event }) => event },
          'noteContinue'
        ]
      }
    ],
    'node.stop': { target: 'stopping.killed', actions: { type: 'planKill', params: ({ event }) => event } }
  }
})
