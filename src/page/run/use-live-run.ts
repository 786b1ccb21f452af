/**
 * The current run: its journal, followed, and its details, fetched again when an event says that something changed. Between two
 * answers the statuses of nodes come from the events.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { JournalEvent, NodeLabel, RunDetails, RunInstant } from '../answers.ts'
import { ask, pathOf, Refusal, refusalOf } from '../api.ts'
import { after, atMostEvery, uptime } from '../clock.ts'
import { type Connection, follow } from '../event-stream.ts'

export interface LiveRun {
  details?: RunDetails
  /** The state of its nodes at the same moment, to the millisecond. */
  instant?: RunInstant
  refusal?: Refusal
  /** Every event so far, oldest first. */
  events: readonly JournalEvent[]
  /** Statuses from events after the latest answer, by step. */
  news: ReadonlyMap<string, NodeLabel>
  connection: Connection
  refresh: () => void
}

const DRAW_MS = 100
const ASK_MS = 300
/** The details of a large run take long to send and to render. */
const ASK_PER_NODE_MS = 3
const DRAW_PER_NODE_MS = 0.15
/** The details of a larger run, mostly its definition, are not fetched with every step that ends. */
const SMALL = 100
const LATER_MS = 10_000

/** The state of the run itself changed, or a sub run began or ended. */
const isOfTheWhole = ({ step, from, to, actor }: JournalEvent): boolean =>
  step === undefined && (from !== to || actor.endsWith('/attempt'))

export function useLiveRun(name: string, dagRunId: string): LiveRun {
  const [run, setRun] = useState<LiveRun>({ events: [], news: new Map(), connection: 'connecting', refresh() {} })
  const refresh = useRef(() => {})
  useEffect(() => {
    const path = `/dag-runs${pathOf(name, dagRunId)}`
    const ended = new AbortController()
    const events: JournalEvent[] = []
    let details: RunDetails | undefined
    let instant: RunInstant | undefined
    let refusal: Refusal | undefined
    let connection: Connection = 'connecting'
    /** `seq` of the latest event in the instant. */
    let known = 0
    /** `seq` of the latest event in the details. */
    let detailed = 0
    let isBusy = false
    /** The details may have changed since they were fetched. */
    let isStale = true
    let askedAt = Number.NEGATIVE_INFINITY
    const show = () =>
      setRun({
        events: events.slice(),
        news: newsOf(events, known),
        connection,
        refresh: () => refresh.current(),
        ...(details ? { details } : {}),
        ...(instant ? { instant } : {}),
        ...(refusal ? { refusal } : {})
      })
    let draw = atMostEvery(DRAW_MS, show)
    let callOff = () => {}
    const load = async () => {
      if (isBusy) return often.ask()
      isBusy = true
      try {
        const { signal } = ended
        const wanted = isStale || uptime() - askedAt > LATER_MS
        if (wanted) {
          isStale = false
          askedAt = uptime()
        }
        const current = await ask<RunInstant>(`${path}/actors?brief=true`, { signal })
        // After the instant: the details then include whatever the instant has.
        const answer = wanted ? await ask<{ dagRun: RunDetails }>(path, { signal }) : undefined
        if (answer) {
          details = answer.dagRun
          detailed = current.latest
        }
        instant = current
        known = current.latest
        refusal = undefined
      } catch (error) {
        if (ended.signal.aborted) return
        isStale = true
        refusal = refusalOf(error)
      }
      isBusy = false
      draw.ask()
      callOff()
      if (!instant || instant.statusLabel === 'running' || refusal?.status === 404) return
      // Removing it from its queue has no event, and deletes the run.
      callOff = after(LATER_MS, () => (instant?.statusLabel === 'queued' ? often.ask() : void lookForIt()))
    }
    /** No event comes when an ended run disappears: its definition was renamed, or its retention is over. */
    const lookForIt = async () => {
      const { signal } = ended
      if (signal.aborted) return
      try {
        // The cheapest request for a large run.
        if (document.visibilityState === 'visible') await ask(`${path}/journal?after=${known}&limit=1`, { signal })
      } catch (error) {
        if (error instanceof Refusal && error.status === 404) return often.ask()
      }
      callOff = after(LATER_MS, () => void lookForIt())
    }
    let often = atMostEvery(ASK_MS, () => void load())
    const begin = async () => {
      await load()
      if (ended.signal.aborted || !details) return
      const size = details.nodes.length
      often.end()
      often = atMostEvery(ASK_MS + size * ASK_PER_NODE_MS, () => void load())
      draw.end()
      draw = atMostEvery(DRAW_MS + size * DRAW_PER_NODE_MS, show)
      draw.ask()
      const end = follow<JournalEvent>(`${path}/events`, {
        after: 0,
        onEvents(news) {
          for (const event of news) events.push(event)
          const later = news.filter(({ seq }) => seq > detailed)
          if (later.length > 0 && (size <= SMALL || later.some(isOfTheWhole))) isStale = true
          if (isStale || news.some(({ seq }) => seq > known)) often.ask()
          draw.ask()
        },
        onConnection(next) {
          if (next === 'live' && connection === 'lost') often.ask()
          connection = next
          draw.ask()
        }
      })
      ended.signal.addEventListener('abort', end)
    }
    refresh.current = () => {
      isStale = true
      if (details) often.ask()
      else void begin()
    }
    void begin()
    return () => {
      ended.abort()
      callOff()
      often.end()
      draw.end()
    }
  }, [name, dagRunId])
  return run
}

function newsOf(events: readonly JournalEvent[], known: number): ReadonlyMap<string, NodeLabel> {
  const labels = new Map<string, NodeLabel>()
  for (let at = events.length - 1; at >= 0; at--) {
    const { seq = 0, step, statusLabel } = events[at] ?? {}
    if (seq <= known) break
    // The label of an event about a step is one of a node.
    if (step !== undefined && statusLabel && !labels.has(step)) labels.set(step, statusLabel as NodeLabel)
  }
  return labels
}
