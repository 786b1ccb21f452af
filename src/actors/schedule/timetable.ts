/**
 * When definitions are due: one entry per distinct expression, in a heap by next time. A minute in which nothing is due costs one
 * look at the first entry; a definition that has not changed costs nothing. Source: execution-semantics
 * 11.1 to 11.5, 11.13, 11.15.
 */
import type { Plan, ScheduleKind } from '../../../machines/vocabulary.ts'
import { nextRun } from '../../definition/dag/next-run.ts'
import { heapOf } from './heap.ts'

/** A stored definition; without a plan it has errors, and no schedule. */
export interface Scheduled {
  fileName: string
  definition: { plan?: Plan }
}

/** A definition and kind that is due, or was due while no engine was running. */
export interface Found {
  fileName: string
  plan: Plan
  kind: ScheduleKind
  /** Expressions of the schedule that fire then. */
  expressions: string[]
  /** Epoch ms. */
  slot: number
  missed: boolean
}

export interface Timetable {
  /** Updates the timetable to the current definitions. @returns those that are new or have changed */
  know(definitions: readonly Scheduled[], minute: number): { fileName: string; plan: Plan }[]
  /** The plan of a definition without errors. */
  planOf(fileName: string): Plan | undefined
  /** The next minute in which something may be due; definitions that are not known yet may be due at any time. */
  next(definitions: readonly Scheduled[]): number
  /** What is due in a minute (epoch ms), and what was due since the previous call. The clock may have been set back. */
  due(minute: number): Found[]
}

interface Line {
  expression: string
  next: number
  users: Map<string, { plan: Plan; kinds: Set<ScheduleKind> }>
}
/** `next` of an entry that never fires again. */
const NEVER = Number.POSITIVE_INFINITY
const KINDS = ['start', 'stop', 'restart'] as const

/** @param zone IANA zone of expressions without one; called with the first expression, because it is slow to determine */
export function openTimetable(zone: () => string): Timetable {
  const heap = heapOf<Line>()
  const lines = new Map<string, Line>()
  const plans = new Map<string, Plan>()
  let known: readonly Scheduled[] | undefined
  let latest = Number.NEGATIVE_INFINITY

  /** An unused entry is removed when it comes up. One that never fires is kept outside the heap, because finding that out takes ms. */
  function place(line: Line, after: number): void {
    if (line.users.size === 0) lines.delete(line.expression)
    else {
      line.next = nextRun([line.expression], after, zone()) ?? NEVER
      if (line.next !== NEVER) heap.add(line)
    }
  }

  function add(fileName: string, plan: Plan, minute: number): void {
    plans.set(fileName, plan)
    for (const kind of KINDS)
      for (const expression of plan.schedule[kind]) {
        const line: Line = lines.get(expression) ?? { expression, next: 0, users: new Map() }
        const user = line.users.get(fileName) ?? { plan, kinds: new Set() }
        line.users.set(fileName, { plan, kinds: user.kinds.add(kind) })
        if (lines.has(expression)) continue
        lines.set(expression, line)
        place(line, minute - 1)
      }
  }

  function forget(fileName: string): void {
    const { schedule } = plans.get(fileName) ?? {}
    plans.delete(fileName)
    for (const kind of KINDS)
      for (const expression of schedule?.[kind] ?? []) {
        const line = lines.get(expression)
        line?.users.delete(fileName)
        if (line?.users.size === 0 && line.next === NEVER) lines.delete(expression)
      }
  }

  return {
    know(definitions, minute) {
      if (definitions === known) return []
      known = definitions
      const gone = new Set(plans.keys())
      const changed: { fileName: string; plan: Plan }[] = []
      for (const { fileName, definition } of definitions) {
        const { plan } = definition
        gone.delete(fileName)
        if (plan === plans.get(fileName)) continue
        forget(fileName)
        if (!plan) continue
        add(fileName, plan, minute)
        changed.push({ fileName, plan })
      }
      for (const fileName of gone) forget(fileName)
      return changed
    },
    planOf: (fileName) => plans.get(fileName),
    next: (definitions) => (definitions === known ? (heap.first()?.next ?? NEVER) : 0),
    due(minute) {
      if (minute < latest) {
        heap.clear()
        for (const line of [...lines.values()]) place(line, minute - 1)
      }
      latest = minute
      const found = new Map<string, Found>()
      const note = ({ expression, users }: Line, slot: number) => {
        for (const [fileName, { plan, kinds }] of users)
          for (const kind of kinds) {
            const missed = slot < minute
            const id = `${fileName}/${kind}/${missed}`
            const other = found.get(id)
            const expressions = other && !missed ? [...other.expressions, expression] : [expression]
            found.set(id, { fileName, plan, kind, expressions, slot: Math.max(slot, other?.slot ?? 0), missed })
          }
      }
      for (let line = heap.first(); line && line.next <= minute; line = heap.first()) {
        heap.take()
        if (line.next < minute) {
          note(line, line.next)
          place(line, minute - 1)
        } else {
          note(line, minute)
          place(line, minute)
        }
      }
      return [...found.values()]
    }
  }
}
