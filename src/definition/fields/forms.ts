/** Fields with a special form: tags, shell, env, back-off, signals. Source: execution-semantics 1.7. */
import { constants } from 'node:os'
import type { EnvEntry } from '../../../machines/vocabulary.ts'
import { type Problems, shortened, wrong, wrongValue } from '../problems.ts'
import { splitWords } from '../shell/words.ts'
import { type Field, member } from '../yaml/value.ts'
import { partsOf, type Read, text, textFields, textOf } from './values.ts'

const TEXTS = 'must be a string or a list of strings'

/** Lower-cased, in written order. */
export const tags: Read<string[]> = (problems, field) => {
  const found = textFields(problems, field, TEXTS)?.map(textOf)
  const pieces = field.value.kind === 'list' ? found : found?.flatMap((all) => all.split(','))
  return pieces?.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== '')
}

/** Program and flags. A text is split like a command line, a list is taken as it is; empty ones are absent. */
export const shell: Read<string[]> = (problems, field) => {
  const found = textFields(problems, field, TEXTS)?.map(textOf)
  const parts = field.value.kind === 'list' ? found : found?.flatMap(splitWords)
  if (!parts || parts.length === 0) return undefined
  if (parts[0]) return parts
  wrongValue(problems, field, 'must begin with the name of a program')
  return undefined
}

const ENV = 'env config should be map of strings or array of key=value formatted string'

/** Entries in written order, values unexpanded and as written. */
export const env: Read<EnvEntry[]> = (problems, field) =>
  partsOf(field).flatMap((part) => {
    if (part.value.kind === 'map') {
      return part.value.entries.flatMap(({ key, value }) => {
        const entry = member(part, key, value)
        if (value.kind === 'scalar') return variable(problems, entry, key, textOf(entry))
        wrongValue(problems, entry, ENV)
        return []
      })
    }
    const line = textOf(part)
    const split = line.indexOf('=')
    if (part !== field && split >= 0) return variable(problems, part, line.slice(0, split), line.slice(split + 1))
    wrongValue(problems, part, ENV)
    return []
  })

function variable(problems: Problems, field: Field, name: string, value: string): EnvEntry[] {
  const key = name.trim()
  if (checkVariable(problems, field, key)) return [{ key, value }]
  return []
}

const REFUSED_NAMES = new Set(['', '__proto__', 'constructor', 'prototype'])

/** Whether a text can name a variable of a process; reports it when not. */
export function checkVariable(problems: Problems, field: Field, name: string): boolean {
  if (!REFUSED_NAMES.has(name) && !name.includes('=')) return true
  wrong(problems, field, `a variable cannot be named ${JSON.stringify(shortened(name))}`)
  return false
}

/** The factor by which a wait grows; 1: none. */
export const backoff: Read<number> = (problems, field) => {
  const data = field.value.kind === 'scalar' ? field.value.data : undefined
  if (data === true) return 2
  if (data === false || data === 0) return 1
  if (typeof data === 'number' && data > 1 && Number.isFinite(data)) return data
  const growth = 'backoff must be greater than 1.0 for exponential growth'
  wrongValue(problems, field, typeof data === 'number' ? growth : 'must be a boolean or a number')
  return undefined
}

/** The exact name of a signal of this system. */
export const signal: Read<string> = (problems, field) => {
  const name = text(problems, field)
  if (!name || Object.hasOwn(constants.signals, name)) return name || undefined
  wrong(problems, field, `invalid signal: ${shortened(name)}`)
  return undefined
}
