/**
 * Steps that wait for something outside: which they are, when a wait ends, what a run waits for, and what it says to a signal for one of
 * its steps.
 * Source: embedding 1, 2.5; docs/executors/signal.md.
 */
import { WAITS } from '../vocabulary/lists.ts'
import type { Awaits, KeptSignal, NodeStatus, Step, Wait, WaitKind } from '../vocabulary.ts'
import { instantIn } from './instant.ts'

export const awaitsSignal = ({ wait }: Step): boolean => wait !== undefined && wait.kind !== 'sleep'

/** What a node waits for in a state of its chart; undefined: for nothing outside. */
export const waitIn = ({ wait }: Step, state: unknown): WaitKind | undefined =>
  state === 'awaiting' || state === 'sleeping' ? wait?.kind : undefined

// D1710: a run waits for a person if one of its nodes does, and for the time if all of them do
/** @param atWork what each of its running nodes waits for; undefined: for nothing outside */
export function runWait(atWork: readonly (Awaits | undefined)[]): Awaits | undefined {
  for (const kind of WAITS) {
    const waits = atWork.filter((wait) => wait?.for === kind)
    if (waits.length === 0 || (kind === 'sleep' && waits.length < atWork.length)) continue
    const [until] = waits.flatMap((wait) => wait?.until ?? []).sort((one, other) => one - other)
    return { for: kind, ...(until === undefined ? {} : { until }) }
  }
  return undefined
}

/** A text with variables or commands in it. */
const isOpen = (text: string | undefined): boolean => text !== undefined && /[$`]/.test(text)

/** Whether a text of a wait must be evaluated before the wait begins. */
export const hasOpenTexts = (wait: Wait): boolean => isOpen(wait.kind === 'sleep' ? wait.for : wait.ask)

const SECOND = 1_000
const UNITS = [7 * 86_400 * SECOND, 86_400 * SECOND, 3_600 * SECOND, 60 * SECOND, SECOND]
const DURATION =
  /^P(?!$)(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?=\d)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i
const INSTANT = /^\d{4}-\d\d-\d\d[Tt ][\d:.]+\s*(?:Z|[+-]\d\d:\d\d)$/i
/** 31 years, as the longest time limit. */
const LONGEST_SLEEP_MS = 1_000_000_000 * SECOND
export const SLEEP_FORM =
  'an ISO 8601 duration such as PT90S, PT8H or P3D (weeks, days, hours, minutes, seconds) ' +
  'of at most 31 years, or an instant with its time zone such as 2026-03-01T08:00:00Z'

// D1078: durations have fixed lengths
/**
 * When a sleep that begins at `at` ends, epoch ms; undefined: the text says neither a duration nor an instant. A day has 24 hours;
 * months and years have no fixed length, and are refused.
 */
export function wakeAt(text: string, at: number): number | undefined {
  const trimmed = text.trim()
  const parts = DURATION.exec(trimmed)
  if (INSTANT.test(trimmed)) {
    const until = instantIn(trimmed)
    return Number.isNaN(until) ? undefined : until
  }
  if (!parts) return undefined
  const ms = UNITS.reduce((sum, unit, index) => sum + Math.round(Number(parts[index + 1] ?? 0) * unit), 0)
  return ms <= LONGEST_SLEEP_MS ? at + ms : undefined
}

/**
 * What becomes of a signal. `taken`: the step gets it, now or when it starts. `repeated`: it is the one that the step has, by its id.
 * `given`: the step has another one. `ended`: the step, or its run, waits for nothing any more.
 */
export type SignalFate = 'taken' | 'repeated' | 'given' | 'ended'

export interface Asked {
  /** The signals that the run has got, by step. */
  given: Readonly<Record<string, KeptSignal>> | undefined
  status: NodeStatus
  /** The run starts no more nodes, or not this one. */
  isOver: boolean
}

// D1071, D1072: one payload a step; an `id` makes a signal repeatable
export function signalFate({ given, status, isOver }: Asked, step: string, id: string | undefined): SignalFate {
  const before = given && Object.hasOwn(given, step) ? given[step] : undefined
  if (before) return id !== undefined && before.id === id ? 'repeated' : 'given'
  return isOver || (status !== 'not_started' && status !== 'running') ? 'ended' : 'taken'
}
