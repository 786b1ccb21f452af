/** Charts and sequences as Mermaid text. Names are escaped: none can end a line or a label. Source: docs/inspect.md. */
import type { Chart, ChartState, SequenceMessage } from './inspection.ts'

/** `stateDiagram-v2` of a chart. @param active paths of the states that an actor is in */
export function stateDiagram(chart: Chart, active: readonly string[] = []): string {
  const lines = ['stateDiagram-v2', `  %% ${plain(chart.description)}`, `  [*] --> ${idOf(chart.initial)}`]
  for (const state of chart.states) addState(lines, state, '  ')
  for (const state of chart.states) addTransitions(lines, state)
  if (active.length > 0)
    lines.push('  classDef active stroke-width:4px', `  class ${active.map(idOf).join(',')} active`)
  return `${lines.join('\n')}\n`
}

function addState(lines: string[], { path, key, states, initial }: ChartState, indent: string): void {
  lines.push(`${indent}state "${plain(key)}" as ${idOf(path)}`)
  if (states.length === 0) return
  lines.push(`${indent}state ${idOf(path)} {`)
  if (initial !== undefined) lines.push(`${indent}  [*] --> ${idOf(initial)}`)
  for (const state of states) addState(lines, state, `${indent}  `)
  lines.push(`${indent}}`)
}

function addTransitions(lines: string[], { path, type, transitions, states }: ChartState): void {
  for (const { event, guard, targets } of transitions)
    for (const target of targets)
      lines.push(
        `  ${idOf(path)} --> ${idOf(target)}: ${plain(event || 'at once')}${guard ? ` [${plain(guard)}]` : ''}`
      )
  if (type === 'final') lines.push(`  ${idOf(path)} --> [*]`)
  for (const state of states) addTransitions(lines, state)
}

/** `sequenceDiagram` of messages. */
export function sequenceDiagram(
  participants: readonly string[],
  messages: readonly SequenceMessage[],
  omitted: number
): string {
  const ids = new Map(participants.map((name, index) => [name, `p${index}`]))
  return `${[
    'sequenceDiagram',
    ...participants.map((name) => `  participant ${ids.get(name)} as ${plain(shortened(name))}`),
    ...messages.map(
      ({ seq, from, to, event, state }) =>
        `  ${ids.get(from)}->>${ids.get(to)}: ${seq} ${plain(event)} (${plain(state)})`
    ),
    ...(omitted > 0 ? [`  Note over p0: ${omitted} more messages`] : [])
  ].join('\n')}\n`
}

/** Without the run's own address in front: `node load` for `run/etl/r1/node/load`. */
const shortened = (address: string) => {
  const [kind = '', name = '', id = '', ...rest] = address.split('/')
  return kind === 'run' ? (rest.length > 0 ? rest.join(' ') : `run ${name} ${id}`) : address.replace('/', ' ')
}

const idOf = (path: string) => path.replace(/\W/g, '_')

/** Escapes Mermaid syntax as character codes. */
const plain = (text: string) =>
  text.replace(/[\s\p{Cc}]+/gu, ' ').replace(/[#;:"<>{}[\]%`&]/g, (sign) => `#${sign.codePointAt(0)};`)
