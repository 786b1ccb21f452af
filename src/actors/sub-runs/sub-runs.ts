/** Starts, finds, retries and watches sub DAG runs on behalf of the nodes that call them. Source: execution-semantics 9.2, 9.5. */
import { dirname, join } from 'node:path'
import type { SubRunInput } from '../../../machines/call.ts'
import { type RunEnding, runId } from '../../../machines/engine.ts'
import { isKept } from '../../../machines/policy/retried.ts'
import { workerNeeds } from '../../../machines/policy/worker-needs.ts'
import type { ChurnMap } from '../../../machines/tables/churn-map.ts'
import type {
  Caller,
  NodeStatus,
  RunKey,
  RunParam,
  RunRecord,
  RunStatus,
  SubRunRef,
  WorkerNeeds
} from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import { isActive } from '../../store/commit.ts'
import { isUnreadable } from '../../store/damage/damaged.ts'
import { nodesOf, planOf, runRecord } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import type { StoredPlan } from '../../store/stored.ts'
import { homesAround } from '../recovery/recovery.ts'
import { type Retried, retriedRun, seededRun } from '../recovery/retried-run.ts'
import type { OpenRun } from '../root/open-run.ts'
import { nodeLogFolder, runLogPath } from '../run/log-names.ts'
import type { LoadedEnv } from '../run/run-environment.ts'
import { stepAt } from '../run/run-scope.ts'
import { openSubRunIds, type SubRunIds } from './sub-run-ids.ts'

export interface SubRuns {
  ids: SubRunIds
  /** Caches a plan that readers of the store may not see yet. */
  know(hash: string, workflow: StoredPlan): void
  /**
   * Starts the sub run unless it already exists, and resolves with its status when its end is committed.
   * `not_started`: there is none, and none was to be started.
   * @throws Error why it cannot be started
   */
  follow(input: SubRunInput, stopped: AbortSignal): Promise<RunStatus>
  /** Asks an open sub run to stop; a second call has no effect. */
  stop(key: RunKey): void
  /** @param force without waiting for its handlers */
  kill(key: RunKey, force: boolean): void
}

/** Params of a sub DAG run, and its variables if they had to be evaluated for that. */
export interface SubRunParams {
  params: RunParam[]
  env?: LoadedEnv
}

export interface SubRunParts {
  store: Store
  clock: Clock
  /** Open runs by `runId`. */
  runs: ChurnMap<OpenRun>
  /** Resolves when every run that was open before a restart is open again. */
  recovered: Promise<void>
  /** Opens a run's actor. @param needs of one that is placed by itself: it may have to wait for its worker */
  launch(run: OpenRun, workflow: StoredPlan, retried: Retried | undefined, needs: WorkerNeeds | undefined): void
  /** Resolves with the status of a run that is open or waits when its end is committed. */
  follow(run: Pick<OpenRun, 'record' | 'endedAs'>): Promise<RunStatus>
  send(event: RunEnding): void
  paramsOf(workflow: StoredPlan, item: SubRunRef, caller: Caller): Promise<SubRunParams>
}

/** By then a plan is in the store. */
const KEPT_PLANS = 100

// D18: a sub DAG run is a child of the engine, not of the calling node
export function openSubRuns(parts: SubRunParts): SubRuns {
  const { store, clock, runs } = parts
  const ids = openSubRunIds(store, runs)
  const known = new Map<string, StoredPlan>()

  const callerOf = ({ caller: { run, place, attempt } }: SubRunInput): Caller => {
    const parent = runs.get(runId(run))
    if (!parent) throw new Error(`${runId(run)} is not open`)
    const { record, plan } = parent
    return {
      root: record.caller?.root ?? run,
      parent: run,
      step: stepAt(plan, place).name,
      runAttempt: record.attempt,
      attempt,
      depth: (record.caller?.depth ?? 0) + 1
    }
  }

  const stepsOf = (run: RunRecord): NodeStatus[] =>
    Array.from(nodesOf(store, run)).flatMap(([place, { record }]) =>
      typeof place !== 'number' || isUnreadable(record) ? [] : [record.status]
    )

  /**
   * The sub run with the same parameters of the run that this one retries. Source: 9.5.4.
   * Handlers run again (8.12), and so do later passes.
   */
  function predecessor(
    { caller: { place, pass }, item }: SubRunInput,
    { parent, step }: Caller
  ): RunRecord | undefined {
    const isFirst = typeof place === 'number' && pass === 0
    const old = isFirst ? runs.get(runId(parent))?.record.retryOf : undefined
    const found = old && ids.found(old, step, item.name, item.params)
    return found && !isActive(found) ? found : undefined
  }

  /**
   * A retried sub run uses its earlier text, even if its file was edited since (1.1.9), as its nodes are stored by place. A workflow of
   * the caller's own file comes from the caller's snapshot anyway, with the folder that the caller has now.
   */
  function asItWas(old: RunRecord, hash: string, now: StoredPlan): { plan: string; workflow: StoredPlan } {
    if (now.plan.home !== undefined) return { plan: hash, workflow: now }
    const workflow = planOf(store, old.plan)
    if (!workflow) throw new Error(`the plan of ${old.name} is not stored`)
    return { plan: old.plan, workflow }
  }

  const recordOf = (key: RunKey): RunRecord | undefined => runs.get(runId(key))?.record ?? runRecord(store, key)

  // D991: a sub run with a selector waits in a queue of its own
  /** A workflow with a selector of its own is placed by itself; any other one is where its caller is. */
  function launch(run: OpenRun, workflow: StoredPlan, caller: Caller, retried?: Retried): void {
    const needs = workerNeeds(workflow.plan)
    const placement = needs ? undefined : recordOf(caller.parent)?.placement
    if (placement) run.record = { ...run.record, placement }
    const placed = needs && { ...needs, around: homesAround(run.record, recordOf) }
    parts.launch(run, workflow, retried, placed)
    ids.begun(run.record)
  }

  async function begin(input: SubRunInput, caller: Caller, stopped: AbortSignal): Promise<RunStatus | undefined> {
    const { item, plan: hash, findOnly } = input
    const record = runRecord(store, item)
    // D1791: an attempt from a step on has nothing of the sub runs before it
    const isFresh = recordOf(caller.parent)?.fresh === true
    const alike: Pick<RunRecord, 'fresh'> = isFresh ? { fresh: true } : {}
    const beginsAgain = isFresh && record?.caller?.runAttempt !== caller.runAttempt
    const isOurs = record?.caller?.runAttempt === caller.runAttempt && record.caller.attempt === caller.attempt
    if (isWaiting(record)) return undefined
    if (record && (findOnly || isOurs || (!beginsAgain && isKept(record.status, stepsOf(record))))) return record.status
    if (findOnly || stopped.aborted) return 'not_started'
    const now = known.get(hash) ?? planOf(store, hash)
    if (!now) throw new Error(`the plan of ${item.name} is not stored`)
    const at = clock.now()
    if (record) {
      const { plan, workflow } = asItWas(record, hash, now)
      const again = retriedRun(store, record, workflow, at, beginsAgain ? 'all' : undefined)
      launch({ ...again.run, record: { ...again.run.record, caller, plan, ...alike } }, workflow, caller, again)
      return undefined
    }
    const old = isFresh ? undefined : predecessor(input, caller)
    const { plan, workflow } = old ? asItWas(old, hash, now) : { plan: hash, workflow: now }
    const { params, env }: SubRunParams = old ?? (await parts.paramsOf(workflow, item, caller))
    if (stopped.aborted) return 'not_started'
    const root = recordOf(caller.root)
    const folder = join(dirname(root?.log ?? ''), 'sub', item.dagRunId)
    const fresh: RunRecord = {
      name: item.name,
      dagRunId: item.dagRunId,
      status: 'running',
      attempt: 1,
      caller,
      createdAt: at,
      startedAt: at,
      params,
      log: runLogPath(folder),
      nodeLogs: nodeLogFolder(folder, 1, true),
      plan,
      ...alike
    }
    const seeded = old && seededRun(store, old, workflow, fresh)
    const run = seeded?.run ?? { record: fresh, ...workflow, seq: 0, ended: new Map(), seed: new Map() }
    launch({ ...run, ...(env ? { env } : {}) }, workflow, caller, seeded)
    return undefined
  }

  const isWaiting = (record: RunRecord | undefined) => record?.status === 'queued'

  /** A sub run that is not open yet may be after the recovery. */
  function ask(type: RunEnding['type'], key: RunKey): void {
    const isOpen = () => runs.has(runId(key))
    const say = () => {
      const run = runs.get(runId(key))
      if (run && isWaiting(run.record)) run.stopAsked = true // it may have got its worker, and be loaded at this moment
      parts.send({ type, key, at: clock.now() })
    }
    if (isOpen()) say()
    else void parts.recovered.then(() => isOpen() && say())
  }

  return {
    ids,
    know(hash, workflow) {
      known.delete(hash)
      known.set(hash, workflow)
      const [oldest] = known.keys()
      if (known.size > KEPT_PLANS && oldest !== undefined) known.delete(oldest)
    },
    async follow(input, stopped) {
      await parts.recovered
      ids.checkOwn(input.caller.run, input.item)
      if (!runs.has(runId(input.item))) {
        const status = await begin(input, callerOf(input), stopped)
        if (status) return status
      }
      const run = runs.get(runId(input.item))
      if (run) return parts.follow(run)
      const record = runRecord(store, input.item)
      if (!record) return 'failed'
      return isWaiting(record) ? parts.follow({ record }) : record.status
    },
    stop: (key) => ask('run.stop', key),
    kill: (key, force) => ask(force ? 'run.force' : 'run.kill', key)
  }
}
