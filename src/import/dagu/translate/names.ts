/** 2.x writes `working_dir` where 1.x writes `workingDir`: a key gets the name that its level has here, if there is one. */
import { isMap, isSeq } from 'yaml'
import { knownField, type Level } from '../../../definition/fields/fields.ts'
import { nameOf, type Pen, type YamlMap } from './pen.ts'

const BELOW: Partial<Record<Level, Record<string, Level>>> = {
  dag: {
    schedule: 'schedule',
    mailOn: 'mailOn',
    errorMail: 'mailTarget',
    infoMail: 'mailTarget',
    smtp: 'smtp',
    secrets: 'secret',
    container: 'container',
    ssh: 'ssh',
    otel: 'otel',
    runConfig: 'runConfig',
    preconditions: 'condition',
    precondition: 'condition'
  },
  step: {
    continueOn: 'continueOn',
    retryPolicy: 'retryPolicy',
    repeatPolicy: 'repeatPolicy',
    parallel: 'parallel',
    executor: 'executor',
    preconditions: 'condition',
    precondition: 'condition',
    container: 'container'
  }
}

const camel = (name: string): string => name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

export function renameAt(pen: Pen, map: YamlMap, level: Level): void {
  for (const entry of map.items) {
    const name = nameOf(entry)
    const found = name.includes('_') && !knownField(level, name) ? knownField(level, camel(name)) : undefined
    if (found) pen.rename(entry, found.name)
    const below = BELOW[level]?.[knownField(level, nameOf(entry))?.name ?? '']
    if (!below) continue
    const { value } = entry
    if (isMap(value)) renameAt(pen, value as YamlMap, below)
    if (isSeq(value)) for (const item of value.items) if (isMap(item)) renameAt(pen, item as YamlMap, below)
  }
}

/** The keys of an executor's settings. @param known those that it has here */
export function renameSettings(pen: Pen, map: YamlMap, known: ReadonlySet<string>): void {
  const byName = new Map(Array.from(known, (name) => [name.toLowerCase(), name]))
  for (const entry of map.items) {
    const name = nameOf(entry)
    const found = byName.get(name.toLowerCase()) ?? byName.get(camel(name).toLowerCase())
    if (found && found !== name) pen.rename(entry, found)
  }
}
