/** Why a running node is waiting: from the state of its chart. Source: machines/node.ts, docs/inspect.md. */
import type { MissingCode, NodeRecord } from '../../../machines/vocabulary.ts'
import type { PlacedStep } from '../contexts.ts'
import type { ActorState } from '../replay.ts'
import type { Cause } from './causes.ts'
import { awaited, fencing, replacing } from './lost-worker.ts'
import { silentWorker } from './silent-worker.ts'
import { count, instant, lasting, listed, runsAsBlockers, type Said, type Situation } from './situation.ts'
import { awaitingReason, sleepingReason } from './waits.ts'

interface At {
  situation: Situation
  placed: PlacedStep
  node: NodeRecord
  actor: ActorState
}

// D906: explanations read the file in which a step's start is recorded
/** Undefined: a transient state. */
export const reasonAtWork = (at: At): Said | undefined =>
  (at.placed.step.call === undefined ? undefined : STOPPING_CALL[at.actor.path]?.(at)) ?? AT_WORK[at.actor.path]?.(at)

/** A call that is stopped waits for its sub DAG runs. */
const STOPPING_CALL: Partial<Record<string, (at: At) => Said>> = {
  'attempting.stopping.asked': (at) => calling(at),
  'attempting.expiring.asked': (at) => calling(at),
  'attempting.finishing': (at) => calling(at)
}

const untilKilled = ({ actor: { memory } }: At) => instant(memory.killAt)

/** A stop in progress: asked, or killed. */
const ending = (cause: Cause, text: (name: string) => string, isKilled: boolean): ((at: At) => Said) => {
  return (at) => ({
    cause,
    text: text(at.placed.step.name),
    since: at.actor.since,
    until: isKilled ? undefined : untilKilled(at),
    blockedBy: [{ kind: 'process', name: at.placed.step.name }],
    unblock: isKilled
      ? 'Its whole process group has been sent SIGKILL; it ends when the system has taken the processes away.'
      : 'It continues when its process ends; when the clean-up time (maxCleanUpTimeSec) is over, the process group is killed.'
  })
}
function lacking({ placed: { step }, actor: { since, memory } }: At): Said {
  const {
    kind,
    name,
    step: whose
  } = (memory.missing ?? {
    kind: 'executor',
    name: step.executor.type,
    step: step.name
  }) as MissingCode // as the chart noted it
  const needed = `the ${kind} "${name}", which the engine on this home does not have`
  return {
    cause: 'executor_missing',
    text:
      whose === step.name
        ? `${step.name} needs ${needed}`
        : `${step.name} waits with its run: ${whose} needs ${needed}`,
    since,
    blockedBy: [{ kind: 'engine', name: `${kind} ${name}` }],
    unblock: `It continues, without counting a retry, when the application that registers "${name}" opens the home.`
  }
}

const AT_WORK: Partial<Record<string, (at: At) => Said>> = {
  awaiting: ({ situation, placed: { step }, actor }) => awaitingReason(situation, step, actor),
  sleeping: ({ situation, placed: { step }, actor }) => sleepingReason(situation, step, actor),
  preparing: ({ placed: { step }, actor: { since } }) =>
    step.preconditions.length > 0
      ? {
          cause: 'step_conditions',
          text: `the ${count(step.preconditions.length, 'precondition')} of ${step.name} are being checked`,
          since,
          blockedBy: [{ kind: 'condition', name: step.preconditions[0]?.condition ?? '' }],
          unblock: 'It continues when its preconditions have been evaluated; one that is not met skips the step.'
        }
      : {
          cause: 'step_preparing',
          text: step.functions
            ? `functions are asked for what ${step.name} needs`
            : `the retry policy of ${step.name} is being evaluated`,
          since,
          unblock: step.functions
            ? 'It continues when the functions of the application have answered.'
            : 'It continues when the texts of its retryPolicy have been evaluated.'
        },
  missing: (at) => lacking(at),
  'attempting.unsupported': (at) => lacking(at), // of an earlier release
  'attempting.lost': (at) => awaited(ofNode(at)),
  'attempting.fencing': (at) => fencing(ofNode(at)),
  placing: (at) => replacing(ofNode(at)),
  'attempting.offering': (at) => silent(at) ?? asked(at),
  'attempting.executing': (at) =>
    at.placed.step.call === undefined ? (silent(at) ?? (placementOf(at) ? away(at) : executing(at))) : calling(at),
  'attempting.stopping.asked': ending(
    'stop_asked',
    (name) => `${name} was asked to stop, and its process has not ended yet`,
    false
  ),
  'attempting.stopping.killed': ending(
    'stop_killed',
    (name) => `${name} was asked to stop, did not in time, and was killed`,
    true
  ),
  'attempting.expiring.asked': ending(
    'timeout_asked',
    (name) => `the time limit of ${name} (timeoutSec) is over: its process was asked to end`,
    false
  ),
  'attempting.expiring.killed': ending(
    'timeout_killed',
    (name) => `the time limit of ${name} (timeoutSec) is over, and its process was killed`,
    true
  ),
  'attempting.finishing': (at) => ({
    cause: 'last_pass',
    text: `${at.placed.step.name} was asked to stop: its current pass is the last`,
    since: at.actor.since,
    until: untilKilled(at),
    blockedBy: [{ kind: 'process', name: at.placed.step.name }],
    unblock: 'It ends with this pass; the pass is stopped when the clean-up time (maxCleanUpTimeSec) is over.'
  }),
  'attempting.interrupting': ({ placed: { step }, actor }) => ({
    cause: 'interrupting',
    text: `a restart of the engine has interrupted ${step.name}, and its processes are being killed`,
    since: actor.since,
    blockedBy: [{ kind: 'process', name: step.name }],
    unblock: 'onInterrupt decides what follows: fail ends the step, rerun executes it once more.'
  }),
  waiting: ({ situation: { now }, placed: { step }, node, actor: { memory, since } }) => {
    const until = instant(memory.dueAt)
    const { limit = step.retry.limit }: { limit?: number | string } = Object(memory.retry)
    return {
      cause: 'retry_wait',
      text: `${step.name} has failed and waits ${lasting((until ?? now) - now)} for retry ${node.retryCount} of ${limit}`,
      since,
      until,
      blockedBy: [{ kind: 'clock', name: 'retryPolicy.intervalSec' }],
      unblock: 'It is executed again when the interval of its retryPolicy is over.'
    }
  },
  testing: ({ placed: { step }, actor: { since } }) => ({
    cause: 'repeat_condition',
    text:
      step.repeat?.function === undefined
        ? `the condition of the repeatPolicy of ${step.name} is being checked`
        : `the function "${step.repeat.function}" is asked whether another pass of ${step.name} follows`,
    since,
    blockedBy: [{ kind: 'condition', name: step.repeat?.condition?.condition ?? step.repeat?.function ?? '' }],
    unblock: 'Its result decides whether another pass follows.'
  }),
  repeating: ({ situation: { now }, placed: { step }, node, actor: { memory, since } }) => {
    const until = instant(memory.dueAt)
    return {
      cause: 'repeat_wait',
      text: `${step.name} has had ${count(node.doneCount, 'pass', 'passes')} and waits ${lasting((until ?? now) - now)} for the next`,
      since,
      until,
      blockedBy: [{ kind: 'clock', name: 'repeatPolicy.intervalSec' }],
      unblock: 'The next pass starts when the interval of its repeatPolicy is over.'
    }
  }
}

const ofNode = ({ situation: { now }, placed: { step }, actor }: At) => ({ now, actor, name: step.name })
const placementOf = ({ situation: { record } }: At) => record.placement

/** Offered to a worker that is heard. */
const asked = ({ situation: { now, record }, placed: { step }, actor: { since } }: At): Said => ({
  cause: 'worker_asked',
  text: `${step.name} was offered to ${record.placement?.id} ${lasting(now - since)} ago, and there is no answer yet`,
  since,
  blockedBy: [{ kind: 'worker', name: record.placement?.id ?? '' }],
  unblock: 'It is offered again every few seconds, and begins once.'
})

/** At work on a worker that is heard. */
const away = ({ situation: { now, record }, placed: { step }, actor: { memory, since } }: At): Said => ({
  cause: 'executing',
  text: `attempt ${Number(memory.attempt)} of ${step.name} has been running on ${record.placement?.id} for ${lasting(now - since)}`,
  since,
  until: instant(memory.timeoutAt),
  blockedBy: [{ kind: 'worker', name: record.placement?.id ?? '' }],
  unblock: 'It continues when the execution ends, and its logs are here.'
})

const silent = ({ situation, placed: { step } }: At): Said | undefined => silentWorker(situation, step.name)

function executing({ situation, placed: { step }, actor: { begunAt: recorded, memory, since } }: At): Said {
  const { name, executor } = step
  const begunAt = recorded ?? situation.begunAt(name, Number(memory.attempt)) // recorded only with a time limit
  if (begunAt === undefined)
    return {
      cause: 'starting',
      text: `attempt ${Number(memory.attempt)} of ${name} is being started`,
      since,
      blockedBy:
        executor.type === 'shell'
          ? [{ kind: 'limit', name: `maxProcesses (${situation.maxProcesses} may be starting at a time)` }]
          : [{ kind: executor.type === 'docker' ? 'container' : 'process', name: executor.type }],
      unblock: 'It starts when its turn has come and its process, connection or image is ready.'
    }
  const until = instant(memory.timeoutAt)
  return {
    cause: 'executing',
    text: `attempt ${Number(memory.attempt)} of ${name} has been running for ${lasting(situation.now - begunAt)}`,
    since: begunAt,
    until,
    blockedBy: [{ kind: 'process', name: executor.type }],
    unblock: until
      ? 'It continues when the execution ends; at the time limit (timeoutSec) it is ended.'
      : 'It continues when the execution ends; the step has no time limit.'
  }
}

/** A step that calls a sub workflow has a chart in place of an executor. */
function calling({ situation, placed: { step, place, address }, actor }: At): Said {
  const { name } = step
  const call = situation.state.actors.get(`${address}/attempt`)
  const { since } = call ?? actor
  if (call?.path === 'reporting')
    return {
      cause: 'call_reporting',
      text: `the sub DAG runs of ${name} have ended, and their result is being written`,
      since,
      unblock: 'It continues when the result is in its log.'
    }
  if (call?.path !== 'working' && call?.path !== 'stopping')
    return {
      cause: 'call_resolving',
      text: `what ${name} calls is being evaluated: the workflow, its items and parameters`,
      since,
      unblock: 'It continues when names, items and params are known.'
    }
  const { begun, total, maxConcurrent } = situation.subRuns(place)
  const active = begun.filter(({ status }) => status === 'running' || status === 'queued' || status === 'not_started')
  const names = active.map(({ run }) => run.dagRunId)
  const left = total - begun.length
  const blockedBy = runsAsBlockers(active.map(({ run }) => run))
  if (call.path === 'stopping')
    return {
      cause: 'sub_runs_stopping',
      text: `${name} was asked to stop and waits for ${count(active.length, 'sub DAG run')} to end`,
      since,
      blockedBy,
      unblock: 'Each of them ends by its own rules.'
    }
  if (left > 0)
    return {
      cause: 'sub_run_limit',
      text: `${count(left, 'sub DAG run')} of ${name} wait: ${active.length} are running (maxConcurrent ${maxConcurrent})`,
      since,
      blockedBy: [{ kind: 'limit', name: `parallel.maxConcurrent (${maxConcurrent})` }, ...blockedBy],
      unblock: 'The next item starts when one of these ends.'
    }
  return {
    cause: 'sub_runs',
    text: `${name} waits for ${count(active.length, 'sub DAG run')}: ${listed(names)}`,
    since,
    blockedBy,
    unblock: 'It continues when they have ended.'
  }
}
