/** Deliveries and targets as they are listed. Source: docs/notifications.md "Dead letters". */
import type { Deliveries, TargetFigures } from '../../actors/notify/deliveries.ts'
import { TroupeError } from '../../errors.ts'
import type { Store } from '../../store/open.ts'
import { type DeliveryState, deliveriesFrom, deliveryCount, targetsWith } from '../../store/tables/deliveries.ts'
import type { DeliveriesPart, DeliveryFilter, DeliveryView, TargetView } from '../delivery-views.ts'

/** By state, target and time. @param after `next` of the part before @throws TroupeError bad_request */
export function deliveriesPart(
  store: Store,
  { state, target }: DeliveryFilter,
  limit: number,
  after?: string
): DeliveriesPart {
  const from = after === undefined ? undefined : placeIn(after)
  const deliveries: DeliveryView[] = []
  for (const one of ['dead', 'waiting'] as const) {
    if ((state !== undefined && state !== one) || (from?.state === 'waiting' && one === 'dead')) continue
    const behind = from?.state === one ? from : undefined
    const wanted = limit + 1 - deliveries.length
    for (const { key, value } of deliveriesFrom(store, one, target, behind, wanted)) {
      const { body: _, giveUpAt: __, dueAt, ...shown } = value
      deliveries.push({ ...shown, target: key[1], id: key[2], state: one, ...(one === 'waiting' ? { dueAt } : {}) })
    }
  }
  const more = deliveries.length > limit
  const last = deliveries[limit - 1]
  return { deliveries: deliveries.slice(0, limit), ...(more && last ? { next: textOf(last) } : {}) }
}

const textOf = ({ state, target, id }: DeliveryView) => Buffer.from(`${state} ${id} ${target}`).toString('base64url')

function placeIn(text: string): { state: DeliveryState; target: string; id: string } {
  const [, state, id = '', target = ''] =
    /^(dead|waiting) ([0-9a-f-]{36}) (.*)$/.exec(Buffer.from(text, 'base64url').toString()) ?? []
  if (state !== 'dead' && state !== 'waiting')
    throw new TroupeError('bad_request', 'cursor: wanted the nextCursor of an earlier answer')
  return { state, target, id }
}

/** Targets of `notify` in their order, then others that something is stored for. @param figures absent: this engine sends nothing */
export function targetViews(
  store: Store,
  configured: readonly { name: string }[],
  figures: readonly TargetFigures[] = []
): TargetView[] {
  const names = configured.map(({ name }) => name)
  const others = new Set([...targetsWith(store, 'dead'), ...targetsWith(store, 'waiting')])
  const all = [...names, ...[...others].filter((name) => !names.includes(name)).sort()]
  return all.map((name) => {
    const known = figures.find((one) => one.name === name)
    return {
      name,
      isConfigured: names.includes(name),
      dead: deliveryCount(store, 'dead', name),
      waiting: known?.waiting ?? deliveryCount(store, 'waiting', name),
      ...(known ? { failures: known.failures, counts: known.counts } : {})
    }
  })
}

/** @param deliveries absent: nothing is stored @throws TroupeError not_found; bad_request: the target is not configured any more */
export async function changedDeliveries(
  deliveries: Deliveries | undefined,
  views: readonly TargetView[],
  how: 'retry' | 'remove',
  target: string,
  id: string | undefined
): Promise<number> {
  const known = views.find(({ name }) => name === target)
  if (!known || !deliveries) throw new TroupeError('not_found', `notify has no target named ${target}`)
  if (how === 'retry' && !known.isConfigured)
    throw new TroupeError(
      'bad_request',
      `notify has no target named ${target} any more: configure it again, or delete its dead letters`
    )
  const count = await deliveries[how](target, id)
  if (count === 0 && id !== undefined) throw new TroupeError('not_found', `there is no dead letter ${id} for ${target}`)
  return count
}
