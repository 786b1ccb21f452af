/** From records to spans: names, times, attributes, status. Knows nothing of how they are sent. Source: execution-semantics 14.5.2-14.5.4. */
import type { NodeRecord, Otel, RunRecord } from '../../machines/vocabulary.ts'
import { placeOfStep, type SpanPlace } from './context.ts'

/** How one run is traced; every text evaluated. In memory only. */
export interface Trace extends SpanPlace {
  parentSpanId?: string
  /** `headers` may hold credentials of the collector. */
  exporter: Pick<Otel, 'endpoint' | 'headers' | 'insecure' | 'timeoutMs'>
  /** Secrets masked. */
  resource: Record<string, string>
  /** Takes the values of secrets out of a text. */
  mask(text: string): string
}

/** One span, over. Instants in epoch ms. */
export interface SpanFacts extends SpanPlace {
  name: string
  parentSpanId?: string
  startedAt: number
  finishedAt: number
  attributes: Record<string, string | number>
  /** Why it failed; absent: it did not. */
  failure?: string
}

/** Longest error text in a span, in characters. */
const MAX_ERROR = 1_024

// D744
/** @param record of a run that has ended */
export function runSpan({ mask, ...trace }: Trace, record: RunRecord): SpanFacts {
  const { name, dagRunId, status, caller, createdAt, startedAt = createdAt, finishedAt = startedAt, error } = record
  const { traceId, spanId, traceState, parentSpanId } = trace
  const attributes = {
    'dag.name': name,
    'dag.run_id': dagRunId,
    ...(caller ? { 'dag.parent_run_id': caller.parent.dagRunId, 'dag.parent_name': caller.parent.name } : {}),
    'dag.status': status
  }
  return {
    name: mask(`DAG: ${name}`),
    traceId,
    spanId,
    ...(traceState ? { traceState } : {}),
    ...(parentSpanId ? { parentSpanId } : {}),
    startedAt,
    finishedAt,
    attributes: masked(attributes, mask),
    ...failureOf(status, error, mask)
  }
}

/** One span for all executions of a step: its retries and repeats. @param node of a step that has ended */
export function stepSpan(trace: Trace, node: NodeRecord): SpanFacts {
  const { step, status, exitCode = 0, startedAt = 0, finishedAt = startedAt, error } = node
  const { mask, spanId, traceId, traceState } = trace
  const place = placeOfStep({ traceId, spanId, ...(traceState ? { traceState } : {}) }, step)
  const attributes = {
    'step.name': step,
    'step.status': status,
    ...(exitCode === 0 ? {} : { 'step.exit_code': exitCode })
  }
  return {
    name: mask(`Step: ${step}`),
    ...place,
    parentSpanId: spanId,
    startedAt,
    finishedAt,
    attributes: masked(attributes, mask),
    ...failureOf(status, error, mask)
  }
}

const masked = (attributes: Record<string, string | number>, mask: Trace['mask']): SpanFacts['attributes'] =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'string' ? mask(value) : value])
  )

const failureOf = (status: string, error: string | undefined, mask: Trace['mask']): Pick<SpanFacts, 'failure'> =>
  status === 'failed' ? { failure: mask(error ?? '').slice(0, MAX_ERROR) } : {}
