/**
 * A definition of Dagu, 1.24 to 2.x, in the words of this format: keys that mean the same get their names here, in the text, so that
 * comments stay. What has no counterpart is noted with what to do, and stays as it is. A text without such keys is not touched.
 */
import { type Document, isMap, isPair, LineCounter, parseAllDocuments, visit } from 'yaml'
import { knownField } from '../../../definition/fields/fields.ts'
import { tokensOf } from '../../../definition/yaml/nesting.ts'
import { sayForeign } from './cures.ts'
import { translateApprovals, translateRouters } from './gates.ts'
import { renameAt } from './names.ts'
import { translateOrder } from './order.ts'
import { translateParams } from './params.ts'
import { type Change, entryOf, mapIn, nameOf, type Pen, penFor, type Release, textIn, type YamlMap } from './pen.ts'
import { releaseIn } from './release.ts'
import { spreadDefaults, translateConsts, translateInit } from './spread.ts'
import { joinShell, translateStep, translateSteps } from './steps.ts'
import { translateLabels, translateSchedule, translateValues } from './values.ts'

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
  /** The release of a file that does not tell it. */
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
  spreadDefaults(pen, dag)
  translateConsts(pen, dag)
  translateInit(pen, dag)
  translateApprovals(pen, dag)
  translateRouters(pen, dag)
  translateSteps(pen, dag)
  const handlers = mapIn(entryOf(dag, 'handlerOn'))
  if (handlers) translateHandlers(pen, handlers)
  translateValues(pen, dag)
  sayForeign(pen, dag, 'dag', '')
  translateReferences(pen)
}

const HANDLERS: Record<string, string> = { abort: 'cancel' }

function translateHandlers(pen: Pen, handlers: YamlMap): void {
  for (const entry of [...handlers.items]) {
    const name = HANDLERS[nameOf(entry)]
    if (name) pen.rename(entry, name)
    if (isMap(entry.value) && knownField('handlerOn', nameOf(entry)))
      translateStep(pen, entry.value as YamlMap, `handlerOn.${nameOf(entry)}`)
  }
  sayForeign(pen, handlers, 'handlerOn', 'handlerOn')
}

const REFERENCE = /('?)\$\{(?:(?:params|env|consts)\.([A-Za-z_][A-Za-z0-9_]*)|steps\.([\w-]+)\.outputs\.([^}]+))\}('?)/g

/** `${params.DAY}` and `${env.STAGE}` of 2.x are `${DAY}` and `${STAGE}`; variables of Dagu itself are noted. */
function translateReferences(pen: Pen): void {
  const seen = new Set<string>()
  visit(pen.document, {
    Scalar(_, node, path) {
      if (typeof node.value !== 'string') return
      const isShell = path.some((one) => isPair(one) && ['command', 'script'].includes(nameOf(one)))
      const text = node.value.replace(
        REFERENCE,
        (whole, before: string, name?: string, id = '', member = '', after = '') => {
          const variable = name ?? (pen.forms.has(id) ? `${pen.forms.get(id)}.${member}` : undefined)
          if (variable === undefined) return whole
          // Single quotes around a whole reference do not keep it from being replaced there.
          const [open, close] = isShell && before && after ? ['"', '"'] : [before, after]
          return `${open}\${${variable}}${close}`
        }
      )
      if (text !== node.value) {
        const [first] = node.value.match(/\$\{(?:params|env|consts|steps)\.[^}]+\}/) ?? []
        pen.say('translated', node, `${first} is a variable`)
        node.value = text
      }
      for (const [found] of text.matchAll(/\$\{steps\.[^}]+\}|\bDAGU_[A-Z_]+/g)) {
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
