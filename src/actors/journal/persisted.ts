/** Converts between live actors and their stored form: flat entries, one for the run and one for each node. Source: architecture 1, 5. */
import type { AnyActorRef, SnapshotFrom } from 'xstate'
import { openCall } from '../../../machines/call.ts'
import { openEach } from '../../../machines/each.ts'
import {
  type AttemptInput,
  callOf,
  eachOf,
  mayResume,
  type NodeContext,
  type nodeMachine,
  statusOf
} from '../../../machines/node.ts'
import { HANDLERS, nodeId, placedOn, type RunContext, reopened, type runMachine } from '../../../machines/run.ts'
import type {
  NodePlace,
  NodeRecord,
  PlacedOn,
  Plan,
  RunKey,
  RunRecord,
  RunStatus
} from '../../../machines/vocabulary.ts'
import { TroupeError } from '../../errors.ts'
import { present } from '../../platform/present.ts'
import type { OpenState, StoredNode } from '../../store/stored.ts'
import { nodeFiles } from '../run/log-names.ts'
import { stepAt } from '../run/run-scope.ts'
import { pathOf } from './recorded.ts'

type NodeSnapshot = SnapshotFrom<typeof nodeMachine>
type RunSnapshot = SnapshotFrom<typeof runMachine>

// D2: each actor has one flat entry in the store
export function nodeRecord(snapshot: NodeSnapshot, nodeLogs: string): NodeRecord {
  const { step, startedAt, finishedAt, retryCount, doneCount, exitCode, signal, error, conditions, continues } =
    snapshot.context
  const { output, outputMarks, given, givenUp, thrown, worker } = snapshot.context
  const { stdout, stderr } = nodeFiles(nodeLogs, step.name)
  return present({
    step: step.name,
    status: snapshot.status === 'error' ? 'failed' : statusOf(snapshot), // one that threw cannot continue
    startedAt,
    finishedAt,
    retryCount,
    doneCount,
    exitCode,
    signal,
    error,
    thrown,
    output,
    outputMarks,
    conditions,
    continues: continues || undefined,
    worker,
    givenUp,
    // A wait writes no logs.
    ...(step.wait ? { given } : { stdout, stderr })
  })
}

/** @param record what `nodeRecord` makes of the same snapshot */
export function storedNode(snapshot: NodeSnapshot, record: NodeRecord): StoredNode {
  if (snapshot.status !== 'active') return { record }
  const { step: _step, run: _run, ...context } = snapshot.context
  return { record, open: openState(snapshot, context) }
}

export type RunProgress = Partial<RunRecord> & { status: RunStatus }

/** The members of a run's record that its chart decides. */
export function runProgress(snapshot: RunSnapshot): RunProgress {
  const { error, conditions, at, given, stoppedBy } = snapshot.context
  return present({
    status: runStatusOf(snapshot),
    error,
    stoppedBy,
    superseded: snapshot.value === 'superseded' ? (true as const) : undefined,
    conditions,
    given,
    finishedAt: snapshot.status === 'active' ? undefined : at
  })
}

export function runOpenState(snapshot: RunSnapshot): OpenState | undefined {
  if (snapshot.status !== 'active') return undefined
  // Only a server that shuts down limits handlers: the next one waits for them.
  const { plan: _plan, runState: _runState, handlersLimited: _limited, ...context } = snapshot.context
  return openState(snapshot, context)
}

const runStatusOf = (snapshot: { tags: ReadonlySet<string> }): RunStatus => {
  const [tag = 'running'] = snapshot.tags
  return tag as RunStatus // tags are typed as statuses by `setup`
}

const isNode = (id: string) => id.startsWith('node/') || id.startsWith('handler/')

function openState(snapshot: { value: unknown; children: object }, context: Record<string, unknown>): OpenState {
  const children: OpenState['children'] = {}
  const all = snapshot.children as Record<string, AnyActorRef | undefined> // of a run: thousands of nodes and a few others
  for (const id in all) {
    if (isNode(id) || id === HANDLERS) continue
    const child = all[id]
    if (!child) continue
    if (child.src === 'call' || child.src === 'each') {
      children[id] = { src: child.src, input: undefined } // what it calls, and has called, has its own entries
      continue
    }
    // Every child of the snapshot counts as active, even if a closing engine has stopped it since.
    const { input } = child.getPersistedSnapshot() as { input?: unknown } // XState keeps it there, untyped
    children[id] = { src: String(child.src), input }
  }
  return { value: snapshot.value, context: present(context), children }
}

/**
 * The persisted snapshot, in XState's form, from which a run actor and its nodes are restored.
 * @param before `on`: the worker of the run, which what an earlier release has stored of charts does not name; `died`: the process
 * in which its attempts were at work has ended without closing its home
 * @throws TroupeError for a node that would wait forever
 */
export function persistedRun(
  key: RunKey,
  plan: Plan,
  open: OpenState,
  nodes: Map<NodePlace, StoredNode>,
  { on, died = false }: { on?: PlacedOn | undefined; died?: boolean } = {}
): unknown {
  const placed = placedOn({ placement: on })
  const known = plan.steps.map((_, index) => {
    const node = nodes.get(index)
    return node && { status: node.open ? ('running' as const) : node.record.status, continues: node.record.continues }
  })
  const children: Record<string, unknown> = invokedActors(open)
  for (const [place, { record, open }] of nodes) {
    if (!open && record.status !== 'running') continue
    const step = stepAt(plan, place)
    // The end of such a step would never arrive, or at another step.
    if (!open || open.context.place !== place) throw isDamaged(step.name)
    // A wait without a limit has nothing at work; one whose worker is lost waits for news of another, which its run is told again.
    if (Object.keys(open.children).length === 0 && open.value !== 'awaiting' && open.value !== 'placing')
      throw new TroupeError(
        'internal_error',
        `what step "${step.name}" was doing is not stored, as an earlier release did when it was closed`
      )
    const context = { run: key, step, ...placed, ...open.context } as unknown as NodeContext // as `storedNode` took it apart
    children[nodeId(place, step)] = child('node', active(current(open), context, invokedActors(open, context, died)))
  }
  const saved = { ...placed, ...open.context, key } as unknown as Omit<RunContext, 'plan' | 'runState'> // as `runOpenState` took it apart
  return active(open, reopened(saved, plan, known), children)
}

const active = (open: Pick<OpenState, 'value'>, context: object, children: Record<string, unknown>) => ({
  status: 'active',
  value: open.value,
  context,
  children,
  historyValue: {},
  output: undefined,
  error: undefined
})
const child = (src: string, snapshot: unknown) => ({ src, snapshot, syncSnapshot: false })

/** Callback actors are started again with their input. An attempt may have started before: it looks for it first. */
function invokedActors({ value, children }: OpenState, node?: NodeContext, died = false): Record<string, unknown> {
  const after = { ...askedIn(value), ...(died ? { died: true as const } : {}) }
  return Object.fromEntries(
    Object.entries(children).map(([id, { src, input }]) => [
      id,
      node && src === 'call'
        ? resumedCall(node)
        : node && src === 'each'
          ? resumedEach(node, after)
          : invokedActor(src, node ? resumed(src, input, after, node) : input)
    ])
  )
}

type After = Pick<AttemptInput, 'stopped' | 'died'>

function resumed(src: string, input: unknown, after: After, node: NodeContext): unknown {
  if (src === 'attempt') return resumedAttempt(input, after, node)
  const { functions, repeat } = node.step
  const asks = { preparation: functions, repetition: repeat?.function }[src]
  if (asks === undefined) return input
  const { died: _, ...asked } = Object(input) // at an earlier restart
  return after.died ? { ...asked, died: true } : asked
}

function resumedAttempt(input: unknown, after: After, node: NodeContext): AttemptInput {
  if (!isAttemptOf(node, input)) throw isDamaged(node.step.name)
  const { died: _, ...begun } = input // at an earlier restart
  return { resumed: true, ...begun, ...(mayResume(node) ? { mayResume: true } : {}), ...after }
}

const isDamaged = (step: string) => new TroupeError('internal_error', `what step "${step}" was doing is damaged`)

/** As stored by `openState`. */
function isAttemptOf({ run, place }: NodeContext, input: unknown): input is AttemptInput {
  const { run: of, place: at, attempt }: Partial<AttemptInput> = Object(input)
  return of?.name === run.name && of.dagRunId === run.dagRunId && at === place && Number.isSafeInteger(attempt)
}

/** What only the state says about an attempt. */
const askedIn = (value: OpenState['value']): Pick<AttemptInput, 'stopped'> =>
  /^attempting\.(stopping|expiring)/.test(pathOf(value)) ? { stopped: true } : {}

/** A step that waited for its executor in a release before `missing`: its attempt finds out again. */
const current = ({ value }: OpenState): Pick<OpenState, 'value'> =>
  pathOf(value) === 'attempting.unsupported' ? { value: { attempting: 'executing' } } : { value }

const invokedActor = (src: string, input: unknown) =>
  child(src, { status: 'active', output: undefined, error: undefined, input })

/** A call starts again with what was resolved, and finds its sub DAG runs one by one. */
function resumedCall(node: NodeContext): unknown {
  const input = { ...callOf(node), resumed: true }
  const children = { resolution: invokedActor('resolution', input) }
  return child('call', active({ value: 'resolving' }, openCall(input), children))
}

/** Items that have succeeded are not called again. */
function resumedEach(node: NodeContext, after: After): unknown {
  const input = { ...eachOf(node, after), resumed: true, ...(mayResume(node) ? { mayResume: true } : {}) }
  const children = { itemSource: invokedActor('itemSource', input) }
  return child('each', active({ value: 'resolving' }, openEach(input), children))
}
