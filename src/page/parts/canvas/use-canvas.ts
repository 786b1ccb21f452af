/** The view of a drawing: moved and zoomed by pointer, by one or two fingers, by the wheel and by keys. */
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks'
import { type Box, beginningOf } from './beginning.ts'

/** The part of a drawing that is in sight, in its units. */
export interface Sight extends Box {
  zoom: number
}

/** Where a drawing begins: centered when it fits, otherwise as wanted, but without a margin. */
const placed = (room: number, length: number, wanted: number): number =>
  length <= room ? (room - length) / 2 : Math.min(0, Math.max(room - length, wanted))

/** Below it the less important texts would be too small, and are hidden; below the other one, all of them. */
const NEAR = 0.85
export const TINY = 0.6
const LEAST = 0.04
const LARGEST = 3
/** In full screen, at first. */
const LARGEST_WHOLE = 1.8
export const STEP = 1.3

interface Options {
  /** The drawing has the whole screen: it is as large as there is room, larger than it is drawn, too. */
  isFull: boolean
  width: number
  height: number
  /** The part that must be visible: at first in the middle; the view moves there when it changes. */
  reveal?: Box | undefined
  /** Where a drawing that does not fit begins while nothing must be visible. */
  start?: Box | undefined
  /** Minimum initial zoom: a larger drawing shows its start instead of all. */
  legible: number
  /** What is not cut off at an edge when it begins. With them, all of it is shown as long as names can be read. */
  boxes: readonly Box[]
  onSight?: ((sight: Sight) => void) | undefined
}

export function useCanvas({ isFull, width, height, reveal, start, legible, boxes, onSight }: Options) {
  const svg = useRef<SVGSVGElement>(null)
  const group = useRef<SVGGElement>(null)
  const view = useRef({ x: 0, y: 0, zoom: 1 })
  const isMoved = useRef(false)
  const frame = useRef(0)
  const told = useRef(onSight)
  told.current = onSight

  const size = useCallback(() => {
    const { clientWidth = 1, clientHeight = 1 } = svg.current ?? {}
    return { across: clientWidth, down: clientHeight }
  }, [])
  const apply = useCallback((x: number, y: number, zoom: number) => {
    view.current = { x, y, zoom }
    const drawn = group.current
    // Not by a render: the drawing itself does not change.
    drawn?.setAttribute('transform', `translate(${x} ${y}) scale(${zoom})`)
    drawn?.style.setProperty('--zoom', String(zoom))
    drawn?.classList.toggle('far', zoom < NEAR)
    drawn?.classList.toggle('tiny', zoom < TINY)
    if (frame.current !== 0 || !told.current) return
    frame.current = requestAnimationFrame(() => {
      frame.current = 0
      const { across, down } = size()
      const { x, y, zoom } = view.current
      told.current?.({ x: -x / zoom, y: -y / zoom, width: across / zoom, height: down / zoom, zoom })
    })
  }, [])
  const fit = useCallback(() => {
    const { across, down } = size()
    const zoom = Math.max(LEAST, Math.min(isFull ? LARGEST_WHOLE : 1, across / width, down / height))
    apply(placed(across, width * zoom, 0), placed(down, height * zoom, 0), zoom)
  }, [width, height, isFull, apply, size])
  const zoomBy = (factor: number, at?: { x: number; y: number }) => {
    const { x, y, zoom } = view.current
    isMoved.current = true
    const next = Math.min(LARGEST, Math.max(LEAST, zoom * factor))
    const { across, down } = size()
    const centre = at ?? { x: across / 2, y: down / 2 }
    const grown = next / zoom
    apply(centre.x - (centre.x - x) * grown, centre.y - (centre.y - y) * grown, next)
  }
  /** Moves so that the middle of a box is in the middle. */
  const centre = (box: Box) => {
    const { across, down } = size()
    const zoom = Math.max(view.current.zoom, Math.min(legible, 1))
    apply(
      placed(across, width * zoom, across / 2 - (box.x + box.width / 2) * zoom),
      placed(down, height * zoom, down / 2 - (box.y + box.height / 2) * zoom),
      zoom
    )
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
    const { across, down } = size()
    const least = boxes.length > 0 ? TINY : legible
    if (Math.min(across / width, down / height) >= least) return fit()
    // A wide drawing begins at its left, in the middle of its height; a tall one at its top.
    const atFirst = { x: 0, y: width * legible > across ? height / 2 : 0, width: 0, height: 0 }
    const { x, y, zoom } = beginningOf({
      across,
      down,
      width,
      height,
      boxes,
      wanted: reveal ?? start ?? atFirst,
      legible,
      least
    })
    apply(x, y, zoom)
  }
  // Until the visitor moves it, the drawing fits the size of its place.
  useLayoutEffect(() => {
    isMoved.current = false
    begin.current()
    const watcher = new ResizeObserver(() => isMoved.current || begin.current())
    if (svg.current) watcher.observe(svg.current)
    return () => {
      watcher.disconnect()
      cancelAnimationFrame(frame.current)
      frame.current = 0
    }
  }, [width, height, isFull])
  useLayoutEffect(show, [reveal?.x, reveal?.y])

  const fingers = useRef(new Map<number, { x: number; y: number }>()).current
  const press = (event: PointerEvent) => {
    if (event.button !== 0) return
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
    if (fingers.size > 1) return
    const move = ({ pointerId, clientX, clientY }: PointerEvent) => {
      const before = fingers.get(pointerId)
      if (!before) return
      isMoved.current = true
      const { x, y, zoom } = view.current
      const [other] = [...fingers].filter(([id]) => id !== pointerId).map(([, place]) => place)
      if (!other) apply(x + clientX - before.x, y + clientY - before.y, zoom)
      else {
        const spread = (place: { x: number; y: number }) =>
          Math.max(1, Math.hypot(place.x - other.x, place.y - other.y))
        const { left = 0, top = 0 } = svg.current?.getBoundingClientRect() ?? {}
        zoomBy(spread({ x: clientX, y: clientY }) / spread(before), { x: other.x - left, y: other.y - top })
      }
      fingers.set(pointerId, { x: clientX, y: clientY })
    }
    const end = ({ pointerId }: PointerEvent) => {
      fingers.delete(pointerId)
      if (fingers.size > 0) return
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
  return { svg, group, fit, zoomBy, centre, press, wheel }
}
