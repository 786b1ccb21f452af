/** The statechart of an actor with its active states highlighted. Descriptions come from the chart. */
import { useEffect, useState } from 'preact/hooks'
import type { ChartState } from '../answers.ts'
import { type Refusal, refusalOf } from '../api.ts'
import { Canvas } from '../parts/canvas.tsx'
import { Problem } from '../parts/problem.tsx'
import { type LaidChart, laidChart } from './chart-layout.ts'
import {
  all,
  type ElkBox,
  type ElkLine,
  isStart,
  middleOf,
  pathOfLine,
  transitionText,
  wordsOf as wordsBetween
} from './chart-shape.ts'

interface Props {
  machine: string
  /** Paths of the active states. */
  active: readonly string[]
  /** The transition that led there. */
  latest?: { from: string; to: string } | undefined
}

export function ChartView({ machine, active, latest }: Props) {
  const [laid, setLaid] = useState<LaidChart>()
  const [refusal, setRefusal] = useState<Refusal>()
  const [chosen, setChosen] = useState<string>()
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isWanted = true
    setRefusal(undefined)
    setChosen(undefined)
    laidChart(machine).then(
      (found) => isWanted && setLaid(found),
      (error: unknown) => isWanted && setRefusal(refusalOf(error))
    )
    // Another chart may be selected before this one arrives.
    return () => {
      isWanted = false
    }
  }, [machine, tries])
  if (refusal) return <Problem refusal={refusal} retry={() => setTries(tries + 1)} />
  if (!laid || laid.chart.id !== machine)
    return (
      <div class="canvas-wait" aria-busy="true">
        <p class="soft">Drawing…</p>
      </div>
    )
  const { chart, layout } = laid
  const states = new Map(all(chart.states).map((state) => [state.path, state]))
  const lit = new Set(active)
  const innermost = active.at(-1)
  const shown = states.get(chosen ?? innermost ?? '')
  const lines = linesOf(layout)
  const lineClass = (line: ElkLine) => {
    if (latest !== undefined && isOf(line, latest)) return 'latest'
    return line.sources[0] === shown?.path ? 'near' : ''
  }
  const box = innermost === undefined ? undefined : find(layout, innermost)
  return (
    <div class="chart">
      <Canvas
        label={`Chart of ${machine}${active.length > 0 ? `, now in ${innermost}` : ''}`}
        width={layout.width ?? 0}
        height={layout.height ?? 0}
        most={680}
        legible={0.75}
        reveal={box && { x: box.x ?? 0, y: box.y ?? 0, width: box.width ?? 0, height: box.height ?? 0 }}
      >
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX={7} refY={4} markerWidth={7} markerHeight={7} orient="auto">
            <path d="M0 0.5L7.5 4L0 7.5z" class="arrow" />
          </marker>
        </defs>
        <Boxes boxes={layout.children ?? []} states={states} lit={lit} chosen={shown?.path} onChoose={setChosen} />
        {lines.map((line) => (
          <path key={line.id} class={`transition ${lineClass(line)}`} d={pathOfLine(line)} marker-end="url(#arrow)" />
        ))}
        {lines.filter(lineClass).map((line) => (
          <Words key={line.id} line={line} words={wordsOf(line, states)} />
        ))}
      </Canvas>
      {shown && <StateFacts state={shown} isActive={lit.has(shown.path)} />}
    </div>
  )
}

interface BoxesProps {
  boxes: readonly ElkBox[]
  states: ReadonlyMap<string, ChartState>
  lit: ReadonlySet<string>
  chosen: string | undefined
  onChoose: (path: string) => void
}

const Boxes = ({ boxes, ...rest }: BoxesProps) => (
  <>
    {boxes.map((box) => (
      <Box key={box.id} box={box} {...rest} />
    ))}
  </>
)

function Box({ box, states, lit, chosen, onChoose }: Omit<BoxesProps, 'boxes'> & { box: ElkBox }) {
  const { id, x = 0, y = 0, width = 0, height = 0, children = [] } = box
  const state = states.get(id)
  if (isStart(id) || !state) return <circle class="chart-start" cx={x + width / 2} cy={y + height / 2} r={4.5} />
  const { key, type, invokes } = state
  const isLit = lit.has(id)
  const isOuter = children.length > 0
  const invoked = invokes.map(({ machine, id }) => `invokes ${machine ?? id}`).join(', ')
  const middle = isOuter ? x + 14 : x + width / 2
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: an SVG has no button */}
      <g
        class={`state ${type} ${isLit ? 'lit' : ''} ${isOuter ? 'outer' : ''} ${id === chosen ? 'chosen' : ''}`}
        role="button"
        tabindex={0}
        data-state={id}
        onClick={() => onChoose(id)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return
          event.preventDefault()
          onChoose(id)
        }}
      >
        <title>{`State ${id}${isLit ? ', active' : ''}`}</title>
        <rect x={x} y={y} width={width} height={height} rx={isOuter ? 12 : 9} />
        {type === 'final' && <rect class="inner" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={7} />}
        <text
          class="state-name"
          x={middle}
          y={isOuter || invokes.length > 0 ? y + 21 : y + height / 2 + 4.5}
          text-anchor={isOuter ? 'start' : 'middle'}
        >
          {key}
        </text>
        {invokes.length > 0 && (
          <text class="state-invokes" x={middle} y={y + 37} text-anchor={isOuter ? 'start' : 'middle'}>
            {invoked}
          </text>
        )}
      </g>
      <Boxes boxes={children} states={states} lit={lit} chosen={chosen} onChoose={onChoose} />
    </>
  )
}

function Words({ line, words }: { line: ElkLine; words: string[] }) {
  const { x, y } = middleOf(line)
  return (
    <text class="transition-words" y={y - (words.length - 1) * 7}>
      {words.map((word, at) => (
        <tspan key={word} x={x} dy={at === 0 ? 4 : 14}>
          {word}
        </tspan>
      ))}
    </text>
  )
}

function StateFacts({ state, isActive }: { state: ChartState; isActive: boolean }) {
  const { path, description, type, entry, exit, transitions } = state
  return (
    <section class="state-facts" aria-label={`State ${path}`} aria-live="polite">
      <h3>
        <span class="mono">{path}</span> {isActive && <span class="chip lit">active</span>}
        {type !== 'atomic' && <span class="chip">{type}</span>}
      </h3>
      {description !== '' && <p>{description}</p>}
      {entry.length > 0 && <p class="soft">On entry: {entry.join(', ')}</p>}
      {exit.length > 0 && <p class="soft">On exit: {exit.join(', ')}</p>}
      {transitions.length > 0 && (
        <ul class="mono">
          {transitions.map((transition, at) => (
            // Two transitions may have the same text.
            <li key={at}>
              {transitionText(transition) || 'always'} → {transition.targets.join(', ') || 'stays'}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const linesOf = (box: ElkBox): ElkLine[] => [...(box.edges ?? []), ...(box.children ?? []).flatMap(linesOf)]

function find(box: ElkBox, id: string): ElkBox | undefined {
  if (box.id === id) return box
  for (const child of box.children ?? []) {
    const found = find(child, id)
    if (found) return found
  }
  return undefined
}

const wordsOf = ({ sources: [from = ''], targets: [to = ''] }: ElkLine, states: ReadonlyMap<string, ChartState>) => {
  const state = states.get(from)
  return state ? wordsBetween(state, to) : []
}

/** A transition may be declared on an outer state, and its target may enter an inner state. */
function isOf({ sources: [source = ''], targets: [target = ''] }: ElkLine, { from, to }: { from: string; to: string }) {
  const within = (path: string, outer: string) => path === outer || path.startsWith(`${outer}.`)
  return within(from, source) && within(to, target) && !within(from, target)
}
