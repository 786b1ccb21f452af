/** When which delivery of a target is due: an instant and an id each, however large they are. */
import { heapOf } from '../schedule/heap.ts'

export interface Timetable {
  readonly size: number
  /** Whether an event has an instant: it waits, and is not being sent. */
  isDue(id: string): boolean
  /** Replaces the instant that it had. */
  put(id: string, dueAt: number): void
  remove(id: string): void
  /** The earliest instant; undefined: there is none. */
  next(): number | undefined
  /** Takes one whose time has come; it is still known, without an instant. */
  take(now: number): string | undefined
}

/** Replaced and removed entries stay in the heap until they are this many more than those that count. */
const STALE = 1_000

export function openTimetable(): Timetable {
  /** Undefined: it was taken. */
  const known = new Map<string, number | undefined>()
  const heap = heapOf<{ next: number; id: string }>()
  let size = 0
  const isStale = ({ id, next }: { id: string; next: number }) => known.get(id) !== next
  function drop(): void {
    for (let first = heap.first(); first && isStale(first); first = heap.first()) {
      heap.take()
      size--
    }
  }
  function add(id: string, next: number): void {
    heap.add({ id, next })
    size++
    if (size <= 2 * known.size + STALE) return
    heap.clear()
    size = 0
    for (const [id, next] of known)
      if (next !== undefined) {
        heap.add({ id, next })
        size++
      }
  }
  return {
    get size() {
      return known.size
    },
    isDue: (id) => known.get(id) !== undefined,
    put(id, dueAt) {
      known.set(id, dueAt)
      add(id, dueAt)
    },
    remove: (id) => void known.delete(id),
    next() {
      drop()
      return heap.first()?.next
    },
    take(now) {
      drop()
      const first = heap.first()
      if (!first || first.next > now) return undefined
      heap.take()
      size--
      known.set(first.id, undefined)
      return first.id
    }
  }
}
