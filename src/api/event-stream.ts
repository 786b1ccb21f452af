/**
 * Server-sent events from the journal: stored events first, then new ones. A reader has a position in the journal and no
 * queue, so a slow one costs no memory; notified of a record, it reads the store. Source: api-semantics 12.
 */
import { Readable } from 'node:stream'
import type { ParameterizedContext } from 'koa'
import { pause, systemClock } from '../clock.ts'
import { type Places, placesFor } from './places.ts'
import { connectionsWithin } from './rules/open-files.ts'

export interface EventSource {
  /** Up to `limit` events after number `after`; `end`: the number to continue after. */
  read(after: number, limit: number): { events: { id: number; data: object }[]; end: number; missed: number }
  latest(): number
  /** Calls `notify` when there may be more. Returns a function that ends it. */
  watch(notify: () => void): () => void
}

/** Events per read. */
const PAGE = 100
/** Events within this time are sent together: each packet wakes both sides. */
const GATHER_MS = 50
/** A comment is sent after so much silence, so that no proxy takes the connection for dead. */
const SILENCE_MS = 15_000

/** Event streams, forwarded ones included. @param share of one caller */
export const streamPlaces = (limit?: Parameters<typeof placesFor>[2], share = 64): Places =>
  placesFor('event streams', { most: Math.min(500, Math.floor(connectionsWithin(1_000) / 2)), share }, limit)

// D213: `/events` has its own numbers
/** @param closing ends every stream @param places one for each of them; default: separate ones */
export function eventStreams(closing: AbortSignal, places: Places = streamPlaces()) {
  /**
   * Answers with a stream.
   * @param after number of the latest event that the client has; `now`: skips the stored events
   * @param follow false: the stream ends with what is stored
   * @throws as `Places.take`
   */
  return function answerWithEvents(
    ctx: ParameterizedContext,
    source: EventSource,
    { after, follow }: { after: number | 'now'; follow: boolean }
  ): void {
    if (ctx.res.closed) return // the client went away while its credentials were looked at
    places.take(ctx)
    const gone = new AbortController()
    const bell = { ring() {} }
    // Before the answer begins: a read-only engine refuses it.
    const unwatch = follow ? source.watch(() => bell.ring()) : () => {}
    ctx.res.once('close', () => {
      unwatch()
      gone.abort()
    })
    const latest = source.latest()
    const place = after === 'now' ? latest : Math.min(after, latest)
    const lines = linesOf(source, bell, place, follow, AbortSignal.any([gone.signal, closing]))
    ctx.set('Cache-Control', 'no-store, no-transform') // compression on the way would keep events back
    ctx.set('X-Accel-Buffering', 'no')
    ctx.body = Readable.from(lines, { objectMode: false })
    ctx.type = 'text/event-stream; charset=utf-8'
  }
}

async function* linesOf(
  source: EventSource,
  bell: { ring(): void },
  after: number,
  follow: boolean,
  ended: AbortSignal
): AsyncGenerator<string, void, undefined> {
  let news = false
  let hasSent = false
  let wake = () => {}
  const notify = () => {
    news = true
    wake()
  }
  bell.ring = notify
  ended.addEventListener('abort', notify, { once: true })
  try {
    yield ': the journal\n\n' // the client hears at once that it is connected
    while (!ended.aborted) {
      news = false
      const { events, end, missed } = source.read(after, PAGE)
      const gap = missed > 0 ? `event: gap\ndata: ${JSON.stringify({ missed })}\n\n` : ''
      const text = events.map(({ id, data }) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`).join('')
      if (gap + text !== '') yield gap + text
      if (end !== after) {
        after = end
        hasSent = true
        continue
      }
      if (!follow) return
      if (hasSent) await pause(systemClock, GATHER_MS, ended)
      hasSent = false
      if (news) continue
      const isSilent = await new Promise<boolean>((resolve) => {
        const cancel = systemClock.after(SILENCE_MS, () => resolve(true))
        wake = () => {
          cancel()
          resolve(false)
        }
        if (news || ended.aborted) wake()
      })
      if (isSilent) yield ': still here\n\n'
    }
  } finally {
    ended.removeEventListener('abort', notify)
  }
}
