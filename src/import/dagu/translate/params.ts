/** Params with a type, checks or a command for their default (2.x): a JSON Schema in a file of its own, and the defaults. */
import { isMap, isSeq, type Scalar } from 'yaml'
import { entryOf, mapIn, nameOf, type Pen, put, scalarText, textIn, type YamlMap } from './pen.ts'

type Json = Record<string, unknown>

/** Names of checks there, and in JSON Schema. */
const CHECKS: Record<string, string> = {
  enum: 'enum',
  minimum: 'minimum',
  maximum: 'maximum',
  min_length: 'minLength',
  max_length: 'maxLength',
  pattern: 'pattern',
  description: 'description'
}
const OF_PARAMS = ['default', 'eval', 'type', 'required', ...Object.keys(CHECKS)]
const OF_TEXTS = ['minLength', 'maxLength', 'pattern']

// D1691: checks of params become a schema in a file beside the definition
export function translateParams(pen: Pen, dag: YamlMap): void {
  const params = entryOf(dag, 'params')
  if (pen.release === 'new') sayExpressions(pen, params?.value)
  if (isMap(params?.value)) inlineSchema(pen, params.value as YamlMap)
  if (!isSeq(params?.value)) return
  const schema: Json = {}
  const required: string[] = []
  const values = params.value.items.flatMap((item, index) => {
    const name = isMap(item) ? typedName(pen, item as YamlMap) : undefined
    if (name === undefined) return [item]
    const { property, value, isRequired } = typed(pen, item as YamlMap, { name, path: `params[${index}]` })
    if (isRequired) required.push(name)
    if (isRequired || Object.keys(property).length > 0) schema[name] = property
    pen.say(
      'translated',
      item,
      `the param ${name} is ${value === undefined ? 'in the schema' : `{${name}: ${scalarText(value) ?? ''}}`}`
    )
    return value === undefined ? [] : [pen.document.createNode({ [name]: value })]
  })
  if (Object.keys(schema).length === 0) {
    params.value.items = values
    return
  }
  const file = pen.keepSchema({ type: 'object', properties: schema, ...(required.length > 0 ? { required } : {}) })
  put(pen, dag, 'params', file === undefined ? values : { schema: file, values }, params)
  if (file !== undefined) pen.say('translated', params.key, `checks of its params are in ${file}`)
  else
    pen.say(
      'left',
      params.key,
      'checks of params have no place here',
      'write a JSON Schema: params: {schema: FILE, values: ...}'
    )
}

/** Defaults such as `${HOME}` of untyped params. */
function sayExpressions(pen: Pen, params: unknown): void {
  const items = isSeq(params) ? params.items : [params]
  for (const item of items) {
    if (isMap(item) && typedName(pen, item as YamlMap) !== undefined) continue
    const entries = isMap(item)
      ? (item as YamlMap).items.map((entry) => ({ at: entry.key, entry }))
      : [{ at: item, entry: { value: item } }]
    for (const { at, entry } of entries)
      if (/[$`]/.test(scalarText(entry.value) ?? '')) sayLiteral(pen, at, scalarText(at) ?? '')
  }
}

const sayLiteral = (pen: Pen, at: unknown, name: string): void =>
  pen.say(
    'note',
    at,
    `the default of the param ${name} is taken as it is written by release 2.7 and later; here what begins with $ or stands in backticks is evaluated`,
    'make it a variable of env, or leave out what is not to be evaluated'
  )

/** `schema` as a map, or a whole schema as `params`. */
function inlineSchema(pen: Pen, params: YamlMap): void {
  const schema = entryOf(params, 'schema')
  const isWhole = isMap(entryOf(params, 'properties')?.value) && textIn(entryOf(params, 'type')) === 'object'
  const source = isWhole ? params : mapIn(schema)
  if (!source) return
  const whole: Json = source.toJS(pen.document)
  const file = pen.keepSchema(whole)
  if (file === undefined) return
  if (isWhole) params.items = []
  put(pen, params, 'schema', file, isWhole ? undefined : schema)
  pen.say('translated', isWhole ? params : schema?.key, `the schema of its params is in ${file}`)
}

/** The name of a param that is one of 2.x; 1.x has a map of names and values. */
function typedName({ release }: Pen, map: YamlMap): string | undefined {
  const name = textIn(entryOf(map, 'name'))
  const isTyped = map.items.some((entry) => OF_PARAMS.includes(nameOf(entry)))
  return release !== 'old' && (isTyped || (release === 'new' && map.items.length === 1)) ? name : undefined
}

interface Typed {
  property: Json
  /** What is evaluated when a run starts; undefined: the schema has it, or a start must say it. */
  value: unknown
  isRequired: boolean
}

function typed(pen: Pen, map: YamlMap, { name, path }: { name: string; path: string }): Typed {
  const type = textIn(entryOf(map, 'type')) ?? 'string'
  const isText = type === 'string'
  const property: Json = isText ? {} : { type }
  for (const entry of map.items) {
    const check = CHECKS[nameOf(entry)]
    // The cast: a node of the document.
    const value = (entry.value as Scalar | undefined)?.toJS(pen.document)
    if (check) property[check] = check === 'enum' && isText ? textsAndNumbers(value) : value
    else if (!['name', 'default', 'eval', 'type', 'required'].includes(nameOf(entry)))
      pen.say('left', entry.key, `${nameOf(entry)} of the param ${name} has no counterpart`, 'leave it out', path)
  }
  if (OF_TEXTS.some((check) => check in property))
    pen.say(
      'note',
      map,
      `the checks of the param ${name} are those of texts, and a value that is a number is not checked`,
      'let its pattern ask for a letter, or check it in the first step'
    )
  const evaluated = entryOf(map, 'eval')
  const fallback = entryOf(map, 'default')
  const isRequired = textIn(entryOf(map, 'required')) === 'true' && !evaluated && !fallback
  if (evaluated) return { property, value: evaluated.value, isRequired }
  const text = textIn(fallback)
  if (fallback && /[$`]/.test(text ?? '')) {
    // A schema's default is taken as it is written, as that of a typed param is there.
    property.default = text
    return { property, value: undefined, isRequired }
  }
  if (fallback) return { property, value: fallback.value, isRequired }
  const isFree = isText && !isRequired && Object.keys(property).every((check) => check === 'description')
  return { property, value: isFree ? '' : undefined, isRequired }
}

/** A value is read as JSON where it can be: `"1"` of an enum is met by 1, too. */
const textsAndNumbers = (values: unknown): unknown[] =>
  (Array.isArray(values) ? values : [values]).flatMap((one) => {
    const text = String(one)
    try {
      const data: unknown = JSON.parse(text)
      return typeof data === 'string' ? [text] : [text, data]
    } catch {
      return [text]
    }
  })
