/** `action:` of 2.x: those that are an executor here, and what to do about the others. */
import { isMap, isScalar, isSeq } from 'yaml'
import { type ExecutorType, executorType } from '../../../definition/fields/executor-types.ts'
import { CONFIGS } from '../../../definition/fields/fields-executor.ts'
import { cureOf } from './cures.ts'
import { FILES } from './files.ts'
import { renameSettings } from './names.ts'
import {
  drop,
  type Entry,
  entryOf,
  mapIn,
  nameOf,
  type Pen,
  put,
  type Translate,
  taken,
  textIn,
  type YamlMap
} from './pen.ts'
import { WAITS } from './waits.ts'

/** The keys that an executor's `config` has here. */
const settingsOf = (type: ExecutorType): ReadonlySet<string> =>
  new Set(CONFIGS[type]?.rows.map(({ name }) => name) ?? [])

/** Moves what is left of `with` into the `config` of an executor; a setting that it does not have is named. */
function setExecutor(
  pen: Pen,
  step: YamlMap,
  type: ExecutorType,
  settings: YamlMap | undefined,
  instead?: Entry
): void {
  if (settings) renameSettings(pen, settings, settingsOf(type))
  const hasAny = settings !== undefined && settings.items.length > 0
  put(pen, step, 'executor', hasAny ? { type, config: settings } : { type }, instead)
}

const plainOf = (value: unknown): string => String(isScalar(value) ? value.value : (value ?? ''))

const command =
  (type: ExecutorType, name = 'command'): Translate =>
  (pen, step, settings, entry) => {
    const value = taken(settings, name)
    setExecutor(pen, step, type, settings, entry)
    if (value !== undefined) put(pen, step, 'command', value)
    return true
  }

const http: Translate = (pen, step, settings, entry) => {
  const method = plainOf(taken(settings, 'method') ?? 'GET').toUpperCase()
  const url = plainOf(taken(settings, 'url'))
  setExecutor(pen, step, 'http', settings, entry)
  put(pen, step, 'command', `${method} ${url}`)
  return true
}

const jq: Translate = (pen, step, settings, entry) => {
  if (settings && entryOf(settings, 'input')) return false
  const filter = taken(settings, 'filter')
  const data = taken(settings, 'data')
  setExecutor(pen, step, 'jq', settings, entry)
  if (filter !== undefined) put(pen, step, 'command', filter)
  if (data !== undefined)
    put(pen, step, 'script', isMap(data) || isSeq(data) ? JSON.stringify(data.toJS(pen.document)) : plainOf(data))
  return true
}

const archive =
  (verb: string): Translate =>
  (pen, step, settings, entry) => {
    setExecutor(pen, step, 'archive', settings, entry)
    put(pen, step, 'command', verb)
    return true
  }

const dagRun: Translate = (pen, step, settings, entry) => {
  const dag = taken(settings, 'dag')
  const params = taken(settings, 'params')
  if (dag === undefined) return false
  put(pen, step, 'call', dag, entry)
  if (params !== undefined) put(pen, step, 'params', params)
  return true
}

const exec: Translate = (pen, step, settings, entry) => {
  const program = taken(settings, 'command')
  const args = taken(settings, 'args')
  if (program === undefined) return false
  put(pen, step, 'command', [program, ...(isSeq(args) ? args.items : [])], entry)
  return true
}

const log: Translate = (pen, step, settings, entry) => {
  put(pen, step, 'command', ['echo', taken(settings, 'message') ?? ''], entry)
  return true
}

const noop: Translate = (pen, step, _, entry) => {
  put(pen, step, 'command', 'true', entry)
  return true
}

const ACTIONS: Record<string, Translate> = {
  'http.request': http,
  'ssh.run': command('ssh'),
  'docker.run': command('docker'),
  'container.run': command('docker'),
  'jq.filter': jq,
  'mail.send': (pen, step, settings, entry) => {
    setExecutor(pen, step, 'mail', settings, entry)
    return true
  },
  'archive.create': archive('create'),
  'archive.extract': archive('extract'),
  'archive.list': archive('list'),
  'dag.run': dagRun,
  exec,
  'log.write': log,
  noop,
  ...WAITS,
  ...FILES
}

// D1503: only actions with a counterpart are translated
export function translateAction(pen: Pen, step: YamlMap, path: string): void {
  const entry = entryOf(step, 'action')
  const action = textIn(entry)
  if (!entry || action === undefined) return
  const options = entryOf(step, 'with')
  const settings = mapIn(options)
  const translate = ACTIONS[action]
  if (!translate?.(pen, step, settings, entry)) {
    const paths = ['action', 'with', 'command'].map((name) => `${path}.${name}`)
    pen.say('left', entry.key, `action ${action} has no counterpart here`, cureOf(action), ...paths)
    return
  }
  pen.say('translated', entry.key, `action ${action} is ${shownAs(step)}`)
  drop(step, options)
}

function shownAs(step: YamlMap): string {
  const executor = mapIn(entryOf(step, 'executor'))
  const type = executor && textIn(entryOf(executor, 'type'))
  if (type) return `an executor of type ${type}`
  return ['call', 'script'].find((name) => entryOf(step, name)) ?? 'command'
}

/** Types of steps that are actions since 2.7. */
const AS_ACTION: Record<string, Translate | undefined> = { log, hitl: WAITS['human.task'] }

/** `type` and `config` of a step (1.24 to 2.x) are its `executor`; of 2.x `with` is another name of `config`. */
export function translateType(pen: Pen, step: YamlMap, path: string): void {
  const entry = entryOf(step, 'type')
  const written = textIn(entry)
  if (!entry || written === undefined || entryOf(step, 'executor')) return
  const options = entryOf(step, 'config') ?? entryOf(step, 'with')
  const type = executorType(written)
  const translate = AS_ACTION[written]
  if (translate?.(pen, step, mapIn(options), entry)) {
    pen.say('translated', entry.key, `type ${written} is ${shownAs(step)}`)
    drop(step, options)
    return
  }
  if (!type) {
    const paths = ['type', 'config', 'with', 'command'].map((name) => `${path}.${name}`)
    pen.say('left', entry.key, `a step of type ${written} has no counterpart here`, cureOf(written), ...paths)
    return
  }
  pen.say(
    'translated',
    entry.key,
    `type ${written} is executor ${type}${options ? `, ${nameOf(options)} its config` : ''}`
  )
  setExecutor(pen, step, type, mapIn(options), entry)
  drop(step, options)
}
