/** Why a node has not started yet, or never will. Source: machines/policy/readiness.ts, docs/inspect.md. */
import { isLeftOut } from '../../../machines/policy/readiness.ts'
import type { OnlyNodes } from '../../../machines/vocabulary.ts'
import { onlyIn, type PlacedStep } from '../contexts.ts'
import type { Cause } from './causes.ts'
import { blockers, count, listed, type Said, type Situation } from './situation.ts'

/** Paths of the run's chart in which no node may start yet. */
const BEFORE_WORK = /^(?:preparing|checking|delaying)$/
const AFTER_WORK = /^(?:stopping|concluding|releasing|ending|notifying)/

export function reasonNotStarted(situation: Situation, placed: PlacedStep): Said {
  const { state, address, record } = situation
  const run = state.actors.get(address)
  const memory = run?.memory ?? {}
  const isOver = record.status !== 'running' && record.status !== 'queued' && record.status !== 'not_started'
  if (isOver) return neverStarted(situation, placed, memory)
  if (typeof placed.place !== 'number') return handlerLater(situation, placed, run?.path ?? '')
  const only = run ? onlyIn(memory) : record.only
  if (!run && isNoneOf(only, placed)) return onlyOneStep(situation, placed, only)
  if (!run)
    return {
      cause: record.status === 'queued' ? 'run_queued' : 'run_not_started',
      text: `${placed.step.name} waits: ${record.attempt > 1 ? `attempt ${record.attempt} of ` : ''}its run has not started`,
      blockedBy: [{ kind: 'run', name: record.name, dagRunId: record.dagRunId }],
      unblock: 'It can start when its run does: see the reason of the run.'
    }
  if (BEFORE_WORK.test(run.path))
    return {
      cause: 'run_not_ready',
      text: `${placed.step.name} waits: its run is still ${run.path}`,
      since: run.since,
      blockedBy: [{ kind: 'run', name: record.name, dagRunId: record.dagRunId }],
      unblock: 'It can start when its run is working: see the reason of the run.'
    }
  if (isNoneOf(only, placed)) return onlyOneStep(situation, placed, only)
  if (AFTER_WORK.test(run.path)) return neverStarted(situation, placed, memory)
  return inLine(situation, placed)
}

/** The node of a running run waits for other nodes, or for the limit. */
function inLine(situation: Situation, placed: PlacedStep): Said {
  const { plan, byName, node, running: active } = situation
  const open = placed.step.depends.filter((name) => {
    const other = byName.get(name)
    const status = other && node(other).status
    return status === 'not_started' || status === 'running'
  })
  if (open.length > 0)
    return {
      cause: 'dependencies',
      text: `${placed.step.name} waits for ${listed(open)}`,
      blockedBy: blockers('step', open),
      unblock: `It can start when ${open.length === 1 ? 'that step has' : 'those steps have'} ended well, or ended in a way that continueOn allows.`
    }
  return {
    cause: 'max_active_steps',
    text: `${placed.step.name} is ready and waits for a slot: ${count(active.length, 'step')} running (maxActiveSteps ${plan.maxActiveSteps})`,
    blockedBy: [{ kind: 'limit', name: `maxActiveSteps (${plan.maxActiveSteps})` }, ...blockers('step', active)],
    unblock: 'It starts when a running step ends; earlier steps of the definition go first.'
  }
}

const isNoneOf = (only: OnlyNodes | undefined, { place }: PlacedStep): boolean =>
  typeof place === 'number' ? isLeftOut(only, place) : only !== undefined

function onlyOneStep({ plan, record }: Situation, { step }: PlacedStep, only: OnlyNodes = []): Said {
  const [first = -1] = [only].flat()
  const name = plan.steps[first]?.name
  const of = `${name ?? 'one step'} ${typeof only === 'number' ? 'alone' : 'and what depends on it'}`
  return {
    cause: 'only_one_step',
    waiting: false,
    text: `attempt ${record.attempt} of the run ${record.status === 'queued' ? 'is' : 'was'} a retry of ${of}; ${step.name} is not part of it`,
    blockedBy: blockers('step', [name ?? '']),
    unblock: 'Retry the whole run, or this step.'
  }
}

function handlerLater({ record }: Situation, { step }: PlacedStep, path: string): Said {
  if (AFTER_WORK.test(path) && step.name !== 'onExit' && path !== 'stopping') return handlerNotDue(step.name)
  return {
    cause: 'handler_later',
    text: `${step.name} is a handler: it may start when every step of the run is resolved`,
    blockedBy: [{ kind: 'run', name: record.name, dagRunId: record.dagRunId }],
    unblock: 'How the steps end decides which handlers run; onExit runs last, in any case.'
  }
}

const handlerNotDue = (name: string): Said => ({
  cause: 'handler_not_due',
  waiting: false,
  text: `${name} answers another end than the one the run came to`,
  unblock: ''
})

/** The run has ended, or is ending. */
function neverStarted(situation: Situation, placed: PlacedStep, memory: Record<string, unknown>): Said {
  const { record, state } = situation
  const { name } = placed.step
  const not = (cause: Cause, text: string, unblock = 'A retry of the run starts it.'): Said => ({
    cause,
    waiting: false,
    text,
    unblock
  })
  if (state.parked)
    return not(
      'run_parked',
      `${name} never started: the engine failed the run (${record.error ?? 'no reason is known'})`
    )
  if (typeof placed.place !== 'number') return handlerNeverBegun(situation, name, memory, not)
  if (memory.stop === 'request')
    return not('run_stopped', `${name} never started: the run was stopped before its turn came`)
  if (memory.stop === 'conditions')
    return not(
      'run_conditions',
      `${name} never started: the preconditions of the DAG did not hold`,
      'A start at a time when they hold.'
    )
  const only = onlyIn(memory)
  if (only !== undefined) return onlyOneStep(situation, placed, only)
  return not(
    'run_failed_before',
    `${name} never started: the run failed before any step (${record.error ?? 'no reason is known'})`
  )
}

function handlerNeverBegun(
  { record, state, address }: Situation,
  name: string,
  memory: Record<string, unknown>,
  not: (cause: Cause, text: string, unblock?: string) => Said
): Said {
  if (memory.killed === true)
    return not(
      'no_time_left',
      `${name} did not start: the run was stopped by force, or its caller had no time left`,
      ''
    )
  // A run that could not be set up fails at once; every other end lets the exit handler run.
  const hasFailedEarly = state.actors.get(address)?.path === 'failed' && record.error !== undefined && !memory.stop
  return name === 'onExit' || hasFailedEarly
    ? not(
        'run_failed_before',
        `${name} did not start: the run ended before its steps (${record.error ?? record.status})`,
        ''
      )
    : handlerNotDue(name)
}
