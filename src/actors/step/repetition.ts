/** Asks for the condition of a repeat policy after a pass. */
import { fromCallback } from 'xstate'
import type { AttemptInput } from '../../../machines/node.ts'
import type { Services } from '../root/services.ts'

export const repetition = (services: Services) =>
  fromCallback<{ type: 'repetition.stop' }, AttemptInput>(({ input, sendBack }) => {
    const { clock, transactions } = services
    const abandoned = new AbortController()
    transactions.afterCommit(
      () =>
        void services
          .runnerOf(input.run)
          .repeats(input, abandoned)
          .then((met) => transactions.take(() => sendBack({ type: 'condition.checked', at: clock.now(), met })))
    )
    return () => abandoned.abort()
  })
