/** What the overview shows, and what a key makes of it. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunSummary } from '../../client/index.ts'
import type { Overview } from './look.ts'

export interface State {
  /** Absent: nothing has been seen yet. */
  overview?: Overview
  /** Why nothing new is shown; empty: it is new. */
  trouble: string
  /** The answer to the latest request. */
  message: string
  onlyFailed: boolean
  /** Stays with its run when others come and go. */
  selected?: RunKey
  /** What is asked before it is done. */
  asked?: { act: 'stop' | 'retry'; key: RunKey }
  log?: OpenLog
}

/** The log that is shown instead of the list. */
export interface OpenLog {
  key: RunKey
  lines: readonly string[]
  /** Lines between the end of the log and the end of the screen; 0: the end is followed. */
  back: number
  isOver: boolean
}

/** What is to be done beside showing the new state. */
export type Act = 'quit' | 'open log' | 'close log' | { act: 'stop' | 'retry'; key: RunKey }

export const START: State = { trouble: '', message: '', onlyFailed: false }

const isSame = (a: RunKey | undefined, b: RunKey) => a?.name === b.name && a.dagRunId === b.dagRunId
const isActive = ({ statusLabel }: RunSummary) => statusLabel === 'running' || statusLabel === 'queued'

/** The runs of the list. */
export const listed = ({ overview, onlyFailed }: State): RunSummary[] =>
  (overview?.runs ?? []).filter(({ statusLabel }) => !onlyFailed || statusLabel === 'failed')

/** Where the selected run is in the list; the first when it is gone. */
export const placeOf = (state: State): number =>
  Math.max(
    0,
    listed(state).findIndex((run) => isSame(state.selected, run))
  )

/** @param page lines of the list or of the log on the screen */
export function pressed(state: State, key: string, page: number): [State, Act?] {
  const next = { ...state, message: '' }
  if (key === 'ctrl-c') return [next, 'quit']
  if (state.asked) return answered(next, state.asked, key)
  if (state.log) return inLog(next, state.log, key, page)
  const runs = listed(state)
  const run = runs[placeOf(state)]
  const to = (place: number): [State] => {
    const found = runs[Math.min(Math.max(0, place), runs.length - 1)]
    return [found ? { ...next, selected: { name: found.name, dagRunId: found.dagRunId } } : next]
  }
  const step = MOVES[key]?.(page)
  if (step !== undefined) return to(placeOf(state) + step)
  if (key === 'q') return [next, 'quit']
  if (key === 'f') return [{ ...next, onlyFailed: !state.onlyFailed }]
  if (!run) return [next]
  const at = { name: run.name, dagRunId: run.dagRunId }
  if (key === 'l' || key === 'enter')
    return [{ ...next, selected: at, log: { key: at, lines: [], back: 0, isOver: false } }, 'open log']
  if (key === 's')
    return run.statusLabel === 'running'
      ? [{ ...next, selected: at, asked: { act: 'stop', key: at } }]
      : [{ ...next, message: `run ${run.dagRunId} is not running` }]
  if (key === 'r')
    return isActive(run)
      ? [{ ...next, message: `run ${run.dagRunId} has not ended` }]
      : [{ ...next, selected: at, asked: { act: 'retry', key: at } }]
  return [next]
}

const FAR = 1_000_000
const MOVES: Readonly<Record<string, (page: number) => number>> = {
  up: () => -1,
  k: () => -1,
  down: () => 1,
  j: () => 1,
  'page-up': (page) => -page,
  'page-down': (page) => page,
  home: () => -FAR,
  end: () => FAR
}

function answered(state: State, asked: NonNullable<State['asked']>, key: string): [State, Act?] {
  const { asked: _asked, ...next } = state
  return key === 'y' ? [next, asked] : [{ ...next, message: `no ${asked.act}` }]
}

function inLog(state: State, log: OpenLog, key: string, page: number): [State, Act?] {
  const { log: _log, ...list } = state
  if (key === 'q' || key === 'escape' || key === 'l') return [list, 'close log']
  const step = MOVES[key]?.(page)
  if (step === undefined) return [state]
  const most = Math.max(0, log.lines.length - page)
  return [{ ...state, log: { ...log, back: Math.min(Math.max(0, log.back - step), most) } }]
}
