/**
 * Which nodes may start: dependencies are counted down as nodes resolve, never scanned. Source: execution-semantics 5.2, 5.3, 7.2.1.
 *
 * A run state belongs to one run actor and is changed in place: a copy for each transition would make a run's cost
 * quadratic. It is never stored; it is built again from the node records.
 */
import type { KeptSignal, NodeStatus, OnlyNodes, Step } from '../vocabulary.ts'
import type { Tally } from './outcome.ts'

/** A node that was resolved without an actor of its own: skipped, canceled or failed by a rule. */
export interface ResolvedNode {
  index: number
  status: NodeStatus
  error: string
  /** Skipped, but its dependents may still run. */
  continues?: boolean
}

export interface RunState {
  /** By index of the step in the plan. */
  readonly status: NodeStatus[]
  /** Number of dependencies that are not resolved yet. */
  readonly pending: number[]
  /** The strongest fate that the dependencies resolved so far impose. */
  readonly fate: Fate[]
  readonly dependents: number[][]
  /** Nodes that let their dependents run when they are skipped (`continueOn.skipped`). */
  readonly passable: boolean[]
  /** Indexes that may start, ascending. */
  readonly ready: number[]
  readonly active: Set<number>
  /** Nodes that wait for a signal or an instant, whatever their status, and how many active ones do: they take no place of `maxActive`. */
  readonly waits: ReadonlySet<number>
  waiting: number
  /** Number of nodes that are neither resolved nor excluded. */
  open: number
  readonly maxActive: number
  readonly tally: Tally
  /** Nodes that rules have resolved and that are not stored yet; storing them empties the list. */
  readonly resolved: ResolvedNode[]
}

/** What happens to a node once its dependencies are resolved. */
type Fate = 'run' | 'skip' | 'cancel' | 'fail'
const strength: Record<Fate, number> = { run: 0, skip: 1, fail: 2, cancel: 3 }
const outcomes: Record<Exclude<Fate, 'run'>, { status: NodeStatus; error: string }> = {
  skip: { status: 'skipped', error: 'upstream skipped' },
  fail: { status: 'canceled', error: 'upstream failed' },
  cancel: { status: 'canceled', error: 'upstream canceled' }
}

/** What is already known of a node when a run continues. */
export interface Known {
  status: NodeStatus
  continues?: boolean | undefined
  /** The signal that it has got. */
  given?: KeptSignal
}

// D1: run state is updated in place
/**
 * @param known states of nodes by index, when the run continues after a restart; a `running` one is active
 * @param stopped the run starts no more nodes: known states do not affect other nodes
 * @param only the only nodes that may run; the others keep their known state
 */
export function openRunState(
  steps: Step[],
  maxActive: number,
  known: (Known | undefined)[] = [],
  { stopped = false, only }: { stopped?: boolean | undefined; only?: OnlyNodes | undefined } = {}
): RunState {
  const indexOf = new Map(steps.map((step, index) => [step.name, index]))
  const runState: RunState = {
    status: steps.map(() => 'not_started'),
    pending: steps.map((step) => step.depends.length),
    fate: steps.map(() => 'run'),
    dependents: steps.map(() => []),
    passable: steps.map((step) => step.continueOn.skipped),
    ready: [],
    active: new Set(),
    waits: new Set(steps.flatMap(({ wait }, index) => (wait ? [index] : []))),
    waiting: 0,
    open: steps.length,
    maxActive,
    tally: { total: steps.length, succeeded: 0, partiallySucceeded: 0, skipped: 0, failed: 0, continued: 0 },
    resolved: []
  }
  steps.forEach((step, index) => {
    for (const name of step.depends) runState.dependents[indexOf.get(name) ?? -1]?.push(index)
    if (step.depends.length === 0) runState.ready.push(index)
  })
  // First apply everything that is known, then what follows from it.
  const ended = known.flatMap((node, index): Ended[] => {
    if (!node || node.status === 'not_started') return []
    const { status } = node
    remove(runState.ready, index)
    if (status === 'running') {
      activate(runState, index)
      return []
    }
    // The status may have been set by hand: `continues` may be left over from the status before.
    const continues = status === 'skipped' ? (runState.passable[index] ?? false) : (node.continues ?? false)
    close(runState, index, status, continues)
    return [{ index, status, continues }]
  })
  if (only !== undefined) leaveOthers(runState, only)
  if (stopped) startNoMore(runState)
  else for (const node of ended) release(runState, node)
  return runState
}

export const isLeftOut = (only: OnlyNodes | undefined, index: number): boolean =>
  only !== undefined && ![only].flat().includes(index)

/**
 * Excludes every node that has not started except these. The first waits for nothing, and one that would wait for an excluded node for
 * ever is excluded, too.
 */
function leaveOthers(runState: RunState, only: OnlyNodes): void {
  const { status, dependents, ready, active } = runState
  const [first = 0] = [only].flat()
  const own = new Set([only].flat())
  const excluded = status.flatMap((one, index) => (one === 'not_started' && !own.has(index) ? [index] : []))
  for (const index of excluded)
    for (const dependent of dependents[index] ?? [])
      if (dependent !== first && own.delete(dependent)) excluded.push(dependent)
  for (const [index, list] of dependents.entries())
    dependents[index] = list.filter((dependent) => dependent !== first && own.has(dependent))
  ready.length = 0
  if (status[first] === 'not_started') ready.push(first)
  runState.open = [...own].filter((index) => status[index] === 'not_started' || active.has(index)).length
}

/** Takes the next node that may start, in definition order; undefined: none, or no slot is free. */
export function takeReady(runState: RunState): number | undefined {
  const { ready, active, waits, waiting, maxActive } = runState
  const isFull = maxActive > 0 && active.size - waiting >= maxActive
  // D1074: a wait takes no place of `maxActiveSteps`
  const place = isFull ? (waits.size === 0 ? -1 : ready.findIndex((index) => waits.has(index))) : 0
  const [index] = place === 0 ? [ready.shift()] : place < 0 ? [] : ready.splice(place, 1)
  if (index !== undefined) activate(runState, index)
  return index
}

function activate(runState: RunState, index: number): void {
  runState.active.add(index)
  runState.status[index] = 'running'
  if (runState.waits.has(index)) runState.waiting++
}

/** Records how a node ended; its dependents, transitively, become ready, skipped or canceled. */
export function resolve(runState: RunState, index: number, status: NodeStatus, continues: boolean): void {
  close(runState, index, status, continues)
  release(runState, { index, status, continues })
}

interface Ended {
  index: number
  status: NodeStatus
  continues: boolean
}

/** Propagates the end of a node to dependents that have not started. */
function release(runState: RunState, ended: Ended): void {
  const queue = [ended]
  for (let node = queue.pop(); node; node = queue.pop()) {
    const asked = fateOfDependents(node.status, node.continues)
    for (const dependent of runState.dependents[node.index] ?? []) {
      if (runState.status[dependent] !== 'not_started') continue
      if (strength[asked] > strength[runState.fate[dependent] ?? 'run']) runState.fate[dependent] = asked
      runState.pending[dependent] = (runState.pending[dependent] ?? 1) - 1
      if (runState.pending[dependent] !== 0) continue
      const fate = runState.fate[dependent] ?? 'run'
      if (fate === 'run') insert(runState.ready, dependent)
      else {
        const { status } = outcomes[fate]
        const continues = status === 'skipped' && (runState.passable[dependent] ?? false)
        close(runState, dependent, status, continues)
        runState.resolved.push({ index: dependent, ...outcomes[fate], ...(continues ? { continues } : {}) })
        queue.push({ index: dependent, status, continues })
      }
    }
  }
}

/** For a run that has been stopped. */
export function startNoMore(runState: RunState): void {
  runState.ready.length = 0
}

/** Cancels every node that has not started: a run that timed out never starts them. */
export function cancelPending(runState: RunState, error: string): void {
  startNoMore(runState)
  runState.status.forEach((status, index) => {
    if (status !== 'not_started') return
    close(runState, index, 'canceled', false)
    runState.resolved.push({ index, status: 'canceled', error })
  })
}

/** Records how a node ended, without any effect on other nodes. */
export function close(runState: RunState, index: number, status: NodeStatus, continues: boolean): void {
  const { tally } = runState
  if (runState.active.delete(index) && runState.waits.has(index)) runState.waiting--
  runState.status[index] = status
  runState.open--
  if (status === 'succeeded') tally.succeeded++
  else if (status === 'partially_succeeded') tally.partiallySucceeded++
  else if (status === 'skipped') tally.skipped++
  else if (status === 'failed') tally[continues ? 'continued' : 'failed']++
}

function fateOfDependents(status: NodeStatus, continues: boolean): Fate {
  if (status === 'failed') return continues ? 'run' : 'fail'
  if (status === 'skipped') return continues ? 'run' : 'skip'
  return status === 'canceled' ? 'cancel' : 'run'
}

/** Keeps `list` ascending; new entries mostly go at the end. */
function insert(list: number[], value: number): void {
  let at = list.length
  while (at > 0 && (list[at - 1] ?? -1) > value) at--
  list.splice(at, 0, value)
}

function remove(list: number[], value: number): void {
  const at = list.indexOf(value)
  if (at >= 0) list.splice(at, 1)
}
