/**
 * A definition of Dagu, 1.24 to 2.x, in the words of this format: keys that mean the same get their names here, in the text, so that
 * comments stay. What has no counterpart is noted with what to do, and stays as it is. A text without such keys is not touched.
 */
import { type Document, isMap, isSeq, LineCounter, parseAllDocuments, visit } from 'yaml'
import { tokensOf } from '../../../definition/yaml/nesting.ts'
import { renameAt } from './names.ts'
import { translateOrder } from './order.ts'
import { translateParams } from './params.ts'
import {
  type Change,
  type Entry,
  entryOf,
  mapIn,
  nameOf,
  type Pen,
  penFor,
  put,
  type Release,
  textIn,
  type YamlMap
} from './pen.ts'
import { releaseIn } from './release.ts'
import { joinShell, translateStep, translateSteps } from './steps.ts'

export interface Translated {
  text: string
  /** In the order of the lines. */
  changes: Change[]
  /** Files that the text names, to be written beside it. */
  schemas: { name: string; text: string }[]
}

export interface Around {
  /** Whether there is a definition of this name beside this one. */
  isDefinition(name: string): boolean
  /** Of a file that does not tell its release. */
  release?: Release
  /** Whether the base file says the type of a definition. */
  baseHasType?: boolean
  /** Name of the file, if JSON Schemas can be written beside it. */
  fileName?: string
}

// D1501: a definition is only touched where its words are others
export function translated(text: string, { isDefinition, release, baseHasType = false, fileName }: Around): Translated {
  const lines = new LineCounter()
  const schemas: Translated['schemas'] = []
  const untouched: Translated = { text, changes: [], schemas }
  // Too large, too deep, too many aliases: the report of what is read says so.
  if ('refused' in tokensOf(text, new LineCounter())) return untouched
  const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false })
  if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return untouched
  const dags = documents.flatMap(({ contents }) => (isMap(contents) ? [contents as YamlMap] : []))
  const known = {
    locals: new Set(dags.flatMap((dag) => textIn(entryOf(dag, 'name')) ?? [])),
    release: releaseIn(dags, release),
    baseHasType,
    isDefinition,
    keepSchema(schema: Record<string, unknown>) {
      if (fileName === undefined) return undefined
      const name = `${fileName}${schemas.length > 0 ? `.${schemas.length + 1}` : ''}.params.json`
      schemas.push({ name, text: `${JSON.stringify(schema, undefined, 2)}\n` })
      return `./${name}`
    }
  }
  const changes = documents.flatMap((document, index) => {
    const pen = penFor(document, lines, known, index)
    if (isMap(document.contents)) translateDag(pen, document.contents as YamlMap)
    return pen.changes
  })
  const isChanged = changes.some(({ kind }) => kind === 'translated')
  return {
    text: isChanged ? documents.map((one, index) => written(one, index > 0)).join('') : text,
    changes: changes.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
    schemas
  }
}

function written(document: Document, isLater: boolean): string {
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false })
  return isLater && !text.startsWith('---') ? `---\n${text}` : text
}

function translateDag(pen: Pen, dag: YamlMap): void {
  renameAt(pen, dag, 'dag')
  translateLabels(pen, dag)
  translateSchedule(pen, dag)
  translateParams(pen, dag)
  const args = entryOf(dag, 'shellArgs')
  if (args) joinShell(pen, dag, args)
  translateOrder(pen, dag)
  translateSteps(pen, dag)
  const handlers = mapIn(entryOf(dag, 'handlerOn'))
  if (handlers) translateHandlers(pen, handlers)
  translateReferences(pen)
}

/** `labels` of 2.x are `tags`; a map of them is a list of `key=value`. */
function translateLabels(pen: Pen, dag: YamlMap): void {
  const labels = entryOf(dag, 'labels')
  if (labels && !entryOf(dag, 'tags')) pen.rename(labels, 'tags')
  const tags = entryOf(dag, 'tags')
  if (!tags) return
  const list = (items: readonly unknown[]) =>
    items.flatMap((item) => (isMap(item) ? (item as YamlMap).items.map(pairText) : [item]))
  if (isMap(tags.value)) {
    put(pen, dag, 'tags', list([tags.value]), tags)
    pen.say('translated', tags.key, 'tags as a map are a list of key=value')
  } else if (isSeq(tags.value) && tags.value.items.some(isMap)) {
    put(pen, dag, 'tags', list(tags.value.items), tags)
    pen.say('translated', tags.key, 'tags with a map are a list of key=value')
  } else {
    const text = textIn(tags)
    if (!text?.includes('=') || text.includes(',') || !/\s/.test(text.trim())) return
    put(pen, dag, 'tags', text.trim().split(/\s+/), tags)
    pen.say('translated', tags.key, 'tags with blanks between them are a list')
  }
}

const pairText = (entry: Entry): string => `${nameOf(entry)}=${textIn(entry) ?? ''}`

/** Entries such as `{kind: cron, expression: "0 2 * * *"}` are their expression. */
function translateSchedule(pen: Pen, dag: YamlMap): void {
  const schedule = entryOf(dag, 'schedule')
  if (!schedule) return
  const plainIn = (value: unknown): unknown => {
    if (isSeq(value)) value.items = value.items.map(plainIn)
    if (!isMap(value)) return value
    const map = value as YamlMap
    const cron = entryOf(map, 'expression')
    if (cron) {
      pen.say('translated', cron.key, 'a schedule with an expression is that text')
      return cron.value
    }
    const at = entryOf(map, 'at')
    if (at)
      pen.say(
        'left',
        at.key,
        `a start at one instant (${textIn(at) ?? ''}) has no counterpart`,
        'take it out, and start it then: troupe enqueue NAME by at(1), or a first step of type sleep',
        'schedule'
      )
    return value
  }
  const map = mapIn(schedule)
  if (map && ['start', 'stop', 'restart'].some((name) => entryOf(map, name)))
    for (const entry of map.items) entry.value = plainIn(entry.value)
  else schedule.value = plainIn(schedule.value)
}

const HANDLERS: Record<string, string> = { abort: 'cancel' }

function translateHandlers(pen: Pen, handlers: YamlMap): void {
  for (const entry of [...handlers.items]) {
    const name = HANDLERS[nameOf(entry)]
    if (name) pen.rename(entry, name)
    if (isMap(entry.value)) translateStep(pen, entry.value as YamlMap, `handlerOn.${nameOf(entry)}`)
  }
}

/** `${params.DAY}` and `${env.STAGE}` of 2.x are `${DAY}` and `${STAGE}`; variables of Dagu itself are noted. */
function translateReferences(pen: Pen): void {
  const seen = new Set<string>()
  visit(pen.document, {
    Scalar(_, node) {
      if (typeof node.value !== 'string') return
      const text = node.value.replace(/\$\{(?:params|env)\.([A-Za-z_][A-Za-z0-9_]*)\}/g, '${$1}')
      if (text !== node.value) {
        pen.say('translated', node, `${node.value.match(/\$\{(?:params|env)\.\w+\}/)?.[0]} is the name alone`)
        node.value = text
      }
      for (const [found] of text.matchAll(/\$\{(?:steps|consts)\.[^}]+\}|\bDAGU_[A-Z_]+/g)) {
        if (seen.has(found)) continue
        seen.add(found)
        const isOwn = found.startsWith('DAGU_')
        pen.say(
          'note',
          node,
          `${found} ${isOwn ? 'is a variable of Dagu, which nothing sets here' : 'is a reference that nothing resolves here'}`,
          isOwn ? 'set it in env, or write what it stands for' : 'capture an output (output: NAME) and write ${NAME}'
        )
      }
    }
  })
}
