/** A test file, read: what it says in types, and its forms. Source: docs/testing.md. */
import { NODE_STATUSES, RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { Json, NodeStatus, RunStatus } from '../../../machines/vocabulary.ts'
import { durationMs, instantOf } from '../instant.ts'
import { type Shape, schemaOf } from './shape.ts'

export interface Suite {
  /** Path of the definition, from the file; absent: the one that the file is named after. */
  workflow?: string
  /** Other definitions. */
  workflows?: string[]
  timeZone?: string
  now?: string
  seed?: number
  env?: Record<string, string>
  params?: Params
  mocks?: MockTable
  tests: SuiteTest[]
}
export interface SuiteTest extends Pick<Suite, 'timeZone' | 'now' | 'seed' | 'env' | 'params' | 'mocks'> {
  name: string
  /** Schedules start runs; nothing else does unless `do` says so. */
  schedules?: boolean
  do?: Act[]
  expect?: Expected
}
export type Params = Record<string, string> | string

export interface MockTable {
  steps?: Record<string, MockEnds>
  types?: Record<string, MockEnds>
  commands?: Record<string, MockEnds>
}
export type MockEnds = string | MockEnd | (string | MockEnd)[]
export interface MockEnd {
  exit?: number
  stdout?: string
  stderr?: string
  /** The value of the step's `output`; a value that is no text as JSON. */
  output?: Json
  /** How long it takes. */
  after?: string
  /** How often in a row; in a list only. */
  times?: number
}

/** Exactly one of its members. */
export interface Act {
  start?: { params?: Params; id?: string } | null
  advance?: string
  until?: string
  crash?: { event?: number } | null
  stop?: { id?: string } | null
  retry?: { id?: string; step?: string } | null
  mock?: MockTable
  expect?: Expected
  /** To a step that waits, or will. */
  signal?: { step: string; payload?: Json; by?: string; id?: string }
}

export interface Expected {
  status?: RunStatus
  /** Of all runs, oldest first. */
  runs?: RunStatus[]
  path?: string[]
  steps?: Record<string, NodeStatus | ExpectedStep>
  params?: Record<string, string>
  /** Part of the error of the run. */
  error?: string
}
export interface ExpectedStep {
  status?: NodeStatus
  output?: Json
  exitCode?: number
  /** Part of its error. */
  error?: string
  /** How often it was executed. */
  calls?: number
  path?: string[]
}

/** Entries of one list: a test of thousands of lines is no help. */
const MOST = 1_000

const text: Shape = { kind: 'text' }
const duration: Shape = {
  kind: 'text',
  wanted: 'a duration such as 90s, 5m or 2h30m',
  check: (text) => durationMs(text, 'duration')
}
const instant: Shape = {
  kind: 'text',
  wanted: 'an instant such as 2026-03-29T01:59',
  check: (text) => instantOf(text, 'UTC', 'instant')
}
const zone: Shape = { kind: 'text', wanted: 'an IANA time zone such as Europe/Berlin' }
const texts: Shape = { kind: 'list', of: text, most: MOST }
const seed: Shape = { kind: 'whole', least: 0, most: 2 ** 31 - 1 }
const env: Shape = { kind: 'map', of: text, wanted: 'a map of variables' }
const params: Shape = { kind: 'either', wanted: 'a map of params, or a text such as A=1 B=2', shapes: [env, text] }
const exit: Shape = { kind: 'whole', least: 0, most: 255 }
const mockEnd: Shape = {
  kind: 'object',
  fields: {
    exit,
    stdout: text,
    stderr: text,
    output: { kind: 'any' },
    after: duration,
    times: { kind: 'whole', least: 1, most: MOST }
  }
}
const one: Shape = { kind: 'either', wanted: 'a text, or a map', shapes: [text, mockEnd] }
const ends: Shape = {
  kind: 'either',
  wanted: 'what is printed, a map with exit, stdout, stderr, output or after, or a list of those, one for each call',
  shapes: [text, mockEnd, { kind: 'list', of: one, atLeast: 1, most: MOST }]
}
const mocks: Shape = {
  kind: 'object',
  fields: {
    steps: { kind: 'map', of: ends, wanted: 'a map with the names of steps' },
    types: { kind: 'map', of: ends, wanted: 'a map with types of executors' },
    commands: { kind: 'map', of: ends, wanted: 'a map with commands of conditions and backticks' }
  }
}
const runStatus: Shape = { kind: 'word', words: RUN_STATUSES }
const nodeStatus: Shape = { kind: 'word', words: NODE_STATUSES }
const expected: Shape = {
  kind: 'object',
  fields: {
    status: runStatus,
    runs: { kind: 'list', of: runStatus, most: MOST },
    path: texts,
    steps: {
      kind: 'map',
      wanted: 'a map with the names of steps',
      of: {
        kind: 'either',
        wanted: 'a status, or a map',
        shapes: [
          nodeStatus,
          {
            kind: 'object',
            fields: {
              status: nodeStatus,
              output: { kind: 'any' },
              exitCode: { kind: 'whole', least: -1, most: 255 },
              error: text,
              calls: { kind: 'whole', least: 0, most: 1_000_000 },
              path: texts
            }
          }
        ]
      }
    },
    params: env,
    error: text
  }
}
const event: Shape = { kind: 'object', fields: { event: { kind: 'whole', least: 1, most: 2 ** 31 - 1 } } }
const act: Shape = {
  kind: 'object',
  exactlyOne: true,
  fields: {
    start: { kind: 'object', fields: { params, id: text } },
    advance: duration,
    until: instant,
    crash: event,
    stop: { kind: 'object', fields: { id: text } },
    retry: { kind: 'object', fields: { id: text, step: text } },
    mock: mocks,
    expect: expected,
    signal: { kind: 'object', required: ['step'], fields: { step: text, payload: { kind: 'any' }, by: text, id: text } }
  }
}
const common = { timeZone: zone, now: instant, seed, env, params, mocks }
const test: Shape = {
  kind: 'object',
  required: ['name'],
  fields: {
    name: text,
    ...common,
    schedules: { kind: 'flag' },
    do: { kind: 'list', of: act, most: MOST },
    expect: expected
  }
}
export const suiteShape: Shape = {
  kind: 'object',
  required: ['tests'],
  fields: { workflow: text, workflows: texts, ...common, tests: { kind: 'list', of: test, atLeast: 1, most: MOST } }
}

/** The JSON Schema of test files, for editors. */
export const suiteSchemaText = (): string =>
  `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Troupe workflow test', ...schemaOf(suiteShape) }, null, 2)}\n`
