/** Exports to one collector, with the OpenTelemetry packages, which are loaded on first use. Source: execution-semantics 14.5.4, 14.5.6. */
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node'
import type { SpanData, Trace } from './span.ts'

/** Sends spans of several runs to one collector. */
export interface Exporter {
  /** Never waits. @param mark passed to `failed` if the span is lost */
  add(span: SpanData, resource: Trace['resource'], mark: object): void
  /** Sends the remaining spans. */
  close(): Promise<void>
  /** Drops what has not been sent. */
  abandon(): void
}

const SERVICE = 'troupe'
const INTERNAL = 0
const ERROR = 2
const SAMPLED = 1
/** How long spans wait to be sent in a batch. */
const GATHER_MS = 500
/** Limits the memory for a slow or dead collector; further spans are dropped. */
const MAX_WAITING = 16_384
const MAX_BATCH = 1_024

/**
 * @param failed called with the marks of spans that could not be sent
 * @throws Error for an endpoint in an unknown form
 */
export async function openExporter(
  settings: Trace['exporter'],
  failed: (marks: Set<object>, error: Error) => void
): Promise<Exporter> {
  const [{ BatchSpanProcessor }, { resourceFromAttributes }, inner] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/resources'),
    exporterFor(settings)
  ])
  /** Spans being sent. */
  const marks = new Map<ReadableSpan, object>()
  const lost = (spans: Iterable<ReadableSpan>, error: Error) => {
    const theirs = new Set<object>()
    for (const span of spans) {
      const mark = marks.get(span)
      if (mark) theirs.add(mark)
    }
    failed(theirs, error)
  }
  /** Shared by the spans of a run, so that the wire format contains it once. */
  const resources = new WeakMap<Trace['resource'], ReadableSpan['resource']>()
  const resourceOf = (attributes: Trace['resource']) => {
    const resource = resources.get(attributes) ?? resourceFromAttributes({ 'service.name': SERVICE, ...attributes })
    resources.set(attributes, resource)
    return resource
  }
  const reporting: SpanExporter = {
    export: (spans, done) =>
      inner.export(spans, (result) => {
        if (result.code !== 0) lost(spans, result.error ?? new Error('no reason given'))
        for (const span of spans) marks.delete(span)
        done({ code: 0 }) // The failure has been reported above; the package must not report it again.
      }),
    shutdown: () => inner.shutdown()
  }
  const processor = new BatchSpanProcessor(reporting, {
    scheduledDelayMillis: GATHER_MS,
    exportTimeoutMillis: settings.timeoutMs + 1_000,
    maxQueueSize: MAX_WAITING,
    maxExportBatchSize: MAX_BATCH
  })
  return {
    add(data, resource, mark) {
      const span = readable(data, resourceOf(resource))
      if (marks.size >= MAX_WAITING) {
        failed(new Set([mark]), new Error(`the collector is too slow: ${MAX_WAITING} spans wait for it`))
        return
      }
      marks.set(span, mark)
      processor.onEnd(span)
    },
    close: () => processor.shutdown(),
    abandon() {
      lost(marks.keys(), new Error('the engine was closed before the collector had taken them'))
      marks.clear()
    }
  }
}

/** `http(s)://...`: OTLP over HTTP, protobuf. `host:port`: OTLP over gRPC. */
async function exporterFor({
  endpoint,
  headers,
  insecure,
  timeoutMs: timeoutMillis
}: Trace['exporter']): Promise<SpanExporter> {
  if (/^https?:\/\//i.test(endpoint)) {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto')
    const url = new URL(endpoint)
    if (url.pathname === '/') url.pathname = '/v1/traces'
    const unchecked = insecure && url.protocol === 'https:' ? { httpAgentOptions: { rejectUnauthorized: false } } : {}
    return new OTLPTraceExporter({ url: url.href, headers, timeoutMillis, ...unchecked })
  }
  if (!/^(?:[^\s:/]+|\[[\da-f:.]+\]):\d{1,5}$/i.test(endpoint))
    throw new Error(`otel.endpoint: wanted http://..., https://... or <host>:<port>, found "${endpoint}"`)
  const [{ OTLPTraceExporter }, { Metadata }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-grpc'),
    import('@grpc/grpc-js')
  ])
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return new OTLPTraceExporter({ url: `${insecure ? 'http' : 'https'}://${endpoint}`, metadata, timeoutMillis })
}

const instant = (ms: number): [number, number] => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)]

/** A span in the form of the SDK, with times from the records of the run. */
function readable(data: SpanData, resource: ReadableSpan['resource']): ReadableSpan {
  const { name, traceId, spanId, traceState, parentSpanId, startedAt, finishedAt, attributes, failure } = data
  const state = traceState === undefined ? {} : { traceState: stateOf(traceState) }
  return {
    name,
    kind: INTERNAL,
    spanContext: () => ({ traceId, spanId, traceFlags: SAMPLED, ...state }),
    ...(parentSpanId === undefined
      ? {}
      : { parentSpanContext: { traceId, spanId: parentSpanId, traceFlags: SAMPLED, isRemote: false } }),
    startTime: instant(startedAt),
    endTime: instant(finishedAt),
    duration: instant(finishedAt - startedAt),
    status: failure === undefined ? { code: 0 } : { code: ERROR, message: failure },
    attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: SERVICE },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0
  }
}

/** A trace state that is passed on unchanged. */
function stateOf(text: string): NonNullable<ReturnType<ReadableSpan['spanContext']>['traceState']> {
  const state = { set: () => state, unset: () => state, get: () => undefined, serialize: () => text }
  return state
}
