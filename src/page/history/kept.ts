/**
 * What a view had when the visitor left it: how far it was scrolled, and what was loaded on request. Each entry of the browser's history
 * has its own, so that Back shows what was there.
 */
import { useCallback, useState } from 'preact/hooks'
import { after } from '../clock.ts'

const MOST_ENTRIES = 30
/** How long a view may take to be as high again as it was. */
const PATIENCE_MS = 3_000

/** By entry of the history. */
const kept = new Map<number, Map<string, unknown>>()
let count = 0
let current = 0

const isEntry = (state: unknown): state is { entry: number } => typeof Object(state).entry === 'number'

function valuesOf(entry: number): Map<string, unknown> {
  const found = kept.get(entry) ?? new Map()
  kept.delete(entry)
  kept.set(entry, found)
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_ENTRIES) break
    kept.delete(oldest)
  }
  return found
}

/** A state that is there again after Back. @param key within the view */
export function useKept<T>(key: string): [T | undefined, (value: T) => void] {
  const entry = current
  const [value, setValue] = useState(() => valuesOf(entry).get(key) as T | undefined) // only this hook writes it
  const set = useCallback(
    (next: T) => {
      valuesOf(entry).set(key, next)
      setValue(next)
    },
    [entry, key]
  )
  return [value, set]
}

/** Gives the present entry of the history a number. @returns whether the visitor has been there: it was reached by Back or Forward */
export function arrive(): boolean {
  const { state } = history
  const isKnown = isEntry(state) && kept.has(state.entry)
  if (isEntry(state)) count = Math.max(count, state.entry)
  else history.replaceState({ entry: count + 1 }, '')
  current = isEntry(history.state) ? history.state.entry : 0
  count = Math.max(count, current)
  return isKnown
}

/** Follows how far the present entry is scrolled. Called once. */
export function keepScroll(): void {
  history.scrollRestoration = 'manual'
  addEventListener('scroll', () => valuesOf(current).set('scroll', scrollY), { passive: true })
}

/** Scrolls to where the visitor was; a view that is still loading becomes as high as it was in a while. */
export function scrollBack(): void {
  const wanted = Number(valuesOf(current).get('scroll') ?? 0)
  const entry = current
  const end = () => {
    watcher.disconnect()
    callOff()
    for (const name of OWN) removeEventListener(name, end)
  }
  const attempt = () => {
    if (entry !== current) return end()
    if (document.documentElement.scrollHeight - innerHeight < wanted) return
    scrollTo(0, wanted)
    end()
  }
  const watcher = new ResizeObserver(attempt)
  const callOff = after(PATIENCE_MS, end)
  for (const name of OWN) addEventListener(name, end, { passive: true })
  watcher.observe(document.body)
  attempt()
}
/** The visitor scrolls: nothing else does. */
const OWN = ['wheel', 'touchmove', 'keydown'] as const
