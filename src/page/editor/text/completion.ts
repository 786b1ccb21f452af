/** Names and words of the definition format, offered while typing and explained when pointed at. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  startCompletion
} from '@codemirror/autocomplete'
import type { EditorState } from '@codemirror/state'
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view'
import { type Asking, keysAt, type SchemaNode, tellOf, valuesOf } from './definition-schema.ts'
import { type Place, placeAt, readLine, siblings } from './yaml-place.ts'

/** Lines of a text, kept as long as it is the same. */
const linesOf = (state: EditorState): string[] => state.doc.toString().split('\n')

const SIGNS = /[\w-]*$/
/** Kinds of keys whose value begins on the next line, as most maps and lists do. */
const OPENING = new Set(['map', 'list'])

/** @param schema of a definition */
function completed(schema: SchemaNode, context: CompletionContext): CompletionResult | null {
  const { state, pos, explicit } = context
  const line = state.doc.lineAt(pos)
  const before = line.text.slice(0, pos - line.from)
  const word = SIGNS.exec(before)?.[0] ?? ''
  const lines = linesOf(state)
  const place = placeAt(lines, line.number - 1, before.length)
  if (!place) return null
  // On an empty line everything fits: only for those who ask, or have begun a line of a map.
  if (!explicit && word === '' && (place.at === 'key' || !/:\s$/.test(before))) return null
  const others = place.column === undefined ? new Map<string, string>() : siblings(lines, line.number - 1, place.column)
  const options =
    place.at === 'key' ? keyOptions(schema, askingOf(lines, place), word, others) : valueOptions(schema, lines, place)
  return options.length === 0 ? null : { from: pos - word.length, options, validFor: /^[\w-]*$/ }
}

const askingOf = (lines: readonly string[], { path, holder }: Place): Asking =>
  holder ? { path, outer: siblings(lines, holder.line, holder.column) } : { path }

function keyOptions(
  schema: SchemaNode,
  asking: Asking,
  word: string,
  others: ReadonlyMap<string, string>
): Completion[] {
  const taken = new Set([...others.keys()].map((name) => name.toLowerCase()))
  taken.delete(word.toLowerCase())
  return keysAt(schema, asking)
    .filter(({ name }) => !taken.has(name.toLowerCase()))
    .map(({ name, kind, description, isDeprecated }, at) => ({
      label: name,
      detail: kind,
      info: description,
      type: 'property',
      boost: isDeprecated ? -99 : -at / 10,
      apply: (view: EditorView, _option: Completion, from: number, to: number) => {
        const rest = view.state.doc.lineAt(to).text.slice(to - view.state.doc.lineAt(to).from)
        const insert = /^\s*:/.test(rest) ? name : `${name}:${OPENING.has(kind) ? '' : ' '}`
        view.dispatch({
          changes: { from, to, insert },
          selection: { anchor: from + insert.length },
          userEvent: 'input.complete'
        })
        if (insert.endsWith(': ')) startCompletion(view)
      }
    }))
}

const valueOptions = (schema: SchemaNode, lines: readonly string[], place: Place): Completion[] =>
  place.at === 'key'
    ? []
    : valuesOf(schema, askingOf(lines, place), place.at.valueOf).map((word) => ({ label: word, type: 'enum' }))

export const completion = (schema: SchemaNode) =>
  autocompletion({ override: [(context) => completed(schema, context)], icons: false, maxRenderedOptions: 60 })

/** What a key under the pointer, or at the cursor, is. */
function toldAt(schema: SchemaNode, state: EditorState, pos: number): Tooltip | null {
  const line = state.doc.lineAt(pos)
  const { key, column } = readLine(line.text) ?? {}
  if (key === undefined || column === undefined || pos < line.from + column || pos > line.from + column + key.length)
    return null
  const lines = linesOf(state)
  const place = placeAt(lines, line.number - 1, column)
  if (!place) return null
  const told = tellOf(schema, askingOf(lines, place), key)
  if (!told) return null
  return {
    pos: line.from + column,
    end: line.from + column + key.length,
    above: true,
    create: () => ({ dom: toldNode(key, told) })
  }
}

function toldNode(key: string, { kind, description, default: start, values }: NonNullable<ReturnType<typeof tellOf>>) {
  const dom = document.createElement('div')
  dom.className = 'cm-told'
  const add = (tag: string, text: string, kind = '') => {
    const node = document.createElement(tag)
    node.textContent = text
    node.className = kind
    dom.append(node)
  }
  add('b', key)
  if (kind !== '') add('span', ` ${kind}`, 'cm-soft')
  add('p', description)
  if (values.length > 0) add('p', `One of: ${values.join(', ')}`, 'cm-soft')
  if (start !== undefined) add('p', `Default: ${start}`, 'cm-soft')
  return dom
}

export const telling = (schema: SchemaNode) => hoverTooltip((view, pos) => toldAt(schema, view.state, pos))
