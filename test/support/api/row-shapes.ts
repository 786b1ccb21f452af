/** What the endpoint tables promise, as shapes. Source: http-api "Resources and their fields". */
import type { JsonShape, Members } from './json-shape.ts'

export const text = 'string'
/** Members of one type each. */
export const all = (type: JsonShape, words: string): Members =>
  Object.fromEntries(words.split(' ').map((word) => [word, type]))
export const STATUS: Members = { status: 'integer', statusLabel: text }
export const SUMMARY_DAG: Members = {
  ...all(text, 'name group description defaultParams'),
  ...all([text], 'params tags'),
  schedule: [{ expression: text }]
}
export const SUMMARY: Members = {
  ...all(text, 'rootDAGRunName rootDAGRunId parentDAGRunName parentDAGRunId dagRunId name'),
  ...STATUS,
  ...all(text, 'queuedAt startedAt finishedAt log params')
}
const NODE: Members = {
  step: { name: text },
  ...STATUS,
  ...all(text, 'stdout stderr startedAt finishedAt error'),
  ...all('integer', 'retryCount doneCount'),
  subRunsRepeated: ['object'],
  subRuns: [{ ...STATUS, ...all(text, 'dagRunId params name') }]
}
export const DETAILS: Members = { ...SUMMARY, nodes: [NODE] }
export const CONDITION: Members = all(text, 'condition expected error')
export const SUB_DETAILS: Members = {
  ...DETAILS,
  ...all('object?', 'onExit onSuccess onFailure onCancel'),
  preconditions: [CONDITION]
}
export const DAG_DETAILS: Members = {
  ...SUMMARY_DAG,
  env: [text],
  logDir: text,
  handlerOn: 'object',
  steps: [{ name: text }],
  preconditions: [CONDITION],
  ...all('integer', 'delay histRetentionDays maxActiveRuns maxActiveSteps')
}
export const LOG: Members = {
  content: text,
  ...all('integer', 'lineCount totalLines'),
  ...all('boolean', 'hasMore isEstimate')
}
export const POINT: Members = { timestamp: 'integer', value: 'number' }
