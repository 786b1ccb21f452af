/** Options of `createEngine`, besides settings. Source: docs/configuration.md "In a host application". */
import { type CoordinatorSettings, settingsNamed } from '../config.ts'
import { SETTING_FORMS, type Setting } from '../definition/fields/custom-types.ts'
import type { MonitoringOptions } from '../engine/resources.ts'
import { guarded } from '../errors.ts'
import type { CustomExecutor } from '../executors/custom/custom.ts'
import { array, type Schema } from '../schema/schema.ts'
import { misfitsOf } from '../schema/walk.ts'
import { duration } from './duration.ts'
import {
  anything,
  callable,
  flag,
  members,
  only,
  port,
  positive,
  readable,
  sentenceOf,
  text,
  thing,
  unknownText,
  unless,
  withFunctions,
  word
} from './host-values.ts'
import type { InspectOptions } from './inspected-engine.ts'
import type { EngineOptions } from './options.ts'

// D216: only `start-all` and `server` sample resources
const monitoring = { intervalMs: positive, retentionMs: positive } satisfies Record<keyof MonitoringOptions, Schema>
const inspect = { serve: flag, port, to: text } satisfies Record<keyof InspectOptions, Schema>
const setting = only('member', { is: word(...SETTING_FORMS), required: flag } satisfies Record<keyof Setting, Schema>, [
  'is'
])
const executorMembers = {
  type: text,
  reads: word('words', 'text'),
  config: { type: 'object', additionalProperties: setting },
  validate: callable,
  execute: callable,
  close: callable
} satisfies Partial<Record<keyof CustomExecutor, Schema>>

/** An executor of a host. */
export const executor = members(executorMembers, ['type', 'execute'])

const abortSignal = thing('an AbortSignal', (value) => value instanceof AbortSignal)

const options = {
  temporary: flag,
  readOnly: flag,
  monitoring: unless(true, only('option', monitoring, Object.keys(monitoring))),
  waitForHome: unless(true, duration),
  signal: abortSignal,
  clients: flag,
  holdQueues: flag,
  // D801: an engine follows schedules only on request
  schedules: flag,
  inspect: unless(true, unless(false, only('option', inspect))),
  log: unless('stderr', withFunctions(['debug', 'info', 'warn', 'error'], '"stderr" or ')),
  clock: withFunctions(['now', 'elapsed', 'at', 'after', 'soon', 'random']),
  openStore: callable,
  openBus: callable,
  settings: readable,
  executors: array(executor),
  dags: array(anything), // looked at one by one
  functions: array(members({ name: text, run: callable }, ['name', 'run'])),
  secrets: callable,
  // These are settings.
  coordinator: only('setting', {
    enabled: anything,
    host: anything,
    port: anything,
    advertise: anything,
    cluster: anything,
    nats: anything
  } satisfies Record<keyof CoordinatorSettings, Schema>),
  home: anything,
  config: anything,
  dagsDir: anything,
  logDir: anything,
  dataDir: anything,
  baseConfig: anything,
  host: anything,
  port: anything,
  tz: anything,
  defaultShell: anything,
  debug: anything,
  logFormat: anything,
  durability: anything,
  shutdown: anything,
  maxProcesses: anything,
  allowUnauthenticated: anything
} satisfies Record<keyof EngineOptions, Schema>

const wholeOptions = only('option', options)

/** A sentence for each unknown option or wrong type, and for those that mean nothing together. Settings are checked by the configuration. */
export const optionProblems = (input: EngineOptions): string[] => [
  ...misfits(input),
  ...guarded(() => contradictions(input), [])
]

const contradictions = ({ waitForHome, signal, clients, readOnly, temporary }: EngineOptions): string[] => [
  ...(waitForHome !== undefined && readOnly
    ? ['waitForHome: wanted none with readOnly, which waits for no owner']
    : []),
  ...(waitForHome !== undefined && temporary ? ['waitForHome: wanted none with temporary, whose home is its own'] : []),
  ...(signal !== undefined && waitForHome === undefined ? ['signal: wanted with waitForHome, whose wait it ends'] : []),
  ...(clients && readOnly ? ['clients: wanted none with readOnly: clients talk to the owner of a home'] : [])
]

const misfits = (input: object): string[] =>
  // Options of the table in its order, then unknown ones.
  Object.entries({ ...options, ...input }).flatMap(([option, value]) =>
    guarded(
      () =>
        misfitsOf(wholeOptions, Object.hasOwn(input, option) ? { [option]: value } : {}).map((one) =>
          sentenceOf(one, unknownOption)
        ),
      [`${option}: it cannot be read`]
    )
  )

const unknownOption: typeof unknownText = (what, name, known) => {
  const settings = what === 'option' ? settingsNamed(name) : []
  return settings.length > 0
    ? `unknown option ${name}; wanted it in settings: { ${settings.map((key) => `'${key}': ...`).join(', ')} }`
    : unknownText(what, name, known)
}
