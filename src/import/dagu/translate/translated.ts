/**
 * A definition of Dagu, 1.24 to 2.x, in the words of this format: keys that mean the same get their names here, in the text, so that
 * comments stay. What has no counterpart is noted with what to do, and stays as it is. A text without such keys is not touched.
 */
import { type Document, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, visit } from 'yaml'
import { tokensOf } from '../../../definition/yaml/nesting.ts'
import { renameAt } from './names.ts'
import {
  type Change,
  drop,
  type Entry,
  entryOf,
  mapIn,
  nameOf,
  type Pen,
  penFor,
  put,
  textIn,
  type YamlMap
} from './pen.ts'
import { joinShell, translateStep, translateSteps } from './steps.ts'

export interface Translated {
  text: string
  /** In the order of the lines. */
  changes: Change[]
}

export interface Around {
  /** Whether there is a definition of this name beside this one. */
  isDefinition(name: string): boolean
}

// D1501: a definition is only touched where its words are others
export function translated(text: string, { isDefinition }: Around): Translated {
  const lines = new LineCounter()
  // Too large, too deep, too many aliases: the report of what is read says so.
  if ('refused' in tokensOf(text, new LineCounter())) return { text, changes: [] }
  const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false })
  if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return { text, changes: [] }
  const locals = new Set(
    documents.flatMap((one) => (isMap(one.contents) ? (textIn(entryOf(one.contents as YamlMap, 'name')) ?? []) : []))
  )
  const changes = documents.flatMap((document) => {
    const pen = penFor(document, lines, { locals, isDefinition })
    if (isMap(document.contents)) translateDag(pen, document.contents as YamlMap)
    return pen.changes
  })
  const isChanged = changes.some(({ kind }) => kind === 'translated')
  return {
    text: isChanged ? documents.map((one, index) => written(one, index > 0)).join('') : text,
    changes: changes.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
  }
}

function written(document: Document, isLater: boolean): string {
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false })
  return isLater && !text.startsWith('---') ? `---\n${text}` : text
}

function translateDag(pen: Pen, dag: YamlMap): void {
  const isNew = usesNewSyntax(dag)
  renameAt(pen, dag, 'dag')
  translateLabels(pen, dag)
  translateSchedule(pen, dag)
  translateParams(pen, dag)
  const args = entryOf(dag, 'shellArgs')
  if (args) joinShell(pen, dag, args)
  const steps = entryOf(dag, 'steps')
  translateSteps(pen, steps?.value)
  const handlers = mapIn(entryOf(dag, 'handlerOn'))
  if (handlers) translateHandlers(pen, handlers)
  translateReferences(pen)
  const several = isSeq(steps?.value) && steps.value.items.length > 1
  if (isNew && several && !entryOf(dag, 'type'))
    pen.say(
      'note',
      steps?.key,
      'it does not say its type: its steps run one after another here',
      'write type: graph if they are to wait for their depends only'
    )
}

/** Steps with `run` as a command, or with `action`: newer releases of Dagu run these as a graph. */
function usesNewSyntax(dag: YamlMap): boolean {
  const steps = entryOf(dag, 'steps')?.value
  return isSeq(steps) && steps.items.some((step) => isMap(step) && Boolean(entryOf(step as YamlMap, 'action')))
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
    if (isSeq(value)) {
      value.items = value.items.flatMap((item) => plainIn(item) ?? [])
      return value
    }
    if (!isMap(value)) return value
    const map = value as YamlMap
    const cron = entryOf(map, 'expression')
    if (cron) {
      pen.say('translated', cron.key, 'a schedule with an expression is that text')
      return cron.value
    }
    const at = entryOf(map, 'at')
    if (!at) return value
    pen.say(
      'left',
      at.key,
      `a start at one instant (${textIn(at) ?? ''}) has no counterpart`,
      'start it then: troupe enqueue NAME, by at(1) or a step of type sleep'
    )
    return undefined
  }
  const map = mapIn(schedule)
  if (map && ['start', 'stop', 'restart'].some((name) => entryOf(map, name)))
    for (const entry of map.items) entry.value = plainIn(entry.value) ?? null
  else schedule.value = plainIn(schedule.value) ?? null
  if (isScalar(schedule.value) && schedule.value.value === null) drop(dag, schedule)
  else if (schedule.value === null) drop(dag, schedule)
}

const OF_PARAMS = ['default', 'type', 'description', 'required', 'enum', 'minimum', 'maximum', 'pattern']

/** Params such as `{name: DAY, default: today}` are `{DAY: today}`. */
function translateParams(pen: Pen, dag: YamlMap): void {
  const params = entryOf(dag, 'params')
  if (!isSeq(params?.value)) return
  params.value.items = params.value.items.map((item) => {
    if (!isMap(item)) return item
    const map = item as YamlMap
    const name = textIn(entryOf(map, 'name'))
    const others = map.items.filter((entry) => OF_PARAMS.includes(nameOf(entry)))
    if (name === undefined || others.length !== map.items.length - 1 || others.length === 0) return item
    const fallback = entryOf(map, 'default')
    pen.say('translated', map, `the param ${name} is {${name}: ${textIn(fallback) ?? ''}}`)
    const lost = others.filter((entry) => entry !== fallback).map(nameOf)
    if (lost.length > 0)
      pen.say(
        'left',
        map,
        `${lost.join(', ')} of the param ${name} have no place in the list`,
        'write a JSON Schema: params: {schema: FILE, values: ...}'
      )
    return pen.document.createNode({ [name]: fallback?.value ?? '' })
  })
}

const HANDLERS: Record<string, string> = { abort: 'cancel' }

function translateHandlers(pen: Pen, handlers: YamlMap): void {
  for (const entry of [...handlers.items]) {
    const name = HANDLERS[nameOf(entry)]
    if (name) pen.rename(entry, name)
    if (isMap(entry.value)) translateStep(pen, entry.value as YamlMap)
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
