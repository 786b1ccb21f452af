/** What others make of charts: texts and configs of one chart. Source: docs/inspect.md. */
export { chart, charts } from './charts.ts'
export { stateDiagram } from './mermaid.ts'
export { machineConfig } from './stately.ts'
