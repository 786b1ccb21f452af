/** Why a node ended as it did, when it did not just succeed. Source: machines/policy, execution-semantics 5, 6; docs/inspect.md. */
import { DIED_TWICE } from '../../../machines/policy/deaths.ts'
import type { NodeRecord, RunKey } from '../../../machines/vocabulary.ts'
import { isUnreadable } from '../../store/damage/damaged.ts'
import type { PlacedStep } from '../contexts.ts'
import type { Cause } from './causes.ts'
import { unmet } from './conditions.ts'
import { blockers, count, firstLine, listed, runsAsBlockers, type Said, type Situation } from './situation.ts'
import { endedWait } from './waits.ts'

interface Ended {
  situation: Situation
  placed: PlacedStep
  node: NodeRecord
}

/** Undefined: there is nothing to explain. */
export function reasonOfEnd(ended: Ended): Said | undefined {
  const { situation, placed, node } = ended
  if (isUnreadable(node))
    return over(ended, 'state_unreadable', `what became of ${node.step} cannot be read: its record is damaged`, {
      unblock: 'Restore a backup; troupe doctor says more.'
    })
  if (situation.state.setByHand.has(placed.address))
    return over(ended, 'set_by_hand', `the status of ${node.step} was set to ${node.status} by hand`, {
      blockedBy: [{ kind: 'person', name: 'status set by hand' }],
      unblock: 'Set it again, or retry the run.'
    })
  const waited = endedWait(placed.step, node)
  if (waited) return waited
  if (node.status === 'failed') return failed(ended)
  if (node.status === 'skipped') return skipped(ended)
  if (node.status === 'canceled') return canceled(ended)
  if (node.status === 'partially_succeeded')
    return over(ended, 'sub_run_partial', `a sub DAG run of ${node.step} succeeded only partially`, {
      blockedBy: subRunsThat(ended, ['partially_succeeded']),
      unblock: 'See the reasons of the sub DAG run.'
    })
  if (node.status === 'succeeded' && (node.exitCode ?? 0) !== 0)
    return over(
      ended,
      'marked_success',
      `${node.step} ended with code ${node.exitCode}, which continueOn.markSuccess counts as success`
    )
  return undefined
}

const over = ({ node }: Ended, cause: Cause, text: string, also: Partial<Said> = {}): Said => ({
  cause,
  waiting: false,
  text,
  since: node.finishedAt,
  ...also
})

const subRunsThat = ({ situation, placed }: Ended, statuses: string[]) =>
  runsAsBlockers(
    situation.subRuns(placed.place).begun.flatMap(({ run, status }) => (statuses.includes(status) ? [run] : []))
  )

/** The error comes also after the step's name, where it failed before it was known to run. */
const CUT_OFF = /^(?:failed to execute step "[^"]*": )?interrupted: (.*)$/
/** The error of an import. */
const IMPORTED = /^it was running in \w+ when it was imported/
/** The error of the chart. */
const LOST = /^worker lost: (.*)$/
const INTERRUPTED =
  'See whether its work was done, and retry it if not. For the next time: onInterrupt: rerun, at the step or at the top of the ' +
  'definition for all of them, executes it again by itself; onInterrupt: fail fails it without retries.'
const RETRY = 'Fix what failed and retry the run, or this step.'

function failed(ended: Ended): Said {
  const { situation, placed, node } = ended
  const { step, exitCode, signal, retryCount } = node
  const error = firstLine(node.error ?? '')
  const say = (cause: Cause, text: string, also: Partial<Said> = {}) =>
    over(ended, cause, text, { unblock: RETRY, ...also })
  const cut = CUT_OFF.exec(error)?.[1]
  if (cut !== undefined)
    return say('interrupted', `a restart of the engine has interrupted ${step}: ${cut}`, {
      blockedBy: [{ kind: 'engine', name: 'restart' }],
      unblock: INTERRUPTED
    })
  if (error === DIED_TWICE)
    return say('interrupted', `${step} is not begun again: ${error}`, {
      blockedBy: [{ kind: 'engine', name: 'restart' }],
      unblock:
        'See what it does to the process, and retry it. onInterrupt: rerun, at the step or at the top of the definition, begins it again however often.'
    })
  if (IMPORTED.test(error))
    return say('interrupted', `${step} did not end before it came into this home: ${error}`, {
      unblock: 'See how it ended where it ran, and retry it here if its work was not done.'
    })
  const lost = LOST.exec(error)?.[1]
  if (lost !== undefined)
    return say('worker_lost', `${step} failed because its worker was lost: ${lost}`, {
      blockedBy: [{ kind: 'worker', name: /^(.*) silent for /.exec(lost)?.[1] ?? lost }],
      unblock:
        'See whether its work was done, and retry it if not. For the next time: retryPolicy or onWorkerLost (requeue, wait) says what follows.'
    })
  if (error.startsWith('defect: '))
    return say('defect', `${step} met a defect of the engine: ${error.slice('defect: '.length)}`)
  if (exitCode === 124 && error.startsWith('step timed out'))
    return say('step_timed_out', `${step} ran out of time: ${error}`, {
      blockedBy: [{ kind: 'limit', name: 'timeoutSec' }],
      unblock: 'Give it more time (timeoutSec), or make it faster.'
    })
  const actor = situation.state.actors.get(placed.address)
  // What ended elsewhere may have left no code.
  if (exitCode === undefined && situation.record.trigger?.type === 'import' && node.startedAt !== undefined)
    return say('exit_code', `${step} failed: ${error}`)
  if (exitCode === undefined || actor?.memory.attempt === 0)
    return say('step_unprepared', `${step} could not be set up: ${error}`, {
      unblock: 'Fix its definition, then start or retry.'
    })
  if (placed.step.call !== undefined) {
    const { begun } = situation.subRuns(placed.place)
    const unsuccessful = begun.flatMap(({ run, status }) => (status === 'failed' || status === 'canceled' ? [run] : []))
    const [first] = unsuccessful
    return first
      ? say('sub_run_failed', `${step}: ${subRunText(first, unsuccessful.length, situation) ?? error}`, {
          blockedBy: runsAsBlockers(unsuccessful)
        })
      : say('call_failed', `${step} could not call its sub workflow: ${error}`)
  }
  if (exitCode === 0 || error.startsWith('failed to capture output'))
    return say('output_not_captured', `the command of ${step} succeeded, but its output could not be taken: ${error}`)
  const how = signal ? `was ended by a signal (${signal})` : `ended with code ${exitCode}`
  const retry = actor?.memory.ignoresRetry ? {} : (actor?.memory.retry ?? placed.step.retry)
  const { limit = 0, exitCodes = [] }: { limit?: number; exitCodes?: number[] } = Object(retry)
  if (retryCount > 0 && retryCount >= limit)
    return say('retries_used_up', `${step} ${how}, and retry ${retryCount} of ${limit} was the last`, {
      blockedBy: [{ kind: 'limit', name: `retryPolicy.limit (${limit})` }]
    })
  if (limit > retryCount && exitCodes.length > 0)
    return say(
      'not_retried',
      `${step} ${how}, and its retryPolicy retries other codes only (${exitCodes.join(', ')})`,
      {
        blockedBy: [{ kind: 'limit', name: `retryPolicy.exitCode (${exitCodes.join(', ')})` }]
      }
    )
  return signal ? say('killed_by_signal', `${step} ${how}`) : say('exit_code', `${step} ${how}`)
}

function subRunText(first: RunKey, many: number, situation: Situation): string | undefined {
  const why = situation.whyEnded(first)
  const whose = many > 1 ? `${count(many, 'sub DAG run')} did not succeed; in the first` : 'in the sub DAG run'
  return why && `${whose} of ${first.name}, ${why}`
}

/** Dependencies with one of these ends. */
function upstream({ situation, placed }: Ended, statuses: NodeRecord['status'][]): string[] {
  return placed.step.depends.filter((name) => {
    const other = situation.byName.get(name)
    return other !== undefined && statuses.includes(situation.node(other).status)
  })
}

function skipped(ended: Ended): Said {
  const { node, placed } = ended
  if (node.error === 'upstream skipped') {
    const names = upstream(ended, ['skipped'])
    return over(ended, 'upstream_skipped', `${node.step} was skipped because ${listed(names)} was`, {
      blockedBy: blockers('step', names),
      unblock: 'continueOn.skipped of that step lets the next ones run.'
    })
  }
  const { found, blockedBy } = unmet(placed.step.preconditions, node.conditions)
  return over(
    ended,
    'condition_not_met',
    `${node.step} was skipped: preconditions did not hold: ${found || firstLine(node.error ?? '')}`,
    {
      blockedBy,
      unblock: 'It runs when its preconditions hold.'
    }
  )
}

function canceled(ended: Ended): Said {
  const { node } = ended
  const behind = (cause: Cause, statuses: NodeRecord['status'][], what: string, unblock: string) => {
    const names = upstream(ended, statuses)
    return over(ended, cause, `${node.step} was not run because ${listed(names)} ${what}`, {
      blockedBy: blockers('step', names),
      unblock
    })
  }
  if (node.error === 'upstream failed')
    return behind(
      'upstream_failed',
      ['failed'],
      'failed',
      'Retry the run when that step is fixed; continueOn.failure lets the next ones run.'
    )
  if (node.error === 'upstream canceled')
    return behind('upstream_canceled', ['canceled'], 'was canceled', 'Retry the run.')
  if (node.error === 'run timed out')
    return over(ended, 'run_timed_out', `${node.step} did not start: the time limit of the run was over`, {
      blockedBy: [{ kind: 'limit', name: 'timeoutSec of the DAG' }],
      unblock: 'Give the DAG more time (timeoutSec).'
    })
  return over(ended, 'stopped', `${node.step} was stopped before its end`, {
    blockedBy: [{ kind: 'person', name: 'stop' }],
    unblock: 'Retry the run.'
  })
}
