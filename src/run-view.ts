/** A run as a reader sees it, put together from what is stored: what is seen was durable before. Source: reliability P3. */
import type { HandlerKind, NodeRecord, Plan, RunKey, RunRecord, Step, SubRunRef } from '../machines/vocabulary.ts'
import type { HandlerView, RunView } from './engine.ts'
import { TroupeError } from './errors.ts'
import { UNREADABLE } from './store/damaged.ts'
import { callsOf, latestRun, nodesOf, planOf, runRecord } from './store/history.ts'
import type { Store, StoredNode, StoredPlan } from './store/open.ts'

/** A run's record; `latest` is the newest of the name. */
export const recordOf = (store: Store, key: RunKey): RunRecord | undefined =>
  key.dagRunId === 'latest' ? latestRun(store, key.name) : runRecord(store, key)

/** The plan of a run, or one without steps when it cannot be read any more. */
export const planOfRun = (store: Store, { name, plan }: RunRecord): Plan =>
  planOf(store, plan)?.plan ?? unreadable(name)

/**
 * What a run was started with.
 * @param refused what cannot be done without it
 * @throws TroupeError service_unavailable: it cannot be read
 */
export function workflowOf(store: Store, { name, dagRunId, plan, error }: RunRecord, refused: string): StoredPlan {
  const found = planOf(store, plan)
  if (found) return found
  const damaged = error === UNREADABLE ? 'its entry in the store' : 'the text it was started with'
  throw new TroupeError(
    'service_unavailable',
    `run ${dagRunId} of ${name} ${refused}: its record is damaged, ${damaged} cannot be read; ` +
      'troupe doctor says more: restore a backup, or start a new run'
  )
}

/** Of a run that is to be run again. @throws TroupeError service_unavailable */
export const workflowAgain = (store: Store, record: RunRecord): StoredPlan =>
  workflowOf(store, record, 'cannot be run again')

export function viewOfRun(store: Store, record: RunRecord): RunView {
  const plan = planOfRun(store, record)
  const nodes = nodesOf(store, record)
  const viewOf = (step: Step, place: number | string): HandlerView => ({
    step,
    node: nodes.get(place)?.record ?? untouched(step),
    ...waitOf(nodes.get(place)),
    ...(step.call === undefined ? {} : { calls: subRunsAt(store, record, place) })
  })
  const handlers: RunView['handlers'] = {}
  const kinds = Object.keys(plan.handlers) as HandlerKind[]
  for (const kind of kinds) {
    const step = plan.handlers[kind]
    if (step) handlers[step.name as keyof RunView['handlers']] = viewOf(step, step.name) satisfies HandlerView
  }
  return {
    run: record,
    plan,
    nodes: plan.steps.map(viewOf),
    handlers,
    preconditions: plan.preconditions.map((condition, index) => ({
      condition,
      error: '',
      ...record.conditions?.[index]
    }))
  }
}

/** States of the node's chart in which it waits, with the end of the wait in its context. */
const WAITS = { waiting: 'retry', repeating: 'repeat' } as const

function waitOf({ open }: Partial<StoredNode> = {}): Pick<HandlerView, 'wait'> {
  const state = open?.value as keyof typeof WAITS | undefined
  const until = open?.context.dueAt
  return state && state in WAITS && typeof until === 'number' ? { wait: { for: WAITS[state], until } } : {}
}

type Calls = NonNullable<HandlerView['calls']>

/** Sub DAG runs of the latest pass of a node, and those of passes before it. */
function subRunsAt(store: Store, key: RunKey, place: number | string): Calls {
  const calls = callsOf(store, key, place)
  const latest = calls.at(-1)
  const current = new Set(latest?.items.map(({ dagRunId }) => dagRunId))
  const earlier = new Map(calls.flatMap(({ items }) => items.map((item) => [item.dagRunId, item] as const)))
  const view = (item: SubRunRef) => {
    const found = runRecord(store, item)
    return found ? { record: found, ...item } : item
  }
  return {
    subRuns: latest?.items.map(view) ?? [],
    subRunsRepeated: [...earlier.values()].filter(({ dagRunId }) => !current.has(dagRunId)).map(view)
  }
}

const untouched = ({ name }: Step): NodeRecord => ({ step: name, status: 'not_started', retryCount: 0, doneCount: 0 })

/** A plan that cannot be read any more: the run is still shown. */
const unreadable = (name: string): Plan => ({
  name,
  group: '',
  description: '',
  tags: [],
  type: 'chain',
  env: [],
  dotenv: [],
  params: [],
  preconditions: [],
  schedule: { start: [], stop: [], restart: [] },
  restartWaitMs: 0,
  skipIfSuccessful: false,
  catchup: 'none',
  delayMs: 0,
  histRetentionDays: -1,
  secrets: [],
  mailOn: { failure: false, success: false },
  runConfig: { disableParamEdit: false, disableRunIdEdit: false },
  onInterrupt: 'resume',
  maxActiveRuns: 1,
  statesMaxActiveRuns: false,
  maxActiveSteps: 0,
  timeoutMs: 0,
  cleanUpMs: 0,
  maxOutputSize: 0,
  handlers: {},
  steps: [],
  locals: []
})
