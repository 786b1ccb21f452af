/**
 * On a narrow screen the panel of a step is far below the graph: opening a step scrolls there, and closing it scrolls back. On a wide
 * screen both are visible, and nothing moves.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** @param select shows another step, or the run */
export function usePanel(select: (step: string | undefined) => void) {
  const place = useRef<HTMLDivElement>(null)
  const inspector = useRef<HTMLElement>(null)
  const opener = useRef<HTMLElement | SVGElement | null>(null)
  const [opened, setOpened] = useState(0)
  const open = useCallback(
    (step: string) => {
      const { activeElement } = document
      if (activeElement instanceof HTMLElement || activeElement instanceof SVGElement) opener.current = activeElement
      select(step)
      setOpened((count) => count + 1)
    },
    [select]
  )
  const close = useCallback(() => {
    const isBelow = inspector.current !== null && isOneColumn(place.current)
    const back = opener.current
    select(undefined)
    if (!isBelow || !back?.isConnected) return
    back.focus({ preventScroll: true })
    back.scrollIntoView({ block: 'center' })
  }, [select])
  useEffect(() => {
    const panel = inspector.current
    if (opened === 0 || !panel || !isOneColumn(place.current)) return
    panel.scrollIntoView({ block: 'start' })
    panel.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true })
  }, [opened])
  return { place, inspector, open, close }
}

/** The style sheet decides by the width of the window. */
const isOneColumn = (parts: HTMLElement | null): boolean =>
  parts !== null && !getComputedStyle(parts).gridTemplateColumns.includes(' ')
