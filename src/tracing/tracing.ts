/** Sends the spans of all runs in the background: no run waits for it or fails because of it. Source: execution-semantics 14.5.1. */
import type { NodeRecord, RunRecord } from '../../machines/vocabulary.ts'
import { type Clock, pause } from '../clock.ts'
import { type Exporter, openExporter } from './exporter.ts'
import { runSpan, type SpanData, stepSpan, type Trace } from './span.ts'

interface Way {
  opening: Promise<Exporter>
  /** Cancels its closing. */
  stay(): void
}

/** The connection to an unused collector is closed after this time. */
const IDLE_MS = 60_000
/** How long a closing engine waits for its collectors. */
const CLOSE_MS = 3_000

/** @param warn called once for each run that loses spans, with the reason */
export function openTracing(clock: Clock, warn: (record: RunRecord, reason: string) => void) {
  const ways = new Map<string, Way>()
  const leaving = new Map<Promise<void>, Promise<Exporter>>()
  const warned = new WeakSet<object>()

  const report = (trace: Trace, record: RunRecord, error: Error) => {
    if (warned.has(trace)) return
    warned.add(trace)
    warn(record, trace.mask(error.message))
  }

  function wayFor(settings: Trace['exporter']): Way {
    const key = JSON.stringify(settings)
    const known = ways.get(key)
    known?.stay()
    const opening =
      known?.opening ??
      openExporter(settings, (marks, error) => {
        // The exporter returns the marks that it was passed.
        for (const mark of marks as Set<Mark>) report(mark.trace, mark.record, error)
      })
    const way = { opening, stay: clock.after(IDLE_MS, () => leave(key, opening)) }
    ways.set(key, way)
    return way
  }

  function leave(key: string, opening: Promise<Exporter>): void {
    ways.delete(key)
    const left: Promise<void> = opening
      .then((exporter) => exporter.close())
      .catch(() => {}) // already reported for the spans of the run
      .finally(() => leaving.delete(left))
    leaving.set(left, opening)
  }

  function send(trace: Trace, record: RunRecord, span: SpanData): void {
    const mark: Mark = { trace, record }
    void wayFor(trace.exporter)
      .opening.then((exporter) => exporter.add(span, trace.resource, mark))
      .catch((error: Error) => report(trace, record, error))
  }

  return {
    /** A run has ended. */
    run: (trace: Trace, record: RunRecord): void => send(trace, record, runSpan(trace, record)),
    /** A step that was executed has ended. */
    step: (trace: Trace, record: RunRecord, node: NodeRecord): void =>
      send(trace, record, stepSpan(trace, node, record.placement?.id)),
    /** Sends the remaining spans, within `CLOSE_MS`. */
    async close(): Promise<void> {
      for (const [key, { opening, stay }] of ways) {
        stay()
        leave(key, opening)
      }
      if (leaving.size === 0) return
      const over = new AbortController()
      await Promise.race([Promise.all(leaving.keys()), pause(clock, CLOSE_MS, over.signal)])
      over.abort()
      const late = Array.from(leaving.values(), (opening) => opening.then((exporter) => exporter.abandon()))
      await Promise.allSettled(late) // a failure to open has already been reported
    }
  }
}

/** The run that a span belongs to. */
interface Mark {
  trace: Trace
  record: RunRecord
}
