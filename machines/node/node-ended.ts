/** What follows the end of an execution, whoever told of it: shared by states of the chart in `node.ts`. Source: execution-semantics 5.4, 6. */
import { withEvent } from '../with-event.ts'
import { nodeSetup } from './node-setup.ts'

export const attemptEnded = nodeSetup.createStateConfig({
  on: {
    'attempt.ended': [
      {
        description: 'It ended after its time limit, before the alarm of that was heard.',
        guard: withEvent('outlived'),
        target: '#node.attempting.expiring',
        actions: [
          { type: 'planKill', params: ({ context: { timeoutAt } }) => ({ at: timeoutAt }) },
          withEvent('hearAgain')
        ]
      },
      {
        guard: withEvent('retryDue'),
        target: '#node.waiting',
        actions: [withEvent('noteEnd'), withEvent('planRetry')]
      },
      { guard: 'repeats', target: '#node.passed', actions: [withEvent('noteEnd'), withEvent('notePass')] },
      {
        guard: withEvent('okInPart'),
        target: '#node.partially_succeeded',
        actions: [withEvent('noteEnd'), withEvent('noteDone')]
      },
      {
        guard: withEvent('ok'),
        target: '#node.succeeded',
        actions: [withEvent('noteEnd'), withEvent('noteDone')]
      },
      {
        guard: withEvent('marksSuccess'),
        target: '#node.succeeded',
        actions: [withEvent('noteEnd'), withEvent('noteDone')]
      },
      { target: '#node.failed', actions: [withEvent('noteEnd'), withEvent('noteDone'), 'noteContinue'] }
    ]
  }
}).on
