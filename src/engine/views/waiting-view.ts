/** Steps that wait for a signal or an approval, from the store. Source: embedding 2.5; docs/executors/signal.md. */
import { awaitsSignal, waitIn } from '../../../machines/policy/waits.ts'
import type { Plan, RunKey, RunRecord, Step } from '../../../machines/vocabulary.ts'
import { TroupeError } from '../../errors.ts'
import { nodesAt, planOf, runRecord } from '../../store/history.ts'
import { END } from '../../store/key-end.ts'
import type { Store } from '../../store/open.ts'
import type { StoredNode } from '../../store/stored.ts'
import type { WaitAsked, WaitingFilter, WaitingPart, WaitingStep } from '../engine.ts'

// D1081: what waits is found by looking through open runs, in parts
/** Open runs that are looked at for one part: most of them may wait for nothing. */
const LOOKED_AT = 2_000
/** Steps in one part. */
const MOST_WAITING = 1_000

export type SignalWait = WaitAsked & Pick<WaitingStep, 'for' | 'until'>

/** What a node waits for; undefined: for no signal. */
export function signalWait(step: Step, { open, record }: StoredNode): SignalWait | undefined {
  const { wait } = step
  const kind = waitIn(step, open?.value)
  if (!wait || !open || kind === undefined || kind === 'sleep') return undefined
  const { ask, decidedAt, dueAt } = open.context
  return {
    for: kind,
    ask: typeof ask === 'string' ? ask : (wait.ask ?? ''),
    since: typeof decidedAt === 'number' ? decidedAt : (record.startedAt ?? 0),
    ...(typeof dueAt === 'number' && dueAt > 0 ? { until: dueAt } : {}),
    ...(wait.payloadSchema ? { payloadSchema: wait.payloadSchema } : {})
  }
}

/** The part of a run that is in memory; undefined: it is read from the store. */
type InMemory = (key: RunKey) => { readonly record: RunRecord; readonly plan: Plan } | undefined

export function everyWait(store: Store, filter: WaitingFilter = {}, inMemory?: InMemory): WaitingStep[] {
  const found: WaitingStep[] = []
  for (let after: string | undefined, more = true; more; more = after !== undefined) {
    const part = waitingPart(store, filter, MOST_WAITING, after, inMemory)
    for (const step of part.waiting) found.push(step)
    after = part.next
  }
  return found
}

/** A part ends with a whole run, so that it may have a few more than `limit`. */
export function waitingPart(
  store: Store,
  { dag, step }: WaitingFilter,
  limit: number,
  after?: string,
  inMemory?: InMemory
): WaitingPart {
  const start = after === undefined ? [dag ?? '', ''] : keyIn(after)
  const end = dag === undefined ? {} : { end: [dag, END] }
  const waiting: WaitingStep[] = []
  let looked = 0
  for (const key of store.open.getKeys({ start, ...end })) {
    const [name = '', dagRunId = ''] = key
    if (after !== undefined && name === start[0] && dagRunId === start[1]) continue
    for (const found of waitsOf(store, { name, dagRunId }, step, inMemory)) waiting.push(found)
    if (++looked < LOOKED_AT && waiting.length < limit) continue
    return { waiting, next: waitingCursor({ name, dagRunId }) }
  }
  return { waiting }
}

function waitsOf(store: Store, key: RunKey, step: string | undefined, inMemory?: InMemory): WaitingStep[] {
  const open = inMemory?.(key)
  const record = open?.record ?? runRecord(store, key)
  const plan = record?.status === 'running' ? (open?.plan ?? planOf(store, record.plan)?.plan) : undefined
  if (!record || !plan) return []
  const places = placesOf(plan).filter((place) => step === undefined || plan.steps[place]?.name === step)
  if (places.length === 0) return []
  const root = record.caller ? { root: record.caller.root } : {}
  return [...nodesAt(store, key, places)].flatMap(([place, node]) => {
    const written = typeof place === 'number' ? plan.steps[place] : undefined
    const wait = written && signalWait(written, node)
    return wait ? [{ run: key, ...root, step: written.name, ...wait }] : []
  })
}

/** Places of the steps that wait for signals; a plan does not change. */
const known = new WeakMap<Plan, number[]>()
function placesOf(plan: Plan): number[] {
  const found = known.get(plan) ?? plan.steps.flatMap((step, index) => (awaitsSignal(step) ? [index] : []))
  known.set(plan, found)
  return found
}

/** Continues behind a run. */
export const waitingCursor = ({ name, dagRunId }: RunKey): string =>
  Buffer.from(JSON.stringify([name, dagRunId])).toString('base64url')

/** @throws TroupeError bad_request */
function keyIn(cursor: string): [string, string] {
  try {
    const [name, dagRunId]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (typeof name === 'string' && typeof dagRunId === 'string') return [name, dagRunId]
  } catch {
    // The text is no cursor.
  }
  throw new TroupeError('bad_request', 'cursor: wanted the nextCursor of an earlier answer')
}
