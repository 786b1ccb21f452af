/** What others make of charts, texts and configs of one chart, and of decisions. Source: docs/inspect.md. */
export { chart, charts } from './charts.ts'
export { SKIPPED } from './explain/definition.ts'
export { stateDiagram } from './mermaid.ts'
export { machineConfig } from './stately.ts'
