/** Deliveries of a server elsewhere, over its HTTP API. Source: docs/notifications.md "Dead letters". */
import type { EngineClient } from '../../api/owner/engine-client.ts'
import type { Client } from '../../client/index.ts'
import { instant } from './views.ts'

export const remoteDeliveries = (api: Client): Pick<EngineClient, 'deliveries' | 'changeDeliveries'> => ({
  async deliveries(filter, limit, after) {
    const answer = await api.listDeliveries({
      query: { ...filter, limit, ...(after === undefined ? {} : { cursor: after }) }
    })
    return {
      targets: answer.targets.map(({ configured, delivered, failedAttempts: failed, givenUp: dead, ...target }) => ({
        ...target,
        isConfigured: configured,
        counts: { delivered, failed, dead }
      })),
      deliveries: answer.deliveries.map((one) => {
        const { target, id, state, event, attempts, error } = one
        const [dueAt, triedAt, deadAt] = [one.nextAttemptAt, one.lastAttemptAt, one.diedAt].map(instant)
        return {
          target,
          id,
          state,
          event,
          attempts,
          at: instant(one.occurredAt) ?? 0,
          ...(one.dagName === '' ? {} : { run: { name: one.dagName, dagRunId: one.dagRunId } }),
          ...(dueAt === undefined ? {} : { dueAt }),
          ...(triedAt === undefined ? {} : { triedAt }),
          ...(deadAt === undefined ? {} : { deadAt }),
          ...(error === '' ? {} : { error })
        }
      }),
      ...(answer.nextCursor === null ? {} : { next: answer.nextCursor })
    }
  },
  async changeDeliveries(how, targetName, id) {
    const named = id === undefined ? {} : { id }
    const path = { targetName }
    const { count } = await (how === 'retry'
      ? api.retryDeliveries({ path, body: named })
      : api.removeDeliveries({ path, query: named }))
    return count
  }
})
