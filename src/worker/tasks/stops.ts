/** Tasks that were asked to stop before they were offered: an offer that comes after begins nothing. Source: distribution 7 (reordered). */
import type { Reply, Stop } from '../../bus/tasks.ts'
import { idOf, type Spool } from './spool.ts'

export interface Stops {
  has(named: Pick<Stop, 'task' | 'lease'>): boolean
  /** Whether there was a mark for a task that is taken on; from now on its record is that of a task. */
  took(named: Pick<Stop, 'task' | 'lease'>): boolean
  /** Resolves when it is on record. @throws Error of the file system */
  leaveMark(order: Stop): Promise<Reply>
}

/** Marks that are kept: nobody says when one is needed no more. */
const MOST = 1_000

export function openStops(spool: Spool): Stops {
  // A damaged record tells nothing of its task, which begins nothing.
  const marks = new Set([...spool.stopped, ...spool.damaged])
  /** Marks that are not on record yet. */
  const flushing = new Map<string, Promise<void>>()

  async function flush(id: string, signal: string): Promise<void> {
    await spool.add(id, { kind: 'stopped', signal })
    const [oldest] = marks
    if (marks.size <= MOST || oldest === undefined) return
    marks.delete(oldest)
    await spool.remove(oldest)
  }
  async function mark(id: string, signal: string): Promise<void> {
    if (marks.has(id)) return flushing.get(id)
    marks.add(id)
    const flushed = flush(id, signal)
    flushing.set(id, flushed)
    try {
      await flushed
    } catch (error) {
      marks.delete(id) // it is asked for again
      throw error
    } finally {
      flushing.delete(id)
    }
  }
  return {
    has: (named) => marks.has(idOf(named)),
    took: (named) => marks.delete(idOf(named)),
    async leaveMark({ task, lease, signal }) {
      await mark(idOf({ task, lease }), signal)
      return { kind: 'done' }
    }
  }
}
