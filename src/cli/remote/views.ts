/** Runs as the API shows them, as the views of the command line: what it does not show stays empty. */
import { RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type {
  JournalRecord,
  NodeRecord,
  Plan,
  RunKey,
  RunRecord,
  RunStatus,
  Step,
  Trigger
} from '../../../machines/vocabulary.ts'
import type { JournalEvent, Node, RunDetails, RunSummary } from '../../client/index.ts'
import type { HandlerView, RunView, SubRunView } from '../../engine/engine.ts'
import { present } from '../../platform/present.ts'
import { instant } from '../view/text.ts'

/** A view with the answer that it was made of, which `--json` prints. */
export interface Answered {
  answer?: object
}

export function recordOf(run: RunSummary & { error?: string; warnings?: string[] }): RunRecord & Answered {
  const at = { queuedAt: instant(run.queuedAt), startedAt: instant(run.startedAt), finishedAt: instant(run.finishedAt) }
  const { trigger } = run
  return {
    name: run.name,
    dagRunId: run.dagRunId,
    status: run.statusLabel as RunRecord['status'], // an unknown one is shown as it is
    attempt: run.attempt,
    createdAt: at.queuedAt ?? at.startedAt ?? 0,
    ...present(at),
    params: run.params === '' ? [] : [{ name: '', value: run.params }],
    log: '',
    nodeLogs: '',
    plan: '',
    ...(run.error ? { error: run.error } : {}),
    ...(run.warnings ? { warnings: run.warnings } : {}),
    ...(trigger && trigger.type !== 'parent' ? { trigger: triggerOf(trigger) } : {}),
    answer: run
  }
}

function triggerOf({ slot, ...rest }: NonNullable<RunSummary['trigger']>): Trigger {
  const at = slot === undefined ? undefined : instant(slot)
  return { ...rest, ...(at === undefined ? {} : { slot: at }) } as Trigger // `parent` was sorted out
}

export function viewOf(run: RunDetails): RunView & Answered {
  const nodes = run.nodes.map(nodeViewOf)
  const handlers: RunView['handlers'] = {}
  for (const kind of ['onSuccess', 'onFailure', 'onCancel', 'onExit'] as const) {
    const handler = run[kind]
    if (handler) handlers[kind] = nodeViewOf(handler)
  }
  return {
    run: recordOf(run),
    plan: { maxActiveSteps: 0, env: [], steps: nodes.map(({ step }) => step) } as unknown as Plan, // as far as views read it
    ...(run.errors ? { errors: run.errors } : {}),
    nodes,
    handlers,
    preconditions: [],
    answer: run
  }
}

function nodeViewOf(shown: Node): HandlerView {
  const { step, statusLabel, retryCount, doneCount, error, waitingFor, subRuns, subRunsRepeated } = shown
  const at = { startedAt: instant(shown.startedAt), finishedAt: instant(shown.finishedAt) }
  const node: NodeRecord = {
    step: step.name,
    status: statusLabel as NodeRecord['status'],
    retryCount,
    doneCount,
    ...present(at),
    ...(error ? { error } : {})
  }
  const known = { name: step.name, depends: step.depends ?? [], retry: { limit: step.retryPolicy?.limit ?? 0 } }
  const call = step.call ?? step.run
  const until = waitingFor && instant(waitingFor.until)
  return {
    step: {
      ...known,
      ...(call === undefined ? {} : { call }),
      ...(step.parallel ? { parallel: step.parallel } : {})
    } as unknown as Step, // as far as views read it
    node,
    ...(subRuns.length + subRunsRepeated.length > 0
      ? { calls: { subRuns: subRuns.map(subRunOf), subRunsRepeated: subRunsRepeated.map(subRunOf) } }
      : {}),
    ...(waitingFor
      ? {
          wait: { ...waitOf(waitingFor), ...(until === undefined ? {} : { until }) } as NonNullable<HandlerView['wait']>
        }
      : {})
  }
}

const waitOf = ({ for: what, ask, since }: NonNullable<Node['waitingFor']>) => ({
  for: what,
  ask,
  since: instant(since) ?? 0
})

function subRunOf({ name, dagRunId, params, statusLabel }: Node['subRuns'][number]): SubRunView {
  const record = { name, dagRunId, status: statusLabel, attempt: 1, createdAt: 0, params: [] }
  return { name, dagRunId, params, record: { ...record, log: '', nodeLogs: '', plan: '' } } as unknown as SubRunView
}

/** A status as the API filters by it. */
export const numberOf = (status: RunStatus) => RUN_STATUSES.indexOf(status) as 0 | 1 | 2 | 3 | 4 | 5 | 6

/** A transition as the engine has it. */
export function eventOf(event: JournalEvent): JournalRecord & { run: RunKey } {
  const { name, dagRunId, at: _at, atMs, status: _status, statusLabel, trigger, ...rest } = event
  return {
    ...rest,
    run: { name, dagRunId },
    at: atMs,
    ...(trigger ? { trigger: slotted(trigger) } : {}),
    ...(statusLabel === undefined ? {} : { status: statusLabel })
  } as JournalRecord & { run: RunKey } // its statuses have the same names
}

const slotted = ({ slot, ...trigger }: { slot?: string }) =>
  slot === undefined ? trigger : { ...trigger, slot: Date.parse(slot) }
