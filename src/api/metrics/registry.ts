/** What is exported: metrics of the catalog, each with its values. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type LabelOf, METRICS, type Metric, type MetricName, type NameOf } from './catalog.ts'
import { OTHER } from './label-values.ts'

export interface Registered {
  readonly register: Registry
  /** Read at each scrape. Without labels its value is 0 until then; with labels those of the scrape before are gone. */
  gauge<N extends NameOf<'gauge'>>(name: N, read: (gauge: Gauge<LabelOf<N>>) => void | Promise<void>): void
  /** @param read at each scrape; default: it is counted as things happen */
  counter<N extends NameOf<'counter'>>(name: N, read?: (counter: Counter<LabelOf<N>>) => void): Counter<LabelOf<N>>
  histogram<N extends NameOf<'histogram'>>(name: N): Histogram<LabelOf<N>>
}

export function openRegister(): Registered {
  const register = new Registry()
  const rowOf = (name: MetricName): Metric => METRICS[name]
  const common = <N extends MetricName>(name: N) => ({
    name,
    help: rowOf(name).help,
    labelNames: Object.keys(rowOf(name).labels) as LabelOf<N>[],
    registers: [register]
  })
  return {
    register,
    gauge: (name, read) =>
      void new Gauge({
        ...common(name),
        collect() {
          if (Object.keys(rowOf(name).labels).length > 0) this.reset()
          return read(this)
        }
      }),
    counter: (name, read) =>
      new Counter({
        ...common(name),
        collect() {
          read?.(this)
        }
      }),
    histogram: (name) => new Histogram({ ...common(name), buckets: [...(rowOf(name).buckets ?? [])] })
  }
}

// D1413: labels of metrics are bounded
/** The first values of a label; those that come later share one, so that arbitrary names cannot fill the memory. */
export function bounded({ most }: { most: number }): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.size < most) known.add(value)
    return known.has(value) ? value : OTHER
  }
}
