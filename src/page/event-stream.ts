/**
 * Server-sent events by `fetch`, which can carry a token where `EventSource` cannot. After a lost connection it resumes from the
 * latest event (Last-Event-ID), so nothing is lost or repeated. A hidden tab holds no connection: a browser has six of them for a
 * server, and with as many tabs nothing else would get through.
 */
import { notOfTroupe, Refusal, send } from './api.ts'
import { pause } from './clock.ts'

export type Connection = 'connecting' | 'live' | 'lost'

interface Follow<T> {
  /** Id of the latest event that is known, or `now` for none of the stored ones. */
  after: number | 'now'
  /** The events of one chunk of the stream. */
  onEvents: (events: T[]) => void
  onConnection?: (connection: Connection) => void
  /** The server no longer has some of the events: what depends on them must be fetched again. */
  onGap?: () => void
}

const FIRST_PAUSE_MS = 400
const LONGEST_PAUSE_MS = 8_000
/** The server sends something at least every 15 s; after such a silence the connection is dead. */
const SILENCE_MS = 40_000

// D455: the page follows events with `fetch`, not `EventSource`
/** Follows the stream at `path`. Returns a function that ends it. */
export function follow<T>(path: string, { after, onEvents, onConnection, onGap }: Follow<T>): () => void {
  const ended = new AbortController()
  let last = String(after)
  let pauseMs = FIRST_PAUSE_MS

  async function once(over: AbortSignal): Promise<void> {
    const silence = new AbortController()
    const signal = AbortSignal.any([ended.signal, over, silence.signal])
    const response = await send(path, { headers: { Accept: 'text/event-stream', 'Last-Event-ID': last }, signal })
    // A proxy may answer with a page.
    if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
      void response.body?.cancel()
      throw new Refusal(0, notOfTroupe(response, 'an event stream'))
    }
    onConnection?.('live')
    const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    while (true) {
      const watch = new AbortController()
      void pause(SILENCE_MS, watch.signal).then(() => watch.signal.aborted || silence.abort())
      const { value, done } = await reader.read().finally(() => watch.abort())
      if (done) return
      pauseMs = FIRST_PAUSE_MS
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      const events: T[] = []
      for (const { id, event, data } of blocks.map(read)) {
        if (event === 'gap') onGap?.()
        else if (id !== undefined && data !== undefined) {
          last = id
          events.push(JSON.parse(data))
        }
      }
      if (events.length > 0) onEvents(events)
    }
  }

  async function always(): Promise<void> {
    while (!ended.signal.aborted) {
      await whenSeen(true, ended.signal)
      const over = new AbortController()
      void whenSeen(false, AbortSignal.any([ended.signal, over.signal])).then(() => over.abort())
      await once(over.signal).catch(() => {})
      const isHidden = over.signal.aborted
      over.abort()
      if (ended.signal.aborted) return
      onConnection?.('lost')
      if (isHidden) continue
      await Promise.race([pause(pauseMs, ended.signal), backOnline(ended.signal)])
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
  }
  onConnection?.('connecting')
  void always()
  return () => ended.abort()
}

/** Resolves when the tab is visible, or hidden; and when `signal` aborts. */
const whenSeen = (isSeen: boolean, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const found = new AbortController()
    const look = () => {
      if ((document.visibilityState === 'visible') !== isSeen && !signal.aborted) return
      found.abort()
      resolve()
    }
    document.addEventListener('visibilitychange', look, { signal: found.signal })
    signal.addEventListener('abort', look, { signal: found.signal })
    look()
  })

const backOnline = (signal: AbortSignal) =>
  new Promise<void>((resolve) => addEventListener('online', () => resolve(), { once: true, signal }))

/** The fields of one block of the stream. */
function read(block: string): { id?: string; event?: string; data?: string } {
  const fields = block.split('\n').flatMap((line) => {
    const colon = line.indexOf(': ')
    return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 2)] as const] : []
  })
  return Object.fromEntries(fields)
}
