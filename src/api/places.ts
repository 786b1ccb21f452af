/** Slots that are held for as long as an answer lasts, limited in total and per caller. Source: reliability P20. */
import type { ParameterizedContext } from 'koa'
import { LimitReached, ShareTaken } from '../errors.ts'
import { sharerOf } from './auth/principal.ts'

export interface Places {
  /** Takes one until the answer ends. @throws ShareTaken: this caller has its share; LimitReached: none is free */
  take(ctx: ParameterizedContext): void
}

// D272: Connections, streams and buffers are shared fairly
/**
 * @param what they are for, as a plural @param share of one caller
 * @param limit of a certain one, and the setting that says it; undefined: the share counts alone
 */
export function placesFor(
  what: string,
  { most, share }: { most: number; share: number },
  limit: (ctx: ParameterizedContext) => { most: number; by: string } | undefined = () => undefined
): Places {
  let taken = 0
  const shares = new Map<string, number>()
  return {
    take(ctx) {
      const sharer = sharerOf(ctx)
      const own = shares.get(sharer) ?? 0
      const limited = limit(ctx)
      if (limited && own >= limited.most)
        throw new ShareTaken(`you have ${own} ${what} open: ${limited.by} allows ${limited.most}`, { retryAfter: 5 })
      if (own >= share) throw new ShareTaken(`you have ${share} ${what} open, which is all one may: end one first`)
      if (taken >= most) throw new LimitReached(`${most} ${what} are open: ask again when one has ended`)
      taken++
      shares.set(sharer, own + 1)
      ctx.res.once('close', () => {
        taken--
        const left = (shares.get(sharer) ?? 0) - 1
        if (left > 0) shares.set(sharer, left)
        else shares.delete(sharer)
      })
    }
  }
}
