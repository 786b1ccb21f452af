/** A drawing that can be panned and zoomed, by pointer, by touch and by keys. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Icon } from '../icon.tsx'
import type { Box } from './beginning.ts'
import { type Sight, STEP, useCanvas } from './use-canvas.ts'
import { useFullScreen } from './use-full-screen.ts'

interface Props {
  /** What is drawn, in a few words. */
  label: string
  width: number
  height: number
  /** The part that must be visible: the view moves there when it changes. */
  reveal?: Box | undefined
  /** Where it begins while nothing must be visible. */
  start?: Box | undefined
  /** What failed: a button goes from one to the next. */
  failures?: readonly Box[]
  /** Maximum height in px. */
  most?: number
  /** Minimum initial zoom: a larger drawing shows its start instead of all. */
  legible?: number
  /** What is not cut off at an edge when it begins. */
  boxes?: readonly Box[]
  isLarge?: boolean
  /** A small drawing of all of it, shown beside a drawing that does not fit. */
  overview?: ComponentChildren
  onSight?: ((sight: Sight) => void) | undefined
  onKeyDown?: (event: KeyboardEvent) => void
  /** Beside the drawing, such as a field to find something in it. */
  beside?: ComponentChildren
  children: ComponentChildren
}

/** Space for the buttons. */
const BELOW_PX = 46
const NONE: readonly Box[] = []

export function Canvas(props: Props) {
  const {
    label,
    width,
    height,
    reveal,
    start,
    failures = NONE,
    most = 600,
    legible = 0.6,
    boxes = NONE,
    isLarge = false
  } = props
  const { overview, onSight, onKeyDown, beside, children } = props
  const [sight, setSight] = useState<Sight>()
  const seen = (next: Sight) => {
    if (overview) setSight(next)
    onSight?.(next)
  }
  const full = useFullScreen()
  const isFull = full.isFull !== undefined
  const canvas = useCanvas({
    isFull,
    width,
    height,
    reveal,
    start,
    legible,
    boxes,
    onSight: overview || onSight ? seen : undefined
  })
  const { svg, group, fit, zoomBy, centre, press, wheel } = canvas
  const failure = useRef(-1)
  const nextFailure = () => {
    failure.current = (failure.current + 1) % failures.length
    const box = failures[failure.current]
    if (box) centre(box)
  }
  const keys = (event: KeyboardEvent) => {
    const act = {
      F: full.toggle,
      '+': () => zoomBy(STEP),
      '=': () => zoomBy(STEP),
      '-': () => zoomBy(1 / STEP),
      '0': () => fit()
    }[event.key]
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return onKeyDown?.(event)
    event.preventDefault()
    act()
  }
  const isPart = sight !== undefined && (sight.width < width - 1 || sight.height < height - 1)
  return (
    <div ref={full.place} class={`canvas ${isLarge ? 'large' : ''} ${full.isFull === 'window' ? 'filling' : ''}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: an SVG has no other element for it */}
      <svg
        ref={svg}
        style={{ '--height': isFull ? '100%' : `${Math.max(160, Math.min(most, height + BELOW_PX))}px` }}
        role="group"
        aria-label={label}
        onPointerDown={press}
        onWheel={wheel}
        onKeyDown={keys}
      >
        <g ref={group}>{children}</g>
      </svg>
      {beside}
      {overview && sight && isPart && (
        <Minimap width={width} height={height} sight={sight} onGo={centre}>
          {overview}
        </Minimap>
      )}
      <p class="canvas-hint">Pinch to zoom</p>
      <div class="canvas-buttons">
        {failures.length > 0 && (
          <button
            type="button"
            class="plain round"
            aria-label="Next failure"
            title="Next failure"
            onClick={nextFailure}
          >
            <Icon name="flag" />
          </button>
        )}
        <button type="button" class="plain round" aria-label="Zoom in" onClick={() => zoomBy(STEP)}>
          <Icon name="plus" />
        </button>
        <button type="button" class="plain round" aria-label="Zoom out" onClick={() => zoomBy(1 / STEP)}>
          <Icon name="minus" />
        </button>
        <button
          type="button"
          class="plain round"
          aria-label="Fit to view"
          title="Fit to view (0)"
          onClick={() => fit()}
        >
          <Icon name="fit" />
        </button>
        <button
          type="button"
          class="plain round"
          aria-label="Full screen"
          aria-pressed={isFull}
          title={isFull ? 'Leave full screen (Escape)' : 'Full screen (Shift-F)'}
          onClick={full.toggle}
        >
          <Icon name={isFull ? 'leaveFull' : 'full'} />
        </button>
      </div>
    </div>
  )
}

const MAP_PX = { width: 168, height: 96 }
/** On a phone it would hide too much. */
const NARROW_PX = 700

interface MinimapProps {
  width: number
  height: number
  sight: Sight
  onGo: (box: Box) => void
  children: ComponentChildren
}

/** All of a drawing, with what is in sight. For the pointer only: the keys of the drawing lead everywhere, too. */
function Minimap({ width, height, sight, onGo, children }: MinimapProps) {
  const share = innerWidth < NARROW_PX ? 0.6 : 1
  const scale = Math.min(MAP_PX.width / width, MAP_PX.height / height) * share
  const go = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof Element) || event.buttons === 0) return
    const { left, top } = event.currentTarget.getBoundingClientRect()
    onGo({ x: (event.clientX - left) / scale, y: (event.clientY - top) / scale, width: 0, height: 0 })
  }
  return (
    <svg
      class="minimap"
      width={width * scale}
      height={height * scale}
      aria-hidden="true"
      onPointerDown={go}
      onPointerMove={go}
    >
      <g transform={`scale(${scale})`}>
        {children}
        <rect class="in-sight" x={sight.x} y={sight.y} width={sight.width} height={sight.height} />
      </g>
    </svg>
  )
}
