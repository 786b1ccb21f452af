/** Tells a node that waits for code of the host application when this engine has it: at once, or never. */
import { fromCallback } from 'xstate'
import type { AttemptInput } from '../../../machines/node.ts'
import type { Services } from '../root/services.ts'
import { missingAt } from './lacking.ts'

export const registration = (services: Services) =>
  fromCallback<{ type: 'registration.stop' }, AttemptInput>(({ input, sendBack }) => {
    const { clock, transactions } = services
    let isLeft = false
    transactions.afterCommit(() => {
      if (isLeft || missingAt(services, input)) return
      transactions.take(() => {
        if (!isLeft) sendBack({ type: 'function.registered', at: clock.now() })
      })
    })
    return () => {
      isLeft = true
    }
  })
