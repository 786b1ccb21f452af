/** Where events are delivered to, and which ones. Source: docs/notifications.md "Targets". */
import type { Notice } from '../../../machines/policy/notices.ts'
import type { Plan } from '../../../machines/vocabulary.ts'
import { matcher } from '../../platform/globs.ts'

/** A value that only its one user looks at. */
interface Hidden {
  reveal(): string
}

/** One entry of `notify`. */
export interface NotifyTarget {
  name: string
  /** The URL of http or https; it may contain a credential. */
  url: Hidden
  events: readonly Notice[]
  /** Patterns; a run must match one of each list. Absent: all. */
  dags?: readonly string[]
  groups?: readonly string[]
  /** In lower case. */
  tags?: readonly string[]
  /** Sub DAG runs as well. */
  subRuns: boolean
  /** Params of the run are told, with secrets masked. */
  params: boolean
  /** Every secret signs, so one after the other can be replaced. Empty: nothing is signed. */
  secrets: readonly Hidden[]
  headers: Readonly<Record<string, Hidden>>
  /** For a connection and the head of the answer. */
  timeoutMs: number
  maxAttempts: number
  giveUpAfterMs: number
}

/** The part of a run that tells whether a target wants to hear of it. */
export interface Noticed {
  name: string
  isSub: boolean
  plan(): Pick<Plan, 'group' | 'tags'> | undefined
}

export interface ReadyTarget {
  target: NotifyTarget
  /** Absent `of`: the event is about no run. */
  wants(notice: Notice, of?: Noticed): boolean
}

/** The target with its patterns made ready. */
export function readyTarget(target: NotifyTarget): ReadyTarget {
  const events = new Set<Notice>(target.events)
  const { dags, groups, tags } = target
  const [isName, isGroup, isTag] = [dags, groups, tags].map((patterns) => patterns && matcher(patterns))
  return {
    target,
    wants(notice, of) {
      if (!events.has(notice)) return false
      if (!of) return true
      if (of.isSub && !target.subRuns) return false
      if (isName && !isName(of.name)) return false
      if (!isGroup && !isTag) return true
      const plan = of.plan()
      if (!plan) return false
      if (isGroup && !isGroup(plan.group)) return false
      return !isTag || plan.tags.some((tag) => isTag(tag.trim().toLowerCase()))
    }
  }
}
