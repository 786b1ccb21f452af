/** An engine that checks the types of all arguments first. Source: `StartRequest` and the like in engine.ts, inspect/inspection.ts. */
import { RUN_STATUSES, TRIGGER_TYPES, WAITS } from '../../machines/vocabulary/lists.ts'
import type {
  Asked,
  DrainRequest,
  Engine,
  Facts,
  Replaced,
  Requested,
  Rescheduled,
  RetryRequest,
  RunFilter,
  SettableStatus,
  SignalOptions,
  SignalStep,
  StartRequest,
  StepKey,
  StopRequest,
  WaitingFilter
} from '../engine/engine.ts'
import { array, type Optional, optional, type Schema } from '../schema/schema.ts'
import { isLate } from './closable.ts'
import {
  alternatives,
  anything,
  callable,
  flag,
  members,
  mustBe,
  numeric,
  only,
  positive,
  problemsOf,
  refuse,
  text,
  word
} from './host-values.ts'

type Named = Readonly<Record<string, Schema | Optional>>
/** Checks the argument before it beyond its shape. */
type Rule = (value: object) => string[]
/** Arguments in their order: one by itself, or some by name, whose problems are reported together. */
type Row = readonly (Schema | Optional | Named | Rule)[]
/** By the name of a method. */
type Rows<T> = { readonly [Name in keyof T]?: Row }
type Method = (...args: unknown[]) => unknown

/** An object with members of these names and no others. */
const exactly = <T extends object>(
  kinds: Record<keyof T & string, Schema>,
  required: readonly (keyof T & string)[] = []
) => only('member', kinds, required)

/** Other members are ignored, so that a record of a run can be passed. */
const run = members({ name: text, dagRunId: text }, ['name', 'dagRunId'])

const requested = { by: text, via: word('api', 'cli'), requestId: text, starter: members({}) } satisfies Record<
  keyof Requested,
  Schema
>
const request = exactly<StartRequest>({
  spec: text,
  file: text,
  fileName: text,
  name: text,
  dagName: text,
  params: text,
  evaluateParams: flag,
  dagRunId: text,
  singleton: flag,
  queue: text,
  dryRun: flag,
  noQueue: flag,
  waitWhenFull: flag,
  unlimited: flag,
  fromRun: run,
  at: text,
  priority: numeric,
  idempotencyKey: text,
  ...requested
})
/** Sources of a run, of which exactly one is wanted: a second one would be ignored silently. */
const SOURCES = {
  spec: 'the text of a definition',
  file: 'the path of one',
  fileName: 'the name of a stored one',
  fromRun: 'the key of an earlier run'
} satisfies Partial<Record<keyof StartRequest, string>>
const sources: Rule = (value) => {
  const found = Object.keys(SOURCES).filter((name) => Reflect.get(value, name) !== undefined)
  if (found.length > 1) return [`wanted ${alternatives(Object.keys(SOURCES))}, found ${found.join(' and ')}`]
  const described = Object.entries(SOURCES).map(([name, words]) => `${name} (${words})`)
  return found.length === 1 ? [] : [`wanted ${alternatives(described)}, found none of them`]
}
const retry = exactly<RetryRequest>({
  dagRunId: text,
  stepName: text,
  includeDownstream: flag,
  unlimited: flag,
  ...requested
})
const names = exactly<Rescheduled>({ dagRunId: text, dagName: text, params: text, unlimited: flag, ...requested })
const step = exactly<StepKey>({ root: run, subRunId: text, step: text, by: text }, ['root', 'step'])
export const signalled = exactly<SignalStep>({ name: text, dagRunId: text, subRunId: text, step: text }, [
  'name',
  'dagRunId',
  'step'
])
const settable = word(
  ...Object.keys({
    not_started: true,
    running: true,
    failed: true,
    canceled: true,
    succeeded: true,
    skipped: true
  } satisfies Record<SettableStatus, true>)
)
const replaced = exactly<Replaced>({ by: text, revision: text })
const filter = exactly<RunFilter>({
  name: text,
  nameContains: text,
  status: array(word(...RUN_STATUSES)),
  waitingFor: array(word(...WAITS)),
  from: numeric,
  to: numeric,
  idContains: text,
  trigger: array(word(...TRIGGER_TYPES)),
  byContains: text,
  paramContains: text,
  tags: array(text),
  limit: numeric
})
const waits = exactly<WaitingFilter>({ dag: text, step: text })
const dead: Row = [{ target: text }, { id: optional(text) }]

const METHODS: Rows<Engine> = {
  start: [request, sources],
  enqueue: [request, sources],
  dequeue: [run],
  retry: [run, optional(retry)],
  reschedule: [run, optional(names)],
  setNodeStatus: [step, { status: settable, output: optional(text) }],
  stop: [run, optional(exactly<StopRequest>({ force: flag, ...requested }))],
  signal: [signalled, { payload: anything }, optional(exactly<SignalOptions>({ by: text, id: text }))],
  drainWorker: [{ id: text }, optional(exactly<DrainRequest>({ drain: flag, timeoutSec: positive, requestId: text }))],
  retryDeliveries: dead,
  removeDeliveries: dead,
  result: [run],
  createDefinition: [{ name: text, spec: optional(text) }, optional(exactly<Asked>({ by: text }))],
  replaceDefinition: [{ fileName: text, spec: text }, optional(replaced)],
  removeDefinition: [{ fileName: text }],
  renameDefinition: [{ fileName: text, newFileName: text }],
  suspendDefinition: [{ fileName: text, suspended: flag }],
  validate: [{ spec: text, name: optional(text) }, optional(only('member', { by: text, files: flag }))],
  subscribe: [{ listen: callable, run: optional(run) }],
  close: [optional(only('member', { runs: word('leave', 'stop') }))],
  run: [run],
  record: [run],
  subRun: [run, { subRunId: text }],
  subRuns: [run],
  runs: [optional(filter)],
  runsPart: [filter, { after: anything, isEnough: callable }],
  runSpec: [run],
  journal: [run, { after: numeric, limit: numeric }],
  waiting: [optional(waits)],
  waitingPart: [waits, { limit: numeric, after: optional(text) }],
  awaitedBy: [run],
  latest: [{ name: text }]
}

type Options<F extends (...args: never[]) => unknown> = NonNullable<Parameters<F>[1]>
const FACTS: Rows<Facts> = {
  chart: [{ id: text }],
  run: [run, optional(exactly<Options<Facts['run']>>({ at: numeric, actor: text, brief: flag }))],
  preview: [
    run,
    { actor: text },
    { event: members({ type: text }, ['type']) },
    optional(only('member', { at: numeric }))
  ],
  events: [run, optional(exactly<Options<Facts['events']>>({ after: numeric, limit: numeric, causes: flag }))],
  explain: [run, { step: optional(text) }],
  explainDefinition: [{ fileName: text }],
  decisions: [
    optional(
      exactly<NonNullable<Parameters<Facts['decisions']>[0]>>({ fileName: text, before: numeric, limit: numeric })
    )
  ],
  sequence: [run, optional(exactly<Options<Facts['sequence']>>({ after: numeric, limit: numeric }))]
}

export function checkedEngine(engine: Engine): Engine {
  const facts = checked(engine.facts, FACTS, 'facts.')
  return { ...checked(engine, METHODS), facts, inspect: facts.run }
}

/** @param of precedes names of methods in messages */
function checked<T extends object>(whole: T, rows: Rows<T>, of = ''): T {
  const methods = Object.entries<Row | undefined>(rows).map(([name, row = []]): [string, Method] => {
    const method = (...args: unknown[]) => {
      const known = check(row, args, of + name)
      return (whole[name as keyof T] as Method)(...known) // rows are named after methods
    }
    return [name, isLate(name) ? async (...args) => method(...args) : method]
  })
  return { ...whole, ...Object.fromEntries(methods) }
}

/** @returns the arguments that the row names @throws TroupeError bad_request */
function check(row: Row, args: readonly unknown[], what: string): readonly unknown[] {
  let at = 0
  for (const part of row)
    if (typeof part === 'function') refuse(part(Object(args[at - 1])).map((problem) => `${what}: ${problem}`))
    else if (isOne(part)) mustBe(part, args[at++], what)
    else refuse(Object.entries(part).flatMap(([name, one]) => problemsOf(one, args[at++], `${what}: ${name}`)))
  return args.slice(0, at)
}

const isOne = (part: Schema | Optional | Named): part is Schema | Optional =>
  ['type', 'x-fits', 'optional'].some((keyword) => keyword in part)
