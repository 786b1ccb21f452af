/** A run as shown to readers, assembled from the store: what readers see was durable before. Source: reliability P3. */
import type {
  HandlerName,
  NodePlace,
  NodeRecord,
  Plan,
  RunKey,
  RunRecord,
  Step,
  SubRunRef
} from '../../../machines/vocabulary.ts'
import { TroupeError } from '../../errors.ts'
import { awaitedBy } from '../../store/awaited.ts'
import { isUnreadable, UNREADABLE } from '../../store/damage/damaged.ts'
import { latestRun } from '../../store/find-runs.ts'
import { callsOf, planOf, runRecord } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import { type ShownNodes, shownNodes } from '../../store/shown-nodes.ts'
import type { StoredNode, StoredPlan } from '../../store/stored.ts'
import type { HandlerView, RunView } from '../engine.ts'
import { signalWait } from './waiting-view.ts'

/** A run's record; `latest` is the newest of the name. */
export const recordOf = (store: Store, key: RunKey): RunRecord | undefined =>
  key.dagRunId === 'latest' ? latestRun(store, key.name) : runRecord(store, key)

/** The plan of a run, or one without steps if it cannot be read. */
export const planOfRun = (store: Store, { name, plan }: RunRecord): Plan =>
  planOf(store, plan)?.plan ?? unreadable(name)

/**
 * The workflow that a run was started with.
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

/** The workflow of a run that is to be run again. @throws TroupeError service_unavailable */
export const workflowAgain = (store: Store, record: RunRecord): StoredPlan =>
  workflowOf(store, record, 'cannot be run again')

export function viewOfRun(store: Store, record: RunRecord): RunView {
  const known = planOf(store, record.plan)?.plan
  const plan = known ?? unreadable(record.name)
  const nodes = shownNodes(store, record)
  const lost: string[] = isUnreadable(record) ? ['its entry'] : known ? [] : ['the text it was started with']
  const viewOf = ([place, step]: [NodePlace, Step]): HandlerView => {
    const stored = nodes.at(place, step.name)
    const node = stored?.record ?? untouched(step)
    if (isUnreadable(node)) lost.push(known ? `step ${step.name}` : step.name)
    const calls = step.call === undefined ? {} : { calls: subRunsAt(store, record, place, lost, step) }
    return { step, node, ...waitOf(step, stored), ...calls }
  }
  // Without the plan only the nodes' own entries can be shown.
  const [steps, handling] = known
    ? [[...plan.steps.entries()], handlersOf(plan)]
    : ['number', 'string'].map((kind) =>
        stepsFrom(
          nodes,
          nodes.places.filter((place) => typeof place === kind)
        )
      )
  const views = (steps ?? []).map(viewOf)
  const handlers: RunView['handlers'] = {}
  for (const placed of handling ?? []) if (typeof placed[0] === 'string') handlers[placed[0]] = viewOf(placed)
  return {
    run: record,
    ...awaitedIn(store, record),
    plan,
    nodes: views,
    handlers,
    ...(lost.length > 0 ? { errors: lost.map((what) => `${UNREADABLE}: ${what}`) } : {}),
    preconditions: plan.preconditions.map((condition, index) => ({
      condition,
      error: '',
      ...record.conditions?.[index]
    }))
  }
}

const handlersOf = ({ handlers }: Plan): [HandlerName, Step][] =>
  Object.values(handlers).map((step) => [step.name as HandlerName, step]) // the reader of the definition names them so

/** Stand-ins for the steps of a plan that cannot be read, made from its nodes. */
const stepsFrom = (nodes: ShownNodes, places: NodePlace[]): [NodePlace, Step][] =>
  places.map((place) => {
    const nameless = typeof place === 'number' ? `step ${place + 1}` : place
    return [place, unknownStep(nodes.at(place, nameless)?.record.step ?? nameless)]
  })

/** States of the node chart in which it waits for an instant, which is in its context. */
const WAITS = { waiting: 'retry', repeating: 'repeat', sleeping: 'sleep' } as const

function waitOf(step: Step, stored: StoredNode | undefined): Pick<HandlerView, 'wait'> {
  const signal = stored && signalWait(step, stored)
  if (signal) return { wait: signal }
  const state = stored?.open?.value
  const until = stored?.open?.context.dueAt
  const wait = state === 'waiting' || state === 'repeating' || state === 'sleeping' ? WAITS[state] : undefined
  return wait && typeof until === 'number' ? { wait: { for: wait, until } } : {}
}

function awaitedIn(store: Store, run: RunRecord): Pick<RunView, 'awaited'> {
  const awaited = awaitedBy(store, run)
  return awaited ? { awaited } : {}
}

type Calls = NonNullable<HandlerView['calls']>

/** Sub DAG runs of the latest pass of a node, and those of earlier passes. */
function subRunsAt(store: Store, key: RunKey, place: NodePlace, lost: string[], { name }: Step): Calls {
  let isLost = false
  const calls = callsOf(store, key, place, () => {
    isLost = true
  })
  if (isLost) lost.push(`what step ${name} has called`)
  const latest = calls.at(-1)
  const current = new Set(latest?.items.map(({ dagRunId }) => dagRunId))
  const earlier = new Map(calls.flatMap(({ items }) => items.map((item) => [item.dagRunId, item] as const)))
  const view = (item: SubRunRef) => {
    const found = runRecord(store, item)
    return found ? { record: found, ...awaitedIn(store, found), ...item } : item
  }
  return {
    subRuns: latest?.items.map(view) ?? [],
    subRunsRepeated: [...earlier.values()].filter(({ dagRunId }) => !current.has(dagRunId)).map(view)
  }
}

const untouched = ({ name }: Step): NodeRecord => ({ step: name, status: 'not_started', retryCount: 0, doneCount: 0 })

/** A step of a plan that cannot be read: only its name is known. */
const unknownStep = (name: string): Step => ({
  name,
  description: '',
  args: [],
  depends: [],
  preconditions: [],
  continueOn: { failure: false, skipped: false, exitCodes: [], outputs: [], markSuccess: false },
  retry: { limit: 0, interval: 0, exitCodes: [], backoff: 1, maxIntervalMs: 0 },
  env: [],
  timeoutMs: 0,
  executor: { type: 'shell', config: {} },
  mailOnError: false,
  shellPackages: []
})

/** Replaces a plan that cannot be read, so that the run can still be shown. */
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
