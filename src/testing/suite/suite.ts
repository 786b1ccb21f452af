/** A test file, read: its form, and what it says in types. Source: docs/testing.md. */
import { NODE_STATUSES, RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { Json } from '../../../machines/vocabulary.ts'
import { durationMs } from '../../host/duration.ts'
import { between, oneOf } from '../../schema/limited.ts'
import { array, flag, type ObjectSchema, type Schema, type Shape, text } from '../../schema/schema.ts'
import { instantOf } from '../instant.ts'
import { schemaOf } from './shape.ts'

/** Entries of one list: a test of thousands of lines is no help. */
const MOST = 1_000
const most = <const S extends Schema>(items: S, least = 0) =>
  ({ ...array(items), minItems: least, maxItems: MOST }) as const

const form = <const P extends Readonly<Record<string, Schema>>, R extends keyof P & string = never>(
  properties: P,
  ...required: R[]
): ObjectSchema<P, R> => ({ type: 'object', properties, required })

const named = <const S extends Schema>(wanted: string, items: S) =>
  ({ type: 'object', additionalProperties: items, 'x-wanted': wanted }) as const

const either = <const S extends readonly Schema[]>(wanted: string, ...schemas: S) =>
  ({ anyOf: schemas, 'x-wanted': wanted }) as const

/** A problem is what `check` throws. */
const checked = (wanted: string, check: (text: string) => unknown) =>
  ({ ...text, 'x-wanted': wanted, 'x-fits': (value: unknown) => check(String(value)) !== undefined }) as const

const json = { 'x-read': (value: unknown) => value as Json } // what YAML holds is JSON
const duration = checked('a duration such as 90s, 5m or 2h30m', (text) => durationMs(text, 'duration'))
const instant = checked('an instant such as 2026-03-29T01:59', (text) => instantOf(text, 'UTC', 'instant'))
const zone = { ...text, 'x-wanted': 'an IANA time zone such as Europe/Berlin' } as const
const texts = most(text)
const env = named('a map of variables', text)
const params = either('a map of params, or a text such as A=1 B=2', env, text)
const mockEnd = form({
  exit: between(0, 255),
  stdout: text,
  stderr: text,
  /** The value of the step's `output`; a value that is no text as JSON. */
  output: json,
  /** How long the step takes. */
  after: duration,
  /** How often in a row; in a list only. */
  times: between(1, MOST)
})
const ends = either(
  'what is printed, a map with exit, stdout, stderr, output or after, or a list of those, one for each call',
  text,
  mockEnd,
  most(either('a text, or a map', text, mockEnd), 1)
)
const mocks = form({
  steps: named('a map with the names of steps', ends),
  types: named('a map with types of executors', ends),
  commands: named('a map with commands of conditions and backticks', ends)
})
const runStatus = oneOf(RUN_STATUSES)
const nodeStatus = oneOf(NODE_STATUSES)
const expectedStep = form({
  status: nodeStatus,
  output: json,
  exitCode: between(-1, 255),
  /** Part of its error. */
  error: text,
  /** How often the step was executed. */
  calls: between(0, 1_000_000),
  path: texts
})
const expected = form({
  status: runStatus,
  /** Statuses of all runs, oldest first. */
  runs: most(runStatus),
  path: texts,
  steps: named('a map with the names of steps', either('a status, or a map', nodeStatus, expectedStep)),
  params: env,
  /** Part of the error of the run. */
  error: text
})
/** Exactly one of its members. */
const act = {
  ...form({
    start: form({ params, id: text, at: text, priority: between(-1_000, 1_000), idempotencyKey: text }),
    advance: duration,
    until: instant,
    crash: form({ event: between(1, 2 ** 31 - 1) }),
    stop: form({ id: text }),
    retry: form({ id: text, step: text, downstream: flag }),
    mock: mocks,
    expect: expected,
    /** To a step that waits, or will. */
    signal: form({ step: text, payload: json, by: text, id: text }, 'step')
  }),
  minProperties: 1,
  maxProperties: 1
} as const
const common = { timeZone: zone, now: instant, seed: between(0, 2 ** 31 - 1), env, params, mocks }
const test = form(
  {
    name: text,
    ...common,
    /** Schedules start runs; nothing else does unless `do` says so. */
    schedules: flag,
    do: most(act),
    expect: expected
  },
  'name'
)
export const suite = form(
  {
    /** Path of the definition, from the file; absent: the one that the file is named after. */
    workflow: text,
    /** Other definitions. */
    workflows: texts,
    ...common,
    tests: most(test, 1)
  },
  'tests'
)

export type Suite = Shape<typeof suite>
export type SuiteTest = Shape<typeof test>
export type Params = Shape<typeof params>
export type MockTable = Shape<typeof mocks>
export type MockEnds = Shape<typeof ends>
export type MockEnd = Shape<typeof mockEnd>
type Acted = Shape<typeof act>
type Bare = 'start' | 'crash' | 'stop' | 'retry'
export type Act = Omit<Acted, Bare> & { [K in Bare]?: Acted[K] | null }
export type Expected = Shape<typeof expected>
export type ExpectedStep = Shape<typeof expectedStep>

/** The JSON Schema of test files, for editors. */
export const suiteSchemaText = (): string =>
  `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Troupe workflow test', ...schemaOf(suite) }, null, 2)}\n`
