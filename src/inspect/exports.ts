/** Exports for API and command line: charts and sequences in the formats of other tools. Source: docs/inspect.md. */
export { chart, charts } from './charts.ts'
export { SKIPPED } from './explain/definition.ts'
export { stateDiagram } from './mermaid.ts'
export { machineConfig } from './stately.ts'
