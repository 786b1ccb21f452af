/** Statecharts as data. Source: docs/inspect.md. */

export interface ChartSummary {
  id: string
  description: string
}

/** A statechart as data. */
export interface Chart extends ChartSummary {
  initial: string
  transitions: ChartTransition[]
  states: ChartState[]
}

export interface ChartState {
  path: string
  key: string
  type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  description: string
  tags: string[]
  initial?: string
  states: ChartState[]
  invokes: { id: string; machine?: string }[]
  entry: string[]
  exit: string[]
  transitions: ChartTransition[]
}

export interface ChartTransition {
  event: string
  targets: string[]
  guard?: string
  actions: string[]
  description?: string
}
