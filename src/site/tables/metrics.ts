/** The tables of docs/operating/watching.md: metrics of the engine from their catalog, those of Node from prom-client. */
import { collectDefaultMetrics, Registry } from 'prom-client'
import { METRICS, type Metric } from '../../api/metrics/catalog.ts'
import { type LabelValues, OTHER } from '../../api/metrics/label-values.ts'

const rows: [string, Metric][] = Object.entries(METRICS)

const line = (cells: readonly string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|\n`

const table = (head: readonly string[], lines: readonly (readonly string[])[]) =>
  [line(head), `|${'---|'.repeat(head.length)}\n`, ...lines.map(line)].join('')

const code = (text: string) => `\`${text}\``
const listed = (names: readonly string[]) => names.map(code).join(', ')

const metricsTable = (
  metrics: readonly (readonly [string, { type: string; help: string; labels: readonly string[] }])[]
) =>
  table(
    ['Name', 'Type', 'Labels', 'Meaning'],
    metrics.map(([name, { type, help, labels }]) => [code(name), type, listed(labels), help])
  )

const rowsOf = (isOfWorkers: boolean) =>
  rows
    .filter(([, metric]) => (metric.isOfWorkers ?? false) === isOfWorkers)
    .map(([name, { labels, ...metric }]) => [name, { ...metric, labels: Object.keys(labels) }] as const)

function said({ most, values = {} }: LabelValues): string {
  if (most !== undefined) return `names: the first ${most.toLocaleString('en-US')}; all others are ${code(OTHER)}`
  return Object.entries(values)
    .map(([value, means]) => code(value) + (means === '' ? '' : ` (${means})`))
    .join(', ')
}

/** Where a label differs from one metric to the next, its metrics are named. */
function labelsTable(): string {
  const metricsBy = new Map<string, Map<string, string[]>>()
  for (const [name, { labels }] of rows)
    for (const [label, values] of Object.entries(labels)) {
      if (said(values) === '') continue
      const bySaid = metricsBy.get(label) ?? new Map<string, string[]>()
      bySaid.set(said(values), [...(bySaid.get(said(values)) ?? []), name])
      metricsBy.set(label, bySaid)
    }
  return table(
    ['Label', 'Values'],
    [...metricsBy].flatMap(([label, bySaid]) =>
      [...bySaid].map(([text, metrics]) => [
        bySaid.size === 1 ? code(label) : `${code(label)} of ${listed(metrics)}`,
        text
      ])
    )
  )
}

/** Labels of prom-client's own metrics; their names, types and meanings it says itself. */
const LABELS_OF_NODE: Record<string, string[]> = {
  nodejs_active_resources: ['type'],
  nodejs_active_handles: ['type'],
  nodejs_active_requests: ['type'],
  nodejs_heap_space_size_total_bytes: ['space'],
  nodejs_heap_space_size_used_bytes: ['space'],
  nodejs_heap_space_size_available_bytes: ['space'],
  nodejs_version_info: ['version', 'major', 'minor', 'patch'],
  nodejs_gc_duration_seconds: ['kind']
}

function nodeTable(): string {
  const register = new Registry()
  collectDefaultMetrics({ register })
  return metricsTable(
    register
      .getMetricsAsArray()
      .map(({ name, type, help }) => [name, { type: String(type), help, labels: LABELS_OF_NODE[name] ?? [] }])
  )
}

/** By the names of the marks in the page. */
export const metricParts = (): Map<string, string> =>
  new Map([
    ['metrics', metricsTable(rowsOf(false))],
    ['labels', labelsTable()],
    ['metrics:workers', metricsTable(rowsOf(true))],
    ['metrics:node', nodeTable()]
  ])
