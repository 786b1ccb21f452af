/** What metrics are made of: names, buckets, and labels with a bound. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** From a transition to a commit on a slow disk. */
export const SHORT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
/** From an answer or a start to one that somebody notices. */
export const MEDIUM_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
/** From a command to work of hours. */
export const LONG_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400]

export interface Metric<L extends string = string> {
  name: string
  help: string
  labels?: readonly L[]
}

export interface Registered {
  readonly register: Registry
  /** Read at each scrape. Without labels its value is 0 until then; with labels those of the scrape before are gone. */
  gauge(metric: Metric, read: (gauge: Gauge<string>) => void | Promise<void>): void
  /** @param read at each scrape; default: it is counted as things happen */
  counter(metric: Metric, read?: (counter: Counter<string>) => void): Counter<string>
  histogram(metric: Metric & { buckets: number[] }): Histogram<string>
}

export function openRegister(): Registered {
  const register = new Registry()
  const common = ({ name, help, labels = [] }: Metric) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [register]
  })
  return {
    register,
    gauge: (metric, read) =>
      void new Gauge({
        ...common(metric),
        collect() {
          if (metric.labels) this.reset()
          return read(this)
        }
      }),
    counter: (metric, read) =>
      new Counter({
        ...common(metric),
        collect() {
          read?.(this)
        }
      }),
    histogram: ({ buckets, ...metric }) => new Histogram({ ...common(metric), buckets })
  }
}

// D1413
/** The first values of a label; those that come later share one, so that arbitrary names cannot fill the memory. */
export function bounded(most: number): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.size < most) known.add(value)
    return known.has(value) ? value : OTHER
  }
}
export const OTHER = 'other'
