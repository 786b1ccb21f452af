/**
 * Memory that is held for clients: bodies that are still arriving, answers that are not yet read. It is limited in total, so that slow
 * clients cannot fill it, and per caller, so that one leaves space for others; small ones are always accepted. Source: reliability P18,
 * P20.
 */
import type { ParameterizedContext } from 'koa'
import { LimitReached, ShareTaken } from '../../errors.ts'
import { sharerOf } from '../auth/principal.ts'

const MIB = 1024 ** 2
// D234: at most 64 MiB are buffered for requests and answers
const MOST_BYTES = 64 * MIB
// D272: Connections, streams and buffers are shared fairly
/** Per caller. */
const SHARE_BYTES = 32 * MIB
/** Bytes of each body and answer that are free: connections limit their number. */
const FREE_BYTES = 64 * 1024

type Kind = 'body' | 'answer'

interface Held {
  bytes: number
  /** By caller. */
  shares: Map<string, number>
}

/** The client is gone: the answer is dropped like one whose connection breaks. */
export class ClientGone extends Error {
  readonly code = 'ECONNRESET'
  constructor() {
    super('the client has gone')
  }
}

/** By application, of which a server has one. */
const heldOf = new WeakMap<object, Held>()
const claimsOf = new WeakMap<object, Record<Kind, number>>()

/**
 * Counts the bytes of a body or an answer until the request ends.
 * @throws ShareTaken: its caller holds too much; LimitReached: all hold too much; ClientGone
 */
export function hold(ctx: ParameterizedContext, kind: Kind, bytes: number): void {
  const more = Math.max(0, bytes - FREE_BYTES) - (claimsOf.get(ctx.req)?.[kind] ?? 0)
  if (more <= 0) return
  // The end of the response was already reported: the bytes would never be released.
  if (ctx.res.closed) throw new ClientGone()
  const held = heldOf.get(ctx.app) ?? { bytes: 0, shares: new Map() }
  heldOf.set(ctx.app, held)
  const sharer = sharerOf(ctx)
  const own = held.shares.get(sharer) ?? 0
  if (own + more > SHARE_BYTES)
    throw new ShareTaken(
      `${SHARE_BYTES / MIB} MiB are held for requests and answers of yours that are under way, which is all one may have: ask again, or for less at once`
    )
  if (held.bytes + more > MOST_BYTES)
    throw new LimitReached(
      `${MOST_BYTES / MIB} MiB are held for requests and answers that are under way: ask again, or for less at once`
    )
  const claims = claimsOf.get(ctx.req) ?? firstClaims(ctx, held, sharer)
  claims[kind] += more
  held.bytes += more
  held.shares.set(sharer, own + more)
}

function firstClaims({ req, res }: ParameterizedContext, held: Held, sharer: string): Record<Kind, number> {
  const claims = { body: 0, answer: 0 }
  claimsOf.set(req, claims)
  res.once('close', () => {
    const bytes = claims.body + claims.answer
    const left = (held.shares.get(sharer) ?? 0) - bytes
    held.bytes -= bytes
    if (left > 0) held.shares.set(sharer, left)
    else held.shares.delete(sharer)
  })
  return claims
}
