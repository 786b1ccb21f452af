/** A drawing that can be panned and zoomed, by pointer, by touch and by keys. */
import type { ComponentChildren } from 'preact'
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** Where a drawing begins: centered when it fits, otherwise as wanted, but without a margin. */
const placed = (room: number, length: number, wanted: number): number =>
  length <= room ? (room - length) / 2 : Math.min(0, Math.max(room - length, wanted))

interface Props {
  /** What is drawn, in a few words. */
  label: string
  width: number
  height: number
  /** What must be visible: the view moves there when it changes. */
  reveal?: Box | undefined
  /** Maximum height in px. */
  most?: number
  /** Minimum initial zoom: a larger drawing shows its start instead of all. */
  legible?: number
  isLarge?: boolean
  onKeyDown?: (event: KeyboardEvent) => void
  children: ComponentChildren
}

const STEP = 1.3
/** Space for the buttons. */
const BELOW_PX = 46
/** Below it the less important texts would be too small, and are hidden. */
const NEAR = 0.8
const LEAST = 0.04
const LARGEST = 3
export function Canvas({
  label,
  width,
  height,
  reveal,
  most = 600,
  legible = 0.6,
  isLarge = false,
  onKeyDown,
  children
}: Props) {
  const svg = useRef<SVGSVGElement>(null)
  const group = useRef<SVGGElement>(null)
  const view = useRef({ x: 0, y: 0, zoom: 1 })
  const isMoved = useRef(false)

  const apply = useCallback((x: number, y: number, zoom: number) => {
    view.current = { x, y, zoom }
    // Not by a render: the drawing itself does not change.
    group.current?.setAttribute('transform', `translate(${x} ${y}) scale(${zoom})`)
    group.current?.style.setProperty('--zoom', String(zoom))
    group.current?.classList.toggle('far', zoom < NEAR)
  }, [])
  const size = useCallback(() => {
    const { clientWidth = 1, clientHeight = 1 } = svg.current ?? {}
    return { across: clientWidth, down: clientHeight }
  }, [])
  const fit = useCallback(
    (least = LEAST) => {
      const { across, down } = size()
      const whole = Math.min(1, across / width, down / height)
      const zoom = Math.max(whole, least)
      // A wide drawing begins at its left, in the middle of its height; a tall one at its top.
      apply(
        placed(across, width * zoom, 0),
        placed(down, height * zoom, width * zoom > across ? (down - height * zoom) / 2 : 0),
        zoom
      )
    },
    [width, height, apply, size]
  )
  const zoomBy = (factor: number, at?: { x: number; y: number }) => {
    const { x, y, zoom } = view.current
    isMoved.current = true
    const next = Math.min(LARGEST, Math.max(LEAST, zoom * factor))
    const { across, down } = size()
    const centre = at ?? { x: across / 2, y: down / 2 }
    const grown = next / zoom
    apply(centre.x - (centre.x - x) * grown, centre.y - (centre.y - y) * grown, next)
  }
  const show = () => {
    if (!reveal) return
    const { across, down } = size()
    const { x, y, zoom } = view.current
    const [left, top] = [reveal.x * zoom + x, reveal.y * zoom + y]
    const [right, bottom] = [left + reveal.width * zoom, top + reveal.height * zoom]
    if (left >= 0 && top >= 0 && right <= across && bottom <= down) return
    apply(
      placed(across, width * zoom, across / 2 - (reveal.x + reveal.width / 2) * zoom),
      placed(down, height * zoom, down / 2 - (reveal.y + reveal.height / 2) * zoom),
      zoom
    )
  }
  const begin = useRef(() => {})
  begin.current = () => {
    fit(legible)
    show()
  }
  // Until the visitor moves it, the drawing fits the size of its place.
  useLayoutEffect(() => {
    isMoved.current = false
    begin.current()
    const watcher = new ResizeObserver(() => isMoved.current || begin.current())
    if (svg.current) watcher.observe(svg.current)
    return () => watcher.disconnect()
  }, [width, height])
  useLayoutEffect(show, [reveal?.x, reveal?.y])

  const drag = (down: PointerEvent) => {
    if (down.button !== 0) return
    const start = { ...view.current }
    const move = ({ clientX, clientY }: PointerEvent) => {
      isMoved.current = true
      apply(start.x + clientX - down.clientX, start.y + clientY - down.clientY, start.zoom)
    }
    const end = () => {
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', end)
    }
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
  }
  const wheel = (event: WheelEvent) => {
    // Without Ctrl the page scrolls, as everywhere.
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const { left = 0, top = 0 } = svg.current?.getBoundingClientRect() ?? {}
    zoomBy(event.deltaY < 0 ? 1.1 : 1 / 1.1, { x: event.clientX - left, y: event.clientY - top })
  }
  const keys = (event: KeyboardEvent) => {
    const act = { '+': () => zoomBy(STEP), '=': () => zoomBy(STEP), '-': () => zoomBy(1 / STEP), '0': () => fit() }[
      event.key
    ]
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return onKeyDown?.(event)
    event.preventDefault()
    act()
  }
  return (
    <div class={`canvas ${isLarge ? 'large' : ''}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: an SVG has no other element for it */}
      <svg
        ref={svg}
        style={{ height: `${Math.max(160, Math.min(most, height + BELOW_PX))}px` }}
        role="group"
        aria-label={label}
        onPointerDown={drag}
        onWheel={wheel}
        onKeyDown={keys}
      >
        <g ref={group}>{children}</g>
      </svg>
      <div class="canvas-buttons">
        <button type="button" class="plain round" aria-label="Zoom in" onClick={() => zoomBy(STEP)}>
          <Icon name="plus" />
        </button>
        <button type="button" class="plain round" aria-label="Zoom out" onClick={() => zoomBy(1 / STEP)}>
          <Icon name="minus" />
        </button>
        <button type="button" class="plain round" aria-label="Fit to view" onClick={() => fit()}>
          <Icon name="fit" />
        </button>
      </div>
    </div>
  )
}
