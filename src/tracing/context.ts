/**
 * Ids of traces and spans, and their propagation: W3C trace context. Ids are derived from the run, so that they are the same after
 * a restart of the engine. Source: execution-semantics 14.5.5.
 */
import { createHash } from 'node:crypto'
import type { RunRecord } from '../../machines/vocabulary.ts'

export interface SpanPlace {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  /** Data of other tracing systems, passed on unchanged. */
  traceState?: string
}

/** Environment variables with the trace context of a process. */
const TRACEPARENT = 'TRACEPARENT'
const TRACESTATE = 'TRACESTATE'

const digest = (...parts: (string | number)[]) => createHash('sha256').update(parts.join('\0')).digest('hex')

// D741: a span is made from records when the run or step has ended
/**
 * Place of one attempt of a run: below `parent`, or at the root of a new trace. Run ids are only unique per engine: the creation
 * time of the run distinguishes those of several engines.
 */
export function placeOfRun(record: RunRecord, parent: SpanPlace | undefined): SpanPlace {
  const { name, dagRunId, attempt, createdAt } = record
  const traceId = parent?.traceId ?? digest('trace', name, dagRunId, attempt, createdAt).slice(0, 32)
  const spanId = digest('run', name, dagRunId, attempt, createdAt).slice(0, 16)
  return { traceId, spanId, ...(parent?.traceState ? { traceState: parent.traceState } : {}) }
}

export const placeOfStep = (run: SpanPlace, step: string): SpanPlace => ({
  ...run,
  spanId: digest('step', run.traceId, run.spanId, step).slice(0, 16)
})

const PARENT = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/
const LONGEST_STATE = 512

/** The trace that a run belongs to; undefined: none, or in an unknown form. */
export function placeIn(variables: Readonly<Record<string, string>>): SpanPlace | undefined {
  const [, traceId, spanId] = PARENT.exec(variables[TRACEPARENT]?.trim() ?? '') ?? []
  if (!traceId || !spanId) return undefined
  const traceState = variables[TRACESTATE]?.trim() ?? ''
  return {
    traceId,
    spanId,
    ...(/^[\x20-\x7e]+$/.test(traceState) && traceState.length <= LONGEST_STATE ? { traceState } : {})
  }
}

/** Environment variables that pass the place to a process; every span is sampled. */
export const variablesFor = ({ traceId, spanId, traceState }: SpanPlace): Record<string, string> => ({
  [TRACEPARENT]: `00-${traceId}-${spanId}-01`,
  ...(traceState ? { [TRACESTATE]: traceState } : {})
})
