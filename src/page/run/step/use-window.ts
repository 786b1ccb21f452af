/** Which rows of a long table are in sight: only these are in the document. Their height is that of the first one. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** A shorter table is drawn whole, and its rows are as high as their texts. */
export const MOST_WHOLE = 150
const SPARE_ROWS = 10
/** Before one is measured. */
const ROW_PX = 40

/** @param box scrolls; it has a table @param count of rows */
export function useWindow(
  box: RefObject<HTMLElement | null>,
  count: number
): { first: number; last: number; rowPx: number } {
  const [{ top, height, rowPx }, setView] = useState({ top: 0, height: 800, rowPx: ROW_PX })
  const isLong = count > MOST_WHOLE
  useLayoutEffect(() => {
    const place = box.current
    if (!place || !isLong) return
    const look = () => {
      const row = place.querySelector<HTMLElement>('tbody tr:not(.gap)')
      setView({ top: place.scrollTop, height: place.clientHeight, rowPx: row?.offsetHeight || ROW_PX })
    }
    look()
    const watcher = new ResizeObserver(look)
    watcher.observe(place)
    place.addEventListener('scroll', look, { passive: true })
    return () => {
      watcher.disconnect()
      place.removeEventListener('scroll', look)
    }
  }, [isLong])
  if (!isLong) return { first: 0, last: count, rowPx }
  const first = Math.min(count, Math.max(0, Math.floor(top / rowPx) - SPARE_ROWS))
  return { first, last: Math.min(count, first + Math.ceil(height / rowPx) + 2 * SPARE_ROWS), rowPx }
}
