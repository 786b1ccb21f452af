/**
 * A step whose function or executor this engine lacks: a state of the chart in `node.ts`.
 * Source: execution-semantics 13.5; docs/executors/function.md.
 */
import { withEvent } from '../with-event.ts'
import { attemptOf } from './node-context.ts'
import { nodeSetup } from './node-setup.ts'

// D1050
export const missing = nodeSetup.createStateConfig({
  description:
    'This engine has no function or executor of that name, for example because it opened the home of a host application. The step, begun or not, waits for an engine that has it.',
  tags: 'running',
  invoke: { id: 'registration', src: 'registration', input: ({ context }) => attemptOf(context) },
  on: {
    'function.registered': [
      { guard: 'holdsAttempt', target: 'attempting', actions: 'noteFound' },
      { target: 'preparing', actions: 'noteFound' }
    ],
    'node.stop': { target: 'canceled', actions: withEvent('noteCancel') }
  }
})
