/** News of executions that nobody waits for: given up, or with their end on record. Source: distribution 1 (D6, D12). */
import type { GivenUp, HandlerName, LateEnd, NodePlace, Plan, RunKey, Step } from '../../../../machines/vocabulary.ts'
import { Unreadable } from '../../../bus/readers.ts'
import { type ResultOf, resultIn } from '../../../bus/results.ts'
import type { TaskEvent } from '../../../bus/tasks.ts'
import type { Clock } from '../../../clock.ts'
import { planOf, runRecord } from '../../../store/history.ts'
import type { Store } from '../../../store/open.ts'
import type { Transactions } from '../../journal/transactions.ts'
import type { LateEndOf } from '../../root/late-end.ts'
import type { DispatcherParts } from './dispatcher.ts'
import { runOnBus, taskOnBus } from './task-ids.ts'

export interface LateEndsParts {
  store: Store
  clock: Pick<Clock, 'now'>
  transactions: Pick<Transactions, 'take' | 'whenShown'>
  /** Resolves when it is on disk. */
  note(found: LateEndOf): Promise<void>
}

/** The name of a step, as an offer has it. */
const STEP = /^run\/([^/]+)\/([^/]+)\/node\/([\s\S]+)$/
/** Length of an error in the journal. */
const MOST_ERROR = 1_000

/** @see DispatcherParts.late */
export function lateEnds({ store, clock, transactions, note }: LateEndsParts): NonNullable<DispatcherParts['late']> {
  /** Being looked up or written down, by task and lease. */
  const noting = new Map<string, Promise<void>>()

  async function hear(home: string, event: TaskEvent): Promise<void> {
    const [, name = '', dagRunId = '', stepName = ''] = STEP.exec(event.name ?? '') ?? []
    const key = { name, dagRunId }
    if (!runRecord(store, key)?.placement) return
    // The record of giving up may not be visible yet.
    await new Promise<void>((resolve) => transactions.take(() => transactions.whenShown(resolve)))
    const found = givenUpIn(store, key, stepName, home, event.task)
    if (!found || found.given.late) return
    const { place, step, given } = found
    await note({ key, place, step, attempt: given.attempt, late: endOf(event, clock.now()) })
  }
  return (home, event) => {
    const id = `${event.task}-${event.lease}`
    const at = noting.get(id) ?? hear(home, event).finally(() => noting.delete(id))
    noting.set(id, at)
    return at
  }
}

/** A worker speaks of its own executions only. */
function givenUpIn(store: Store, key: RunKey, stepName: string, home: string, task: string) {
  const record = runRecord(store, key)
  const plan = record && planOf(store, record.plan)?.plan
  if (!plan) return undefined
  for (const { place, step } of placesNamed(plan, stepName))
    for (const given of store.nodes.get([key.name, key.dagRunId, place])?.record.givenUp ?? [])
      if (given.home === home && taskOnBus(runOnBus(key, record.attempt), 'step', given.attempt, place) === task)
        return { place, step, given } satisfies { place: NodePlace; step: Step; given: GivenUp }
  return undefined
}

/** A step and a handler may have the same name. */
function placesNamed(plan: Plan, name: string): { place: NodePlace; step: Step }[] {
  const handler = Object.values(plan.handlers).find((one) => one.name === name)
  return [
    ...plan.steps.flatMap((step, place) => (step.name === name ? [{ place, step }] : [])),
    ...(handler ? [{ place: handler.name as HandlerName, step: handler }] : []) // as handlers are called
  ]
}

function endOf({ result, agoMs }: TaskEvent, now: number): LateEnd {
  const at = { endedAt: now - agoMs, heardAt: now }
  const said = result === undefined ? undefined : readable(result)
  if (!said) return at
  const { exitCode, signal, error } = said
  return {
    ...at,
    exitCode,
    ...(signal === undefined ? {} : { signal }),
    ...(error === undefined ? {} : { error: error.slice(0, MOST_ERROR) })
  }
}

/** Undefined: it is none; that it has ended is worth a word all the same. */
function readable(result: string): ResultOf<'step'> | undefined {
  try {
    return resultIn('step', JSON.parse(result))
  } catch (error) {
    if (error instanceof Unreadable || error instanceof SyntaxError) return undefined
    throw error
  }
}
