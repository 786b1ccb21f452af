/** Why a definition has no run now, or not that of its schedule. Source: policy/due.ts, execution-semantics 11; docs/inspect.md. */
import type { Plan, RunKey, RunRecord, ScheduleDecision, SkipReason } from '../../../machines/vocabulary.ts'
import { MAX_ACTIVE_RUNS } from '../../definition/fields/defaults.ts'
import { count, listed, runsAsBlockers, type Said } from './situation.ts'

export interface DefinitionSituation {
  fileName: string
  /** DAG name. */
  name: string
  /** Absent: it has problems. */
  plan?: Plan
  problems: string[]
  suspended: boolean
  now: number
  isOwned: boolean
  /** The engine that owns the home starts runs by schedules. */
  schedules: boolean
  /** Next time of its start schedule. */
  next?: number
  running: RunRecord[]
  queued: RunRecord[]
  restarting: RunKey[]
  /** The scheduler's latest decision for each kind of schedule. */
  decisions: ScheduleDecision[]
}

export function definitionReasons(situation: DefinitionSituation): Said[] {
  const { plan, problems, running, queued, restarting } = situation
  const reasons: Said[] = []
  if (problems.length > 0)
    reasons.push({
      cause: 'definition_invalid',
      text: `the definition has ${count(problems.length, 'problem')}: ${listed(problems)}`,
      blockedBy: [{ kind: 'definition', name: situation.fileName }],
      unblock: 'Fix it: validate shows each problem with its line.'
    })
  if (restarting.length > 0)
    reasons.push({
      cause: 'restart_waiting',
      text: `its schedule restarts ${listed(restarting.map(({ dagRunId }) => dagRunId))}: a new run starts when that one has ended and restartWaitSec is over`,
      blockedBy: runsAsBlockers(restarting),
      unblock: 'The old run ends, then the wait.'
    })
  const limit = plan?.maxActiveRuns ?? MAX_ACTIVE_RUNS
  const active = running.length + queued.length
  if (limit > 0 && active >= limit)
    reasons.push({
      cause: 'max_active_runs',
      text: `${running.length} running and ${queued.length} queued: another start is refused or waits (maxActiveRuns ${limit})`,
      blockedBy: [{ kind: 'limit', name: `maxActiveRuns (${limit})` }, ...runsAsBlockers([...running, ...queued])],
      unblock: 'A start is possible when one of them has ended.'
    })
  if (plan) for (const reason of scheduleReasons(situation, plan)) reasons.push(reason)
  for (const decision of situation.decisions) if (decision.outcome === 'skipped') reasons.push(skippedStart(decision))
  return reasons
}

function scheduleReasons(situation: DefinitionSituation, { schedule }: Plan): Said[] {
  const { suspended, schedules, isOwned, next } = situation
  const expressions = [...schedule.start, ...schedule.stop, ...schedule.restart]
  if (expressions.length === 0)
    return [
      {
        cause: 'no_schedule',
        waiting: false,
        text: 'the definition has no schedule: it runs when it is started',
        unblock: 'Start it.'
      }
    ]
  const blockedBy = [{ kind: 'schedule' as const, name: listed(expressions) }]
  if (suspended)
    return [
      {
        cause: 'suspended',
        text: 'the definition is suspended: its schedule starts nothing',
        blockedBy: [{ kind: 'person', name: 'suspend' }],
        unblock: 'Resume it (suspend: false); by hand it can be started all the same.'
      }
    ]
  if (!isOwned)
    return [
      {
        cause: 'engine_absent',
        text: 'no engine works on this home: schedules stand still',
        blockedBy: [{ kind: 'engine', name: 'none is running' }],
        unblock: 'Start one: troupe start-all.'
      }
    ]
  if (!schedules)
    return [
      {
        cause: 'schedules_off',
        text: 'the engine on this home does not follow schedules',
        blockedBy: [{ kind: 'engine', name: 'schedules are off' }],
        unblock: 'troupe start-all follows schedules; createEngine does with schedules: true.'
      }
    ]
  if (next === undefined) return []
  return [
    {
      cause: 'next_start',
      text: 'its next start is by schedule',
      until: next,
      blockedBy,
      unblock: 'It starts at that minute, or when it is started by hand.'
    }
  ]
}

/** Why a scheduled minute started no run, as the end of a sentence. */
export const SKIPPED: Record<SkipReason, string> = {
  suspended: 'the definition was suspended',
  running: 'its newest run was still running',
  started: 'a run had started in that minute or later',
  succeeded: 'it had succeeded since the time before (skipIfSuccessful)',
  nothing_running: 'nothing was running',
  restarting: 'a restart was under way',
  decided: 'that minute had been decided: the clock was set back',
  missed: 'no scheduler was running, and catchup is none',
  limit: 'maxActiveRuns was reached, or its queue was full',
  invalid: 'the start itself failed'
}

function skippedStart({ kind, slot, reason = 'invalid', error }: ScheduleDecision): Said {
  return {
    cause: `skipped_${reason}`,
    waiting: false,
    text: `the latest scheduled ${kind} came to nothing: ${SKIPPED[reason]}${error === undefined ? '' : ` (${error})`}`,
    since: slot,
    blockedBy: [{ kind: 'schedule', name: kind }],
    unblock: 'The next scheduled minute is decided separately.'
  }
}
