/** A list of rows of the same height, of which only those in sight are in the document. Arrow keys move the choice. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props<T> {
  label: string
  /** The things that have a row, in their order. */
  of: readonly T[]
  rowPx: number
  /** Index of the chosen row, which stays in sight; -1: none. */
  chosen: number
  onChoose: (one: T) => void
  /** An `Option` with the id `idOf`. */
  row: (one: T, index: number) => ComponentChildren
  idOf: (one: T) => string
  /** For the styles. */
  kind?: string
  /** Width of the content; a wider one than the list scrolls sideways. Absent: as wide as the list. */
  width?: number
  /** Told when it scrolls, sideways too. */
  onScroll?: (box: HTMLElement) => void
  /** Stays on top, such as the heads of columns. */
  head?: ComponentChildren
}

interface OptionProps {
  id: string
  kind: string
  title?: string | undefined
  isChosen: boolean
  onChoose: () => void
  children: ComponentChildren
}

/** A row that can be chosen. */
export const Option = ({ id, kind, title, isChosen, onChoose, children }: OptionProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys for its rows
  // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
  <div id={id} class={kind} role="option" title={title} aria-selected={isChosen} onClick={onChoose}>
    {children}
  </div>
)

const SPARE_ROWS = 8

export function Windowed<T>({
  label,
  of: all,
  rowPx,
  chosen,
  onChoose,
  row,
  idOf,
  kind = '',
  width,
  onScroll,
  head
}: Props<T>) {
  const count = all.length
  const box = useRef<HTMLDivElement>(null)
  const [{ top, height }, setView] = useState({ top: 0, height: 480 })
  const look = () => {
    const list = box.current
    if (!list) return
    setView({ top: list.scrollTop, height: list.clientHeight })
    onScroll?.(list)
  }
  useLayoutEffect(() => {
    look()
    const watcher = new ResizeObserver(look)
    if (box.current) watcher.observe(box.current)
    return () => watcher.disconnect()
  }, [])
  useEffect(() => {
    const list = box.current
    if (!list || chosen < 0) return
    const place = chosen * rowPx
    if (place < list.scrollTop || place + 2 * rowPx > list.scrollTop + list.clientHeight)
      list.scrollTop = place - list.clientHeight / 2
  }, [chosen, rowPx])
  const first = Math.max(0, Math.floor(top / rowPx) - SPARE_ROWS)
  const last = Math.min(count, first + Math.ceil(height / rowPx) + 2 * SPARE_ROWS)
  const keys = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / rowPx) - 1)
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count }[event.key]
    if (!step || count === 0) return
    event.preventDefault()
    const next = all[Math.min(count - 1, Math.max(0, chosen + step))]
    if (next !== undefined) onChoose(next)
  }
  const shown = chosen >= first && chosen < last ? all[chosen] : undefined
  return (
    <div
      ref={box}
      class={`windowed ${kind}`}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={shown === undefined ? undefined : idOf(shown)}
      onScroll={look}
      onKeyDown={keys}
    >
      {head}
      <div
        style={{ height: `${count * rowPx}px`, ...(width === undefined ? {} : { width: `${width}px` }) }}
        role="presentation"
      >
        <div style={{ transform: `translateY(${first * rowPx}px)` }} role="presentation">
          {all.slice(first, last).map((one, at) => row(one, first + at))}
        </div>
      </div>
    </div>
  )
}
