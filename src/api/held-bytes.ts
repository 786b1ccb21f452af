/**
 * Memory that is held for clients: bodies that are still coming, answers that are not yet taken. It is bounded in all, so that slow
 * clients cannot fill it; small ones always find room, so that others are served meanwhile. Source: reliability P18, P20.
 */
import type { ParameterizedContext } from 'koa'
import { LimitReached } from '../errors.ts'

const MOST_BYTES = 64 * 1024 * 1024
/** Of each body and each answer so many count for nothing: there are never more than the connections. */
const FREE_BYTES = 64 * 1024

type Kind = 'body' | 'answer'

/** By the application, which is one server's. */
const heldOf = new WeakMap<object, number>()
const claimsOf = new WeakMap<object, Record<Kind, number>>()

/**
 * This request has a body, or will have an answer, of so many bytes; until it is over they count.
 * @throws LimitReached: others hold too much
 */
export function hold(ctx: ParameterizedContext, kind: Kind, bytes: number): void {
  const claims = claimsOf.get(ctx.req) ?? firstClaims(ctx)
  const more = Math.max(0, bytes - FREE_BYTES) - claims[kind]
  if (more <= 0) return
  const held = heldOf.get(ctx.app) ?? 0
  if (held + more > MOST_BYTES)
    throw new LimitReached(
      `${MOST_BYTES / 1024 ** 2} MiB are held for requests and answers that are under way: ask again, or for less at once`
    )
  claims[kind] += more
  heldOf.set(ctx.app, held + more)
}

function firstClaims({ app, req, res }: ParameterizedContext): Record<Kind, number> {
  const claims = { body: 0, answer: 0 }
  claimsOf.set(req, claims)
  res.once('close', () => heldOf.set(app, (heldOf.get(app) ?? 0) - claims.body - claims.answer))
  return claims
}
