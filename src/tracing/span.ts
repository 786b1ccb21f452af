/** Turns records into spans: names, times, attributes, status. Knows nothing of sending. Source: execution-semantics 14.5.2-14.5.4. */
import type { NodeRecord, Otel, RunRecord } from '../../machines/vocabulary.ts'
import { placeOfStep, type SpanPlace } from './context.ts'

/** The tracing settings of a run, evaluated. In memory only. */
export interface Trace extends SpanPlace {
  parentSpanId?: string
  /** `headers` may contain credentials for the collector. */
  exporter: Pick<Otel, 'endpoint' | 'headers' | 'insecure' | 'timeoutMs'>
  /** Secrets masked. */
  resource: Record<string, string>
  /** Replaces the values of secrets in a text. */
  mask(text: string): string
}

/** A finished span. Instants in epoch ms. */
export interface SpanData extends SpanPlace {
  name: string
  parentSpanId?: string
  startedAt: number
  finishedAt: number
  attributes: Record<string, string | number>
  /** Why the run or step failed; absent: it did not fail. */
  failure?: string
}

/** Maximum length of an error text in a span, in characters. */
const MAX_ERROR = 1_024

// D744: which failures have a span
/** @param record of a run that has ended */
export function runSpan({ mask, ...trace }: Trace, record: RunRecord): SpanData {
  const { name, dagRunId, status, caller, createdAt, startedAt = createdAt, finishedAt = startedAt, error } = record
  const { traceId, spanId, traceState, parentSpanId } = trace
  const attributes = {
    'dag.name': name,
    'dag.run_id': dagRunId,
    ...(caller ? { 'dag.parent_run_id': caller.parent.dagRunId, 'dag.parent_name': caller.parent.name } : {}),
    'dag.status': status,
    ...(record.placement ? { 'worker.id': record.placement.id } : {})
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

/** A span for all executions of a step, its retries and passes. @param node of a step that has ended @param worker that had it */
export function stepSpan(trace: Trace, node: NodeRecord, worker?: string): SpanData {
  const { step, status, exitCode = 0, startedAt = 0, finishedAt = startedAt, error } = node
  const { mask, spanId, traceId, traceState } = trace
  const place = placeOfStep({ traceId, spanId, ...(traceState ? { traceState } : {}) }, step)
  const attributes = {
    'step.name': step,
    'step.status': status,
    ...(worker === undefined ? {} : { 'worker.id': worker }),
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

const masked = (attributes: Record<string, string | number>, mask: Trace['mask']): SpanData['attributes'] =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'string' ? mask(value) : value])
  )

const failureOf = (status: string, error: string | undefined, mask: Trace['mask']): Pick<SpanData, 'failure'> =>
  status === 'failed' ? { failure: mask(error ?? '').slice(0, MAX_ERROR) } : {}
