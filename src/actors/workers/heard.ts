/** From a message of a worker to an event of its chart. Source: distribution 1 (D12), 3. */
import type { WorkerEvent } from '../../../machines/worker.ts'
import { beatIn, type Hello, helloIn } from '../../bus/messages.ts'
import { Unreadable } from '../../bus/readers.ts'
import type { Progress } from '../../bus/tasks.ts'

export interface Heard {
  /** The home whose word it is: workers may speak under their own only. */
  home: string
  kind: string
  text: string
  at: number
}

/** The content of a message for the chart of its worker, and about tasks at work. */
export interface Said {
  event: WorkerEvent
  tasks?: readonly Progress[]
  /** Why the worker takes no further run, in a heartbeat; empty: it takes some. */
  trouble?: string
}

export interface Others {
  /** Home of another worker that serves under an id. */
  holderOf(id: string): string | undefined
  /** Why a worker may not have this name; undefined: it may. */
  refusalOf(id: string): string | undefined
}

export function eventOf(heard: Heard, others: Others): Said {
  const { kind, text, at } = heard
  if (kind !== 'beat') return { event: helloEvent(heard, others) }
  try {
    const { session, n: beat, load, tasks = [], draining, late, trouble = '' } = beatIn(text)
    return {
      event: { type: 'beat.heard', at, session, beat, load, isLeaving: draining === true, isLate: late === true },
      tasks,
      trouble
    }
  } catch (error) {
    if (error instanceof Unreadable) return { event: { type: 'hello.garbled', at, reason: error.message } }
    throw error
  }
}

function helloEvent({ home, kind, text, at }: Heard, { holderOf, refusalOf }: Others): WorkerEvent {
  try {
    if (kind !== 'hello') return { type: 'hello.garbled', at, reason: `wanted hello or beat, found ${kind}` }
    const hello = helloIn(text)
    if (hello.home !== home) return { type: 'hello.garbled', at, reason: 'hello.home: it is not that of its subject' }
    const reason = refusalOf(hello.id)
    if (reason !== undefined) return { type: 'hello.garbled', at, reason }
    return helloHeard(hello, at, holderOf(hello.id))
  } catch (error) {
    if (error instanceof Unreadable) return { type: 'hello.garbled', at, reason: error.message }
    throw error
  }
}

function helloHeard(
  { v, minV, session, home: _, draining, fences, ...self }: Hello,
  at: number,
  taken: string | undefined
): WorkerEvent {
  return {
    type: 'hello.heard',
    at,
    id: self.id,
    session,
    speaks: { min: minV, max: v },
    self,
    isLeaving: draining === true,
    fences: fences === true,
    ...(taken === undefined ? {} : { idTakenBy: taken })
  }
}
