/** Why a run is waiting, or ended as it did: from its chart and its record. Source: machines/run.ts, docs/inspect.md. */
import { UNREADABLE } from '../../store/damage/damaged.ts'
import type { Cause } from './causes.ts'
import { unmet } from './conditions.ts'
import { engineAbsent } from './engine-absent.ts'
import { heldBackReason } from './held-back.ts'
import { replacing } from './lost-worker.ts'
import { queueReasons } from './queue.ts'
import { silentWorker } from './silent-worker.ts'
import { blockers, count, firstLine, lasting, listed, type Said, type Situation } from './situation.ts'
import { stopperText } from './stopped.ts'
import { supersededRun } from './superseded.ts'

/** Nearest first; none: it succeeded. */
export function runReasons(situation: Situation): Said[] {
  const { record, state, address, isOwned } = situation
  if (record.status === 'queued') return queueReasons(situation)
  if (record.status === 'running' || record.status === 'not_started') {
    const path = state.actors.get(address)?.path ?? ''
    const reason =
      supersededRun(situation) ?? (AWAY.has(path) ? silentWorker(situation) : undefined) ?? AT_WORK[path]?.(situation)
    const held = heldBackReason(situation)
    return [...(isOwned ? [] : [engineAbsent(situation)]), ...(held ? [held] : []), ...(reason ? [reason] : [])]
  }
  const reason = ended(situation)
  return reason ? [reason] : []
}

/** States in which the worker of a run has to do something. */
const AWAY: ReadonlySet<string> = new Set(['preparing', 'checking', 'releasing'])

/** Prefix of the error of a run that could not continue after a restart; the reason follows. */
const GIVEN_UP = `${UNREADABLE}: `

const runActor = ({ state, address }: Situation) => state.actors.get(address)
const sinceOf = (situation: Situation) => runActor(situation)?.since
const activeNames = ({ places, state, node }: Situation) =>
  places.filter((placed) => {
    const { status } = node(placed)
    const path = state.actors.get(placed.address)?.path ?? ''
    return status === 'running' || (status === 'canceled' && path.startsWith('attempting'))
  })

const AT_WORK: Partial<Record<string, (situation: Situation) => Said | undefined>> = {
  preparing: (situation) =>
    situation.plan.container
      ? {
          cause: 'container_start',
          text: 'the variables of the run are being evaluated and its container is being started',
          since: sinceOf(situation),
          blockedBy: [{ kind: 'container', name: situation.plan.container.image }],
          unblock: 'Its first steps start when the container is ready (pull, start, waitFor, logPattern).'
        }
      : {
          cause: 'run_preparing',
          text: 'the variables of the run are being evaluated: dotenv files, env, commands in backticks',
          since: sinceOf(situation),
          blockedBy: [{ kind: 'process', name: 'env' }],
          unblock: 'Its first steps start when that is done.'
        },
  moving: (situation) => {
    const actor = runActor(situation)
    return actor && { ...replacing({ now: situation.now, actor, name: 'the run' }), cause: 'run_moving' as const }
  },
  checking: (situation) => ({
    cause: 'run_conditions_checked',
    text: 'the preconditions of the DAG are being checked',
    since: sinceOf(situation),
    blockedBy: blockers(
      'condition',
      situation.plan.preconditions.map(({ condition }) => condition)
    ),
    unblock: 'One that does not hold cancels the run.'
  }),
  delaying: (situation) => {
    const until = Number(runActor(situation)?.memory.at) + situation.plan.delayMs
    return {
      cause: 'run_delay',
      text: `the run waits ${lasting(until - situation.now)} before its first step (delaySec)`,
      since: sinceOf(situation),
      until,
      blockedBy: [{ kind: 'clock', name: 'delaySec' }],
      unblock: 'Its first steps start when the delay is over.'
    }
  },
  working: (situation) => {
    const names = activeNames(situation).map(({ step }) => step.name)
    return {
      cause: 'steps_at_work',
      text: `the run waits for ${count(names.length, 'step')}: ${listed(names)}`,
      since: sinceOf(situation),
      blockedBy: blockers('step', names),
      unblock: 'It continues as its steps end: see the reasons of those steps.'
    }
  },
  stopping: (situation) => {
    const names = activeNames(situation).map(({ step }) => step.name)
    const isTimeout = runActor(situation)?.memory.stop === 'timeout'
    const asked = `was asked to stop${stopperText(situation.record)}`
    return {
      cause: isTimeout ? 'run_timeout_stopping' : 'run_stopping',
      text: `the run ${isTimeout ? 'is out of time' : asked} and waits for ${count(names.length, 'step')} to end: ${listed(names)}`,
      since: sinceOf(situation),
      blockedBy: blockers('step', names),
      unblock: 'Each is killed when its clean-up time (maxCleanUpTimeSec) is over.'
    }
  },
  'concluding.answering': (situation) => handlerAtWork(situation, 'handler_at_work'),
  'concluding.exiting': (situation) => handlerAtWork(situation, 'exit_handler_at_work'),
  releasing: (situation) => ({
    cause: 'container_release',
    text: 'the container of the run is being stopped and removed',
    since: sinceOf(situation),
    blockedBy: [{ kind: 'container', name: situation.plan.container?.image ?? '' }],
    unblock: 'The run ends when the container is gone.'
  }),
  notifying: (situation) => ({
    cause: 'mail_on_its_way',
    text: 'the run is done and waits until its mail is out',
    since: sinceOf(situation),
    blockedBy: [{ kind: 'mail', name: situation.plan.smtp?.host ?? 'smtp' }],
    unblock:
      'It ends when the mail server has taken the mail, or has not within the time that mail is given; troupe stop --force gives it up.'
  })
}

function handlerAtWork(situation: Situation, cause: Cause): Said {
  const handler = String(runActor(situation)?.memory.handler ?? '')
  return {
    cause,
    text: `every step is resolved, and ${handler} is running`,
    since: sinceOf(situation),
    blockedBy: blockers('handler', [handler]),
    unblock:
      'The run ends when its handlers have: see the reason of the handler. A stop does not cut it short; troupe stop --force does.'
  }
}

function ended(situation: Situation): Said | undefined {
  const { record, state, places, node } = situation
  const { status, finishedAt } = record
  const error = firstLine(record.error ?? '')
  const memory = runActor(situation)?.memory ?? {}
  const over = (cause: Cause, text: string, also: Partial<Said> = {}): Said => ({
    cause,
    waiting: false,
    text,
    since: finishedAt,
    unblock: 'Fix the cause and retry the run.',
    ...also
  })
  const failed = places.filter((placed) => node(placed).status === 'failed')
  const names = failed.map(({ step }) => step.name)
  if (status === 'partially_succeeded')
    return over('some_steps_failed', `${listed(names)} failed, and the run continued`, {
      blockedBy: blockers('step', names)
    })
  if (status === 'canceled') {
    const { found, blockedBy } = unmet(situation.plan.preconditions, record.conditions)
    return memory.stop === 'conditions'
      ? over('run_conditions_not_met', `preconditions of the DAG did not hold: ${found}`, {
          blockedBy,
          unblock: 'A start at a time when they hold.'
        })
      : over('stopped_by_request', `the run was stopped${stopperText(record)}`, {
          blockedBy: [{ kind: 'person', name: record.stoppedBy?.by ?? 'stop' }],
          unblock: 'Retry the run.'
        })
  }
  if (status !== 'failed') return undefined
  if (error.startsWith('queued run did not start'))
    return over('queue_expired', `the run had its turn in the queue and was discarded: ${error}`, {
      unblock: 'Start it again.'
    })
  if (error.startsWith(GIVEN_UP))
    return over('state_unreadable', `the run could not continue after a restart: ${error.slice(GIVEN_UP.length)}`, {
      unblock: 'Fix that and retry the run, or start a new one.'
    })
  if (error.startsWith(UNREADABLE))
    return over('state_unreadable', `what is stored of the run cannot be read: ${error}`, {
      unblock: 'Start a new run.'
    })
  if (state.parked)
    return over('run_parked', `the engine failed the run: ${error}`, {
      blockedBy: [{ kind: 'engine', name: 'defect' }]
    })
  if (memory.stop === 'timeout')
    return over('run_timed_out', error, {
      blockedBy: [{ kind: 'limit', name: 'timeoutSec of the DAG' }],
      unblock: 'Give the DAG more time (timeoutSec).'
    })
  if (names.length === 0)
    return over('run_unprepared', `the run could not be set up: ${error}`, {
      unblock: 'Fix its definition or environment, then retry.'
    })
  const steps = failed.filter(({ place }) => typeof place === 'number')
  if (steps.length === 0)
    return over('handler_failed', `its steps ended well, but ${listed(names)} failed`, {
      blockedBy: blockers('handler', names)
    })
  return over('steps_failed', `${count(steps.length, 'step')} failed: ${listed(names)}`, {
    blockedBy: blockers('step', names)
  })
}
