/** The steps of a run as a graph, each with its state. Arrow keys move along the lines. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Label, Step } from '../../answers.ts'
import { Canvas } from '../../parts/canvas/canvas.tsx'
import { type Sight, TINY } from '../../parts/canvas/use-canvas.ts'
import { Problem } from '../../parts/problem.tsx'
import { useLayout } from './dag-layout.ts'
import type { DagLayout, DagShape } from './dag-shape.ts'
import { NodeBox, SIZE } from './node-box.tsx'
import { Overview } from './overview.tsx'
import { matching, StepFinder } from './step-finder.tsx'

export interface DagNode {
  name: string
  isHandler: boolean
  depends: readonly string[]
  /** Undefined: it is a definition, not a run, or its state is not known yet. */
  label?: Label
  /** The state of the node is not known yet. */
  isAwaited?: boolean
  /** The node waits for something outside. */
  isWaiting?: boolean
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

const MOST_HEIGHT_PX = 600
/** Texts are at least 11 px high at first, whatever the size of the graph. */
const LEGIBLE = 0.86
// D1294: of a graph of more than 150 steps, only those in sight are drawn with their texts
/** In a larger graph, steps out of sight are drawn as plain boxes. */
const MOST_WHOLE = 150
/** A larger graph has no animations: it would be repainted all the time. */
const MOST_MOVING = 200
const HANDLER_GAP = 56

export function DagView({ nodes, graphKey, selected, onSelect, onOpen = onSelect }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState({ width: 0, height: 0 })
  const [sight, setSight] = useState<Sight>()
  const [wanted, setWanted] = useState('')
  // D1723: the views of a run have what is left of the window
  useLayoutEffect(() => {
    const { clientWidth = innerWidth, clientHeight = 0 } = place.current ?? {}
    setRoom({ width: clientWidth, height: Math.max(MOST_HEIGHT_PX, clientHeight) })
  }, [])
  const key = `${room.width} ${room.height} ${graphKey}`
  const shape = useMemo(() => shapeOf(nodes, room), [key])
  const { layout: steps, refusal } = useLayout(shape, key)
  const laid = useMemo(() => steps && withHandlers(steps, nodes), [steps, key])
  const lines = useMemo(() => laid?.lines.map(({ path }) => path).join(''), [laid])
  const boxes = useMemo(() => Object.values(laid?.places ?? {}).map(boxAt), [laid])
  const names = useMemo(() => nodes.map(({ name }) => name), [nodes])
  const found = useMemo(() => new Set(matching(names, wanted)), [names, wanted])
  const isLarge = nodes.length > MOST_WHOLE
  if (refusal) return <Problem refusal={refusal} />
  if (!laid)
    return (
      <div ref={place} class="canvas-wait" aria-busy="true">
        <p class="soft">Drawing…</p>
      </div>
    )
  const boxOf = (name: string | undefined) => {
    const at = name === undefined ? undefined : laid.places[name]
    return at && boxAt(at)
  }
  const failed = nodes.filter(({ label }) => label === 'failed').map(({ name }) => name)
  const near = laid.lines.filter(({ from, to }) => from === selected || to === selected)
  const chosen = boxOf(selected) ? selected : nodes[0]?.name
  const isDrawn = ({ name }: DagNode) => !isLarge || name === chosen || isInSight(laid.places[name], sight)

  const move = (event: KeyboardEvent) => {
    const next = event.key.startsWith('Arrow') && chosen !== undefined && neighbour(laid, chosen, event.key)
    if (!next) return
    event.preventDefault()
    onSelect(next)
    // A step that was out of sight is drawn first.
    requestAnimationFrame(() => document.getElementById(`dag-${next}`)?.focus())
  }
  return (
    <Canvas
      label={`Graph of ${nodes.length} steps`}
      width={laid.width}
      height={laid.height}
      isLarge={nodes.length > MOST_MOVING}
      most={MOST_HEIGHT_PX}
      legible={LEGIBLE}
      // A run that failed begins with its first failure in sight.
      reveal={boxOf(selected) ?? boxOf(failed[0])}
      start={boxOf((nodes.find(({ label }) => label === 'running') ?? nodes[0])?.name)}
      boxes={boxes}
      failures={failed.flatMap((name) => boxOf(name) ?? [])}
      overview={<Overview nodes={nodes} places={laid.places} onOpen={undefined} />}
      onSight={isLarge ? setSight : undefined}
      onKeyDown={move}
      beside={<StepFinder names={names} text={wanted} onText={setWanted} onGo={onSelect} />}
    >
      <path class="dag-lines" d={lines} />
      {near.map(({ from, to, path }) => (
        <path key={`${from} ${to}`} class="dag-lines near" d={path} />
      ))}
      {isLarge && (!sight || sight.zoom < TINY) && <Overview nodes={nodes} places={laid.places} onOpen={onOpen} />}
      {laid.bar !== undefined && (
        <text class="dag-part" x={16} y={laid.bar}>
          Handlers
        </text>
      )}
      {nodes.filter(isDrawn).map(({ name, label, isAwaited = false, isWaiting = false, detail }) => {
        const at = laid.places[name]
        return (
          at && (
            <NodeBox
              key={name}
              name={name}
              label={label}
              isWaiting={isWaiting}
              isOfRun={label !== undefined || isAwaited}
              detail={detail}
              x={at.x}
              y={at.y}
              isSelected={name === selected}
              isReached={name === chosen}
              isFound={found.has(name)}
              onOpen={onOpen}
            />
          )
        )
      })}
    </Canvas>
  )
}

const boxAt = ({ x, y }: { x: number; y: number }) => ({ x: x - SIZE.width / 2, y: y - SIZE.height / 2, ...SIZE })

/** Whether a step of a large graph is in sight, and large enough for its texts to be read. */
function isInSight(at: { x: number; y: number } | undefined, sight: Sight | undefined): boolean {
  if (!at || !sight || sight.zoom < TINY) return false
  const { x, y, width, height } = sight
  return (
    at.x + SIZE.width / 2 > x &&
    at.x - SIZE.width / 2 < x + width &&
    at.y + SIZE.height / 2 > y &&
    at.y - SIZE.height / 2 < y + height
  )
}

function shapeOf(nodes: readonly DagNode[], room: DagShape['room']): DagShape {
  const steps = nodes.filter(({ isHandler }) => !isHandler)
  const known = new Set(steps.map(({ name }) => name))
  const edges = steps.flatMap(({ name, depends }) =>
    depends.filter((before) => known.has(before)).map((before) => [before, name] as const)
  )
  return { nodes: steps.map(({ name }) => ({ id: name, ...SIZE })), edges, room }
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
