/** Reads Prometheus' text form. Only what prom-client writes. */

export interface ExportedMetric {
  type: string
  help: string
  /** Labels that its samples have, without `le`. */
  labels: Set<string>
  samples: { name: string; labels: Record<string, string>; value: number }[]
}

const SAMPLE = /^([\w:]+)(?:\{(.*)\})? (\S+)$/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g
const OF_HISTOGRAMS = /_(?:bucket|sum|count)$/

/** By name. */
export function exposition(text: string): Map<string, ExportedMetric> {
  const metrics = new Map<string, ExportedMetric>()
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (kind === 'HELP') metrics.set(name, { type: '', help: rest, labels: new Set(), samples: [] })
    const known = metrics.get(name)
    if (kind === 'TYPE' && known) known.type = rest
    const [, sampled = '', inBraces = '', value] = SAMPLE.exec(line) ?? []
    const metric = metrics.get(sampled) ?? metrics.get(sampled.replace(OF_HISTOGRAMS, ''))
    if (value === undefined || !metric) continue
    const labels = Object.fromEntries([...inBraces.matchAll(LABEL)].map(([, label = '', of = '']) => [label, of]))
    for (const label of Object.keys(labels)) if (label !== 'le') metric.labels.add(label)
    metric.samples.push({ name: sampled, labels, value: Number(value) })
  }
  return metrics
}

/** Names that a query may select: those of a histogram are three. */
export const seriesOf = (name: string, { type }: Pick<ExportedMetric, 'type'>): string[] =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name]
