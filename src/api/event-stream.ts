/**
 * Server-sent events from the journal: what is stored first, then what comes. A reader has a place in the journal and no
 * queue of its own, so a slow one costs nothing; who is told of a record reads it from the store. Source: api-semantics 12.
 */
import { Readable } from 'node:stream'
import type { ParameterizedContext } from 'koa'
import { pause, systemClock } from '../clock.ts'
import { type Places, placesFor } from './places.ts'

/** Where events come from. */
export interface EventSource {
  /** Up to `limit` events after the one with the number `after`; `end`: number to go on after. */
  read(after: number, limit: number): { events: { id: number; data: object }[]; end: number; missed: number }
  /** Number of the latest event. */
  latest(): number
  /** Calls `told` when there may be more. Returns the way to end it. */
  watch(told: () => void): () => void
}

/** Events that are read at once. */
const PAGE = 100
/** Events that come within this time after others go out together: each packet wakes both sides. */
const GATHER_MS = 50
/** A comment goes out when nothing else has for so long, so that no one on the way takes the connection for dead. */
const SILENCE_MS = 15_000

/** Streams of events, those that come from other servers too. */
export const streamPlaces = (): Places => placesFor('event streams', { most: 500, share: 64 })

// D213
/** @param closing ends every stream @param places one for each of them; default: places of their own */
export function eventStreams(closing: AbortSignal, places: Places = streamPlaces()) {
  /**
   * Answers with a stream.
   * @param after number of the latest event that the client has; `now`: none of the stored ones is wanted
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
    // Before the answer has begun: an engine that only reads refuses it.
    const unwatch = follow ? source.watch(() => bell.ring()) : () => {}
    ctx.res.once('close', () => {
      unwatch()
      gone.abort()
    })
    const latest = source.latest()
    const place = after === 'now' ? latest : Math.min(after, latest)
    const lines = linesOf(source, bell, place, follow, AbortSignal.any([gone.signal, closing]))
    ctx.set('Cache-Control', 'no-store')
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
  const told = () => {
    news = true
    wake()
  }
  bell.ring = told
  ended.addEventListener('abort', told, { once: true })
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
    ended.removeEventListener('abort', told)
  }
}
