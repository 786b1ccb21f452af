/** The steps of a run as a graph, each with its state. Arrow keys move along the lines. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Label, Step } from '../../answers.ts'
import { Canvas } from '../../parts/canvas.tsx'
import { StatusShape } from '../../parts/icon.tsx'
import { memo } from '../../parts/memo.tsx'
import { Problem } from '../../parts/problem.tsx'
import { shortened, statusText } from '../../text.ts'
import { useLayout } from './dag-layout.ts'
import type { DagLayout, DagShape } from './dag-shape.ts'

export interface DagNode {
  name: string
  isHandler: boolean
  depends: readonly string[]
  /** Undefined: it is a definition, not a run, or its state is not known yet. */
  label?: Label
  /** Its state is not known yet. */
  isAwaited?: boolean
  /** A second line. */
  detail: string
}

interface Props {
  nodes: readonly DagNode[]
  /** Changes with the nodes and lines, but not with the texts of the nodes. */
  graphKey: string
  selected: string | undefined
  onSelect: (name: string) => void
  /** A node was clicked, or opened with Enter; the arrow keys only select. Absent: the same as `onSelect`. */
  onOpen?: (name: string) => void
}

/** Identifies what is drawn: equal keys share a layout. */
export const graphKeyOf = (steps: readonly Step[]): string =>
  JSON.stringify(steps.map(({ name, depends = [] }) => [name, ...depends]))

const SIZE = { width: 172, height: 46 } as const
const MOST_HEIGHT_PX = 600
/** A larger graph has no animations: it would be repainted all the time. */
const MOST_MOVING = 200
const HANDLER_GAP = 56

export function DagView({ nodes, graphKey, selected, onSelect, onOpen = onSelect }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => setWidth(place.current?.clientWidth ?? innerWidth), [])
  const key = `${width} ${graphKey}`
  const shape = useMemo(() => shapeOf(nodes, width), [key])
  const { layout: steps, refusal } = useLayout(shape, key)
  const laid = useMemo(() => steps && withHandlers(steps, nodes), [steps, key])
  const lines = useMemo(() => laid?.lines.map(({ path }) => path).join(''), [laid])
  if (refusal) return <Problem refusal={refusal} />
  if (!laid)
    return (
      <div ref={place} class="canvas-wait" aria-busy="true">
        <p class="soft">Drawing…</p>
      </div>
    )
  const chosenPlace = selected === undefined ? undefined : laid.places[selected]
  const near = laid.lines.filter(({ from, to }) => from === selected || to === selected)
  const chosen = chosenPlace ? selected : nodes[0]?.name

  const move = (event: KeyboardEvent) => {
    const next = event.key.startsWith('Arrow') && chosen !== undefined && neighbour(laid, chosen, event.key)
    if (!next) return
    event.preventDefault()
    onSelect(next)
    document.getElementById(`dag-${next}`)?.focus()
  }
  return (
    <Canvas
      label={`Graph of ${nodes.length} steps`}
      width={laid.width}
      height={laid.height}
      isLarge={nodes.length > MOST_MOVING}
      most={MOST_HEIGHT_PX}
      reveal={chosenPlace && { x: chosenPlace.x - SIZE.width / 2, y: chosenPlace.y - SIZE.height / 2, ...SIZE }}
      onKeyDown={move}
    >
      <path class="dag-lines" d={lines} />
      {near.map(({ from, to, path }) => (
        <path key={`${from} ${to}`} class="dag-lines near" d={path} />
      ))}
      {laid.bar !== undefined && (
        <text class="dag-part" x={16} y={laid.bar}>
          Handlers
        </text>
      )}
      {nodes.map(({ name, label, isAwaited = false, detail }) => {
        const at = laid.places[name]
        return (
          at && (
            <NodeBox
              key={name}
              name={name}
              label={label}
              isOfRun={label !== undefined || isAwaited}
              detail={detail}
              x={at.x}
              y={at.y}
              isSelected={name === selected}
              isReached={name === chosen}
              onOpen={onOpen}
            />
          )
        )
      })}
    </Canvas>
  )
}

interface BoxProps {
  name: string
  label: Label | undefined
  isOfRun: boolean
  detail: string
  x: number
  y: number
  isSelected: boolean
  /** By the Tab key. */
  isReached: boolean
  onOpen: (name: string) => void
}

/** With the full name: the drawing may shorten it. */
const spoken = (name: string, label: Label | undefined, detail: string) =>
  [name, ...new Set([label ? statusText(label) : '', detail])].filter((text) => text !== '').join(', ')

const NodeBox = memo(({ name, label, isOfRun, detail, x, y, isSelected, isReached, onOpen }: BoxProps) => (
  // biome-ignore lint/a11y/useSemanticElements: an SVG has no button
  <g
    id={`dag-${name}`}
    class={`dag-node ${label ? `s-${label}` : ''}`}
    transform={`translate(${x - SIZE.width / 2} ${y - SIZE.height / 2})`}
    role="button"
    tabindex={isReached ? 0 : -1}
    aria-pressed={isSelected}
    onClick={() => onOpen(name)}
    onKeyDown={(event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return
      event.preventDefault()
      onOpen(name)
    }}
  >
    <title>{spoken(name, label, detail)}</title>
    <rect class="dag-box" width={SIZE.width} height={SIZE.height} rx={9} />
    {label && (
      <g transform="translate(11 15)">
        <StatusShape label={label} />
      </g>
    )}
    <text class="dag-name" x={isOfRun ? 36 : 14} y={detail ? 20 : 28}>
      {shortened(name, isOfRun ? 14 : 17)}
    </text>
    {detail && (
      <text class="dag-detail" x={isOfRun ? 36 : 14} y={36}>
        {shortened(detail, isOfRun ? 20 : 23)}
      </text>
    )}
  </g>
))

function shapeOf(nodes: readonly DagNode[], width: number): DagShape {
  const steps = nodes.filter(({ isHandler }) => !isHandler)
  const known = new Set(steps.map(({ name }) => name))
  const edges = steps.flatMap(({ name, depends }) =>
    depends.filter((before) => known.has(before)).map((before) => [before, name] as const)
  )
  return { nodes: steps.map(({ name }) => ({ id: name, ...SIZE })), edges, room: { width, height: MOST_HEIGHT_PX } }
}

/** Handlers are in a separate row: no line leads to them. `bar`: where the row's title goes. */
function withHandlers(laid: DagLayout, nodes: readonly DagNode[]): DagLayout & { bar?: number } {
  const handlers = nodes.filter(({ isHandler }) => isHandler)
  if (handlers.length === 0) return laid
  const inRow = Math.max(1, Math.floor((Math.max(laid.width, SIZE.width * 2) - 16) / (SIZE.width + 18)))
  const places = { ...laid.places }
  for (const [at, { name }] of handlers.entries())
    places[name] = {
      x: 16 + SIZE.width / 2 + (at % inRow) * (SIZE.width + 18),
      y: laid.height + HANDLER_GAP + Math.floor(at / inRow) * (SIZE.height + 18)
    }
  const rows = Math.ceil(handlers.length / inRow)
  const width = Math.max(laid.width, 32 + Math.min(inRow, handlers.length) * (SIZE.width + 18))
  const height = laid.height + HANDLER_GAP + rows * (SIZE.height + 18)
  return { ...laid, places, width, height, bar: laid.height + HANDLER_GAP - SIZE.height / 2 - 12 }
}

/** The nearest node in the direction of an arrow key; sideways distance counts twice. */
function neighbour({ places }: DagLayout, from: string, key: string): string | undefined {
  const start = places[from]
  if (!start) return undefined
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const [name, { x, y }] of Object.entries(places)) {
    const [right, down] = [x - start.x, y - start.y]
    const ahead = { ArrowRight: right, ArrowLeft: -right, ArrowDown: down, ArrowUp: -down }[key] ?? 0
    const aside = Math.abs(key === 'ArrowRight' || key === 'ArrowLeft' ? down : right)
    if (ahead > 1 && ahead + 2 * aside < least) {
      least = ahead + 2 * aside
      best = name
    }
  }
  return best
}
