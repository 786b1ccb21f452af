/**
 * Ids of traces and spans, and how they travel: W3C trace context. Ids follow from the run, so that they are the same after a
 * restart of the engine. Source: execution-semantics 14.5.5.
 */
import { createHash } from 'node:crypto'
import type { RunRecord } from '../../machines/vocabulary.ts'

/** Where a span stands. */
export interface SpanPlace {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  /** What other tracing systems want to be handed on. */
  traceState?: string
}

/** Names under which a process finds its trace context. */
const TRACEPARENT = 'TRACEPARENT'
const TRACESTATE = 'TRACESTATE'

const digest = (...parts: (string | number)[]) => createHash('sha256').update(parts.join('\0')).digest('hex')

// D741
/**
 * Place of one attempt of a run: below `parent`, or on top of a trace of its own. Run ids are unique per engine only: the
 * time at which the run was made tells those of several engines apart.
 */
export function placeOfRun(record: RunRecord, parent: SpanPlace | undefined): SpanPlace {
  const { name, dagRunId, attempt, createdAt } = record
  const traceId = parent?.traceId ?? digest('trace', name, dagRunId, attempt, createdAt).slice(0, 32)
  const spanId = digest('run', name, dagRunId, attempt, createdAt).slice(0, 16)
  return { traceId, spanId, ...(parent?.traceState ? { traceState: parent.traceState } : {}) }
}

/** Place of a step below its run. */
export const placeOfStep = (run: SpanPlace, step: string): SpanPlace => ({
  ...run,
  spanId: digest('step', run.traceId, run.spanId, step).slice(0, 16)
})

const PARENT = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/
const LONGEST_STATE = 512

/** What a run is told of a trace that it belongs to; undefined: of none, or in no known form. */
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

/** The variables that tell a process of its place; every span is sampled. */
export const variablesFor = ({ traceId, spanId, traceState }: SpanPlace): Record<string, string> => ({
  [TRACEPARENT]: `00-${traceId}-${spanId}-01`,
  ...(traceState ? { [TRACESTATE]: traceState } : {})
})
