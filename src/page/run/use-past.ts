/**
 * The state at a past event of a run. It does not change any more, so it is fetched once; the next one is prefetched, so that nothing
 * flickers from event to event.
 */
import { useRef } from 'preact/hooks'
import { type Answered, useAnswer } from '../use-answer.ts'

const MOST_KEPT = 50

// D920: a value on the page belongs to its address
/**
 * @param path of an answer about the past; undefined: none
 * @param next the path to prefetch
 */
export function usePast<T>(path: string | undefined, next?: string): Answered<T> {
  const kept = useRef(new Map<string, T>()).current
  const isKept = path !== undefined && kept.has(path)
  const asked = useAnswer<T>(isKept ? undefined : path)
  keep(kept, path, asked.value)
  const value = path === undefined ? undefined : kept.get(path)
  const ahead = value !== undefined && next !== undefined && !kept.has(next) ? next : undefined
  keep(kept, ahead, useAnswer<T>(ahead).value)
  return value === undefined ? asked : { value, refresh: asked.refresh }
}

/** Evicts the oldest. */
function keep<T>(kept: Map<string, T>, path: string | undefined, value: T | undefined): void {
  if (path === undefined || value === undefined) return
  kept.set(path, value)
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) return
    kept.delete(oldest)
  }
}
