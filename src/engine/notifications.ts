/** Opens what tells targets of events, only where there is something to tell or to keep. Source: docs/notifications.md. */
import { hostname } from 'node:os'
import type { Deliveries } from '../actors/notify/deliveries.ts'
import type { Notices } from '../actors/notify/notices.ts'
import type { System } from '../actors/root/system.ts'
import { survived } from '../log.ts'
import type { EngineParts } from './engine-parts.ts'

export interface Notifications {
  /** Absent: no targets are configured. */
  notices?: Notices
  /** Delivers from now on. */
  begin(system: Pick<System, 'transactions'>): Deliveries
}

/** Undefined: there are no targets, and nothing is left of earlier ones. */
export async function openNotifications({
  config: { notify: targets, publicUrl },
  store,
  clock,
  log
}: Pick<EngineParts, 'config' | 'store' | 'clock' | 'log'>): Promise<Notifications | undefined> {
  const [left] = store.deliveries.getKeys({ limit: 1 })
  if (targets.length === 0 && left === undefined) return undefined
  const [{ openNotices }, { openDeliveries }] = await Promise.all([
    import('../actors/notify/notices.ts'),
    import('../actors/notify/deliveries.ts')
  ])
  let deliveries: Deliveries | undefined
  const sender = publicUrl ? { source: publicUrl, address: publicUrl } : { source: `urn:troupe:${hostname()}` }
  return {
    ...(targets.length === 0
      ? {}
      : {
          notices: openNotices({
            store,
            clock,
            targets,
            sender,
            added: (target, id, dueAt) => deliveries?.added(target, id, dueAt)
          })
        }),
    begin({ transactions }) {
      deliveries = openDeliveries({
        store,
        clock,
        transactions,
        targets,
        changed: (target, isFailing) =>
          isFailing
            ? log.warn('a target of notify does not accept events: they wait, troupe deliveries lists them', { target })
            : log.info('a target of notify accepts events again', { target }),
        fault: (error) => survived(log, error)
      })
      return deliveries
    }
  }
}
