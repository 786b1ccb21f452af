/** The mail about a run: its subject, its page and the logs that go with it. Source: execution-semantics 14.3.3-14.3.5. */
import { basename } from 'node:path'
import type { NodePlace, NodeRecord, Plan, RunRecord, RunStatus, Step } from '../../../machines/vocabulary.ts'
import { paramsText } from '../../definition/dag/params.ts'
import { placeOfHandler } from './run-scope.ts'

/** The subject of a mail. */
export interface RunHistory {
  plan: Plan
  record: RunRecord
  /** Records of nodes and handlers by place; a node without a record was not reached. */
  nodes: ReadonlyMap<NodePlace, NodeRecord>
  /** Status of the run when the mail is sent. */
  status: RunStatus
  /** When the run ended, epoch ms; absent: it is still running. */
  finishedAt?: number
}

/** `<prefix> <DAG name> (<status label>)`. */
export const subjectOf = (prefix: string, { record, status }: RunHistory): string =>
  `${prefix} ${record.name} (${status})`.trim()

/** Every step, then the handlers that were started. */
function rowsOf({ plan, nodes }: RunHistory): { step: Step; node: NodeRecord | undefined }[] {
  const steps = plan.steps.map((step, index) => ({ step, node: nodes.get(index) }))
  const handlers = Object.values(plan.handlers).map((step) => ({ step, node: nodes.get(placeOfHandler(step)) }))
  return [...steps, ...handlers.filter(({ node }) => node)]
}

/** Maximum length of the text in a cell, in characters: a mail is not a log. */
const MAX_CELL = 4_000
const HEADINGS = ['#', 'Step', 'Started At', 'Finished At', 'Status', 'Command', 'Error']

// D733, D734: mail of a handler shows the status that handlers see
/**
 * The mail as an HTML document, with all texts escaped.
 * @param mask replaces the values of secrets in a text @param note an additional line, such as why there are no logs
 */
export function pageOf(history: RunHistory, mask: (text: string) => string, note = ''): string {
  const { record, status, finishedAt } = history
  const cell = (text: string) => escaped(mask(shortened(text)))
  const facts: [string, string][] = [
    ['Run ID', record.dagRunId],
    ['Name', record.name],
    ['Params', paramsText(record.params)],
    ['Started At', timeText(record.startedAt)],
    ['Finished At', timeText(finishedAt)],
    ['Status', status]
  ]
  const rows = rowsOf(history).map(({ step, node }, index) => [
    String(index + 1),
    step.name,
    timeText(node?.startedAt),
    timeText(node?.finishedAt),
    node?.status ?? 'not_started',
    commandText(step),
    node?.error ?? ''
  ])
  return [
    '<!doctype html>',
    '<html>',
    `<head><meta charset="utf-8"><title>${cell(record.name)}</title></head>`,
    '<body>',
    '<table>',
    ...facts.map(([name, value]) => `<tr><th align="left">${name}</th><td>${cell(value)}</td></tr>`),
    '</table>',
    ...(note ? [`<p>${cell(note)}</p>`] : []),
    '<table border="1" cellpadding="4" style="border-collapse: collapse">',
    `<tr>${HEADINGS.map((heading) => `<th align="left">${heading}</th>`).join('')}</tr>`,
    ...rows.map((row) => `<tr>${row.map((text) => `<td>${cell(text)}</td>`).join('')}</tr>`),
    '</table>',
    '</body>',
    '</html>',
    ''
  ].join('\n')
}

/** The stdout log of every node that has one. */
export const logsOf = (history: RunHistory): { path: string; name: string; contentType: string }[] =>
  rowsOf(history).flatMap(({ node }) =>
    node?.stdout === undefined ? [] : [{ path: node.stdout, name: basename(node.stdout), contentType: 'text/plain' }]
  )

/** As written in the definition, unexpanded. */
function commandText({ command, argv = [], args, script, call }: Step): string {
  if (call !== undefined) return call
  const words = [...(command === undefined ? argv : [command]), ...args]
  return words.length > 0 ? words.join(' ') : (script ?? '')
}

const timeText = (at: number | undefined): string => (at === undefined ? '' : new Date(at).toISOString())

const shortened = (text: string): string => (text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}...` : text)

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '').replace(/\r\n|\r|\n/g, '<br>')
