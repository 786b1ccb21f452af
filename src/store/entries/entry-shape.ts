/**
 * Checks that an entry is a valid run or node, because its readers rely on its members. A damaged entry may still be valid JSON.
 * Source: reliability P7, F12.
 */
import {
  NODE_STATUSES,
  RUN_STATUSES,
  STOPPER_TYPES,
  TRIGGER_REPEATS,
  TRIGGER_TYPES
} from '../../../machines/vocabulary/lists.ts'
import type {
  Given,
  GivenUp,
  KeptSignal,
  LateEnd,
  NodeRecord,
  PlacedOn,
  RunRecord,
  StarterRights,
  Stopper,
  Trigger
} from '../../../machines/vocabulary.ts'
import type { OpenState, StoredNode, StoredRun } from '../stored.ts'

type Test = (value: unknown) => boolean
/** Checks by member; other members are ignored. */
type Shape<V> = { readonly [K in keyof V]-?: Test }

export const isText: Test = (value) => typeof value === 'string'
const isNumber: Test = (value) => Number.isFinite(value)
const isCount: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0
/** The latest instant that a date can represent. */
const LATEST = 8.64e15
export const isInstant: Test = (value) => isNumber(value) && Math.abs(Number(value)) <= LATEST
const isFlag: Test = (value) => typeof value === 'boolean'
const isObject: Test = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const oneOf = (texts: readonly string[]): Test => {
  const known = new Set<unknown>(texts)
  return (value) => known.has(value)
}
const maybe =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value)
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test)

/** The first invalid member. */
function wrongMember<V>(shape: [keyof V & string, Test][], value: unknown): string | undefined {
  const members: Partial<Record<keyof V, unknown>> = Object(value)
  for (const [name, test] of shape) if (!test(members[name])) return name
  return undefined
}
const members = <V>(shape: Shape<V>) => Object.entries(shape) as [keyof V & string, Test][] // Object.entries loses the names
function shaped<V>(shape: Shape<V>): Test {
  const known = members<V>(shape)
  return (value) => isObject(value) && wrongMember(known, value) === undefined
}

const isKey = shaped<{ name: string; dagRunId: string }>({ name: isText, dagRunId: isText })
const areConditions = maybe(listOf(shaped({ matched: isFlag, error: isText })))
const isCaller = shaped<NonNullable<RunRecord['caller']>>({
  root: isKey,
  parent: isKey,
  step: isText,
  runAttempt: isCount,
  attempt: isCount,
  depth: isCount
})
const given = { at: isInstant, by: maybe(isText), id: maybe(isText), refusal: maybe(isText) }
const areMarks = maybe(listOf(shaped({ at: isCount, secret: isText, from: maybe(isCount), length: maybe(isCount) })))
const isKept = shaped<KeptSignal>({ ...given, output: maybe(isText), outputMarks: areMarks })
const isGivenUp = shaped<GivenUp>({
  attempt: isCount,
  worker: isText,
  home: isText,
  late: maybe(
    shaped<LateEnd>({
      endedAt: isInstant,
      heardAt: isInstant,
      exitCode: maybe(isNumber),
      signal: maybe(isText),
      error: maybe(isText)
    })
  )
})
const patterns = maybe(listOf(isText))
const areRights = shaped<StarterRights>({
  role: isText,
  rules: listOf(shaped({ may: isText, dags: patterns, groups: patterns, tags: patterns }))
})
const RUN = members<RunRecord>({
  name: isText,
  dagRunId: isText,
  status: oneOf(RUN_STATUSES),
  attempt: isCount,
  queue: maybe(isText),
  order: maybe(isNumber),
  only: maybe(isCount),
  caller: maybe(isCaller),
  placement: maybe(
    shaped<NonNullable<RunRecord['placement']>>({ home: isText, id: isText, lease: isCount, extra: maybe(isFlag) })
  ),
  retryOf: maybe(isKey),
  starter: maybe(areRights),
  trigger: maybe(
    shaped<Trigger>({
      type: oneOf(TRIGGER_TYPES),
      again: maybe(oneOf(TRIGGER_REPEATS)),
      by: maybe(isText),
      slot: maybe(isInstant),
      of: maybe(isKey),
      requestId: maybe(isText)
    })
  ),
  createdAt: isInstant,
  queuedAt: maybe(isInstant),
  startedAt: maybe(isInstant),
  finishedAt: maybe(isInstant),
  params: listOf(shaped({ name: isText, value: isText, written: maybe(isFlag) })),
  log: isText,
  nodeLogs: isText,
  plan: isText,
  error: maybe(isText),
  stoppedBy: maybe(shaped<Stopper>({ type: oneOf(STOPPER_TYPES), by: maybe(isText), requestId: maybe(isText) })),
  superseded: maybe(isFlag),
  conditions: areConditions,
  given: maybe((value) => isObject(value) && Object.values(Object(value)).every(isKept)),
  warnings: maybe(listOf(isText))
})
const NODE = members<NodeRecord>({
  step: isText,
  status: oneOf(NODE_STATUSES),
  startedAt: maybe(isInstant),
  finishedAt: maybe(isInstant),
  retryCount: isCount,
  doneCount: isCount,
  exitCode: maybe(isNumber),
  signal: maybe(isText),
  error: maybe(isText),
  thrown: maybe(isObject),
  stdout: maybe(isText),
  stderr: maybe(isText),
  output: maybe(isText),
  outputMarks: areMarks,
  conditions: areConditions,
  continues: maybe(isFlag),
  given: maybe(shaped<Given>(given)),
  worker: maybe(shaped<PlacedOn>({ id: isText, lease: isCount })),
  givenUp: maybe(listOf(isGivenUp))
})
const isChild: Test = (value) => isObject(value) && isText(Object(value).src)
const OPEN = members<OpenState>({
  value: (value) => isText(value) || isObject(value),
  context: isObject,
  children: (value) => isObject(value) && Object.values(Object(value)).every(isChild)
})

/** @throws Error that names the invalid member */
function refuse<V>(record: [keyof V & string, Test][], value: unknown): void {
  const entry: { record?: unknown; open?: unknown } = isObject(value) ? Object(value) : {}
  if (!isObject(entry.record)) throw new Error('there is no record in it')
  const wrong = wrongMember(record, entry.record)
  if (wrong !== undefined) throw new Error(`its member record.${wrong} is damaged`)
  if (entry.open === undefined) return
  const open = isObject(entry.open) ? wrongMember(OPEN, entry.open) : ''
  if (open !== undefined) throw new Error(`its member open${open && `.${open}`} is damaged`)
}

// D853
/** @throws Error for an invalid run */
export function asRun(value: unknown): StoredRun {
  refuse(RUN, value)
  const run = value as StoredRun // by the checks above
  if (!isCount(run.seq)) throw new Error('its member seq is damaged')
  return run
}

/** @throws Error for an invalid node */
export function asNode(value: unknown): StoredNode {
  refuse(NODE, value)
  return value as StoredNode // by the checks above
}
