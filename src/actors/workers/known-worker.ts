/** A worker as it is stored and listed. Source: distribution 4, 9; api-semantics 7.1. */
import type { SnapshotFrom } from 'xstate'
import type { FleetWorker } from '../../../machines/tables/fleet.ts'
import type { WorkerLoad, WorkerSelf } from '../../../machines/vocabulary.ts'
import { type WorkerContext, type WorkerInput, workerMachine } from '../../../machines/worker.ts'
import type { StoredWorker } from '../../store/stored.ts'
import { pathOf } from '../journal/recorded.ts'

export type WorkerSnapshot = SnapshotFrom<typeof workerMachine>
export type WorkerHealth = 'healthy' | 'warning' | 'unhealthy'

/** Instants in epoch ms, by the engine's clock. */
export interface WorkerView extends WorkerSelf {
  /** Id of the worker's home folder. */
  home: string
  status: 'serving' | 'draining' | 'incompatible' | 'lost'
  /** The worker drains because it was sent a signal. */
  isLeaving: boolean
  /** A worker that is refused is unhealthy: it gets nothing. */
  health: WorkerHealth
  heardAt: number
  /** When the worker is lost unless it is heard before; absent: it is heard, or nobody can be at the moment. */
  lostAt?: number
  connectedAt: number
  load: WorkerLoad
  /** Why the worker is refused; empty: it is not. */
  refusal: string
  /** Why the worker takes no further run although it serves, such as a full disk; empty: it takes some. */
  trouble: string
}

/** The entry of a worker; undefined: nothing is known of it yet, or any more. */
export function storedWorker({ value, context }: Pick<WorkerSnapshot, 'value' | 'context'>): StoredWorker | undefined {
  const path = pathOf(value)
  if (path === 'greeting' || path === 'forgotten') return undefined
  const { self, session, greetedAt, heardAt, refusal, drain, fences } = context
  // The worker may have heard of an engine that was killed since: whether it is fenced is not kept.
  const state = path.startsWith('lost') ? 'lost' : path
  return {
    state,
    session,
    greetedAt,
    heardAt,
    refusal,
    ...(self ? { self } : {}),
    ...(drain ? { drain } : {}),
    ...(fences ? { fences } : {})
  }
}

/** The chart of a worker where the previous engine left it, without an alarm: that is set when this engine is connected. */
export function restoredWorker(input: WorkerInput, { state, ...rest }: StoredWorker): WorkerSnapshot {
  const { at: _, ...given } = input
  const context: WorkerContext = {
    ...given,
    drain: undefined,
    fences: false,
    ...rest,
    beat: 0,
    load: {},
    silentSince: rest.heardAt,
    away: true,
    isDeaf: false,
    // The next heartbeat says it again.
    isLeaving: false,
    isLate: false,
    hasStoppedRuns: false
  }
  const [outer = '', inner] = state.split('.')
  return workerMachine.resolveState({ value: inner === undefined ? outer : { [outer]: inner }, context } as never) // checked where it was read
}

// D992: a worker takes runs once it was heard since the engine is connected
/**
 * What placements depend on; undefined: it serves nobody now. It takes runs once it was heard since the engine is there: what a
 * restart found says nothing about this moment.
 */
export function takerOf({ value, context }: Pick<WorkerSnapshot, 'value' | 'context'>): FleetWorker | undefined {
  const { home, self, away, heardAt, silentSince, isDeaf, flood } = context
  const state = pathOf(value)
  if (!self || !state.startsWith('serving.')) return undefined
  const { id, labels, slots, executors } = self
  const isHere = state === 'serving.healthy' && !away && !isDeaf && heardAt >= silentSince
  const takesNoMore = isDraining(context) || flood !== undefined
  return {
    home,
    id,
    labels,
    slots,
    executors,
    isTaking: isHere && !takesNoMore,
    ...(isHere && takesNoMore ? { takesSubRuns: true } : {})
  }
}

export const isDraining = ({ drain, isLeaving }: Pick<WorkerContext, 'drain' | 'isLeaving'>): boolean =>
  drain !== undefined || isLeaving

/** None for one that is not listed: it is lost and has nothing, or says hello at this moment. */
export function viewOf({ value, context, tags }: WorkerSnapshot, hasRuns: boolean): WorkerView[] {
  const state = pathOf(value)
  const isServing = state.startsWith('serving.')
  const isLost = state.startsWith('lost') && hasRuns
  if (!isServing && !isLost && state !== 'incompatible') return []
  const { home, self, heardAt, greetedAt, load, isLeaving, flood } = context
  const refusal = isServing && flood ? flood.reason : context.refusal
  const [health = 'unhealthy'] = [...tags] as WorkerHealth[] // the tags of its states
  const isSilent = isServing && health !== 'healthy' && !context.away
  return [
    {
      ...(self ?? stranger(home)),
      home,
      status: isLost ? 'lost' : !isServing || flood ? 'incompatible' : isDraining(context) ? 'draining' : 'serving',
      health: isServing && flood ? 'unhealthy' : health,
      heardAt,
      connectedAt: greetedAt,
      ...(isSilent ? { lostAt: context.silentSince + context.lostAfterMs } : {}),
      load,
      refusal,
      isLeaving,
      trouble: ''
    }
  ]
}

/** A worker that has said nothing that could be read. */
const stranger = (home: string): WorkerSelf => ({
  id: home,
  labels: {},
  slots: 0,
  version: '',
  host: '',
  pid: 0,
  executors: []
})
