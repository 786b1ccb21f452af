/** Whether and how a run is traced: evaluates its `otel`, and derives its place in the trace. Source: execution-semantics 3.3, 14.5. */
import type { Otel, RunRecord } from '../../../machines/vocabulary.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { expandField } from '../../definition/text/variables.ts'
import { placeIn, placeOfRun, placeOfStep, type SpanPlace, variablesFor } from '../../tracing/context.ts'
import type { Trace } from '../../tracing/span.ts'
import type { RunScope } from './run-scope.ts'

/** The trace that a run may belong to: from its caller, or from its dotenv or DAG `env`. */
export const placeAbove = (
  inherited: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>
): SpanPlace | undefined => placeIn(inherited) ?? placeIn(env)

// D742, D743: a root run continues a trace only by dotenv or DAG `env`
/** @returns undefined: it is not traced @throws Error when a text cannot be evaluated */
export async function traceOf(
  otel: Otel,
  record: RunRecord,
  above: SpanPlace | undefined,
  look: Lookup,
  mask: (text: string) => string
): Promise<Trace | undefined> {
  if (!otel.enabled) return undefined
  const endpoint = (await expandField(otel.endpoint, look)).trim()
  if (!endpoint) return undefined
  const { insecure, timeoutMs } = otel
  const resource = await expandAll(otel.resource, look)
  return {
    ...placeOfRun(record, above),
    ...(above ? { parentSpanId: above.spanId } : {}),
    exporter: { endpoint, headers: await expandAll(otel.headers, look), insecure, timeoutMs },
    resource: Object.fromEntries(Object.entries(resource).map(([name, value]) => [name, mask(value)])),
    mask
  }
}

async function expandAll(texts: Record<string, string>, look: Lookup): Promise<Record<string, string>> {
  const expanded: Record<string, string> = {}
  for (const [name, text] of Object.entries(texts)) expanded[name] = await expandField(text, look)
  return expanded
}

/** The trace context of a step; a handler has no span and uses that of its run. */
export function traceVariables(
  { trace: own, traced, passed }: Pick<RunScope, 'trace' | 'traced' | 'passed'>,
  step: string | undefined
): Record<string, string> {
  const trace = own ?? traced
  if (trace) return variablesFor(step === undefined ? trace : placeOfStep(trace, step))
  return passed ? variablesFor(passed) : {}
}
