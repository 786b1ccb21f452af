/** The statechart of an actor with its active states highlighted. Descriptions come from the chart. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ChartState, Reached } from '../answers.ts'
import { type Refusal, refusalOf } from '../api.ts'
import { Canvas } from '../parts/canvas/canvas.tsx'
import { Problem } from '../parts/problem.tsx'
import { Boxes } from './chart-boxes.tsx'
import { type LaidChart, laidChart } from './chart-layout.ts'
import { type Move, wayOf } from './chart-part.ts'
import { all, type ElkBox, type ElkLine, isStart, pathOfLine, staysOf, transitionText } from './chart-shape.ts'
import { type Label, LINE_PX, linesOf } from './labels.ts'
import { badgesOf, nearLabels, withTitles } from './near-labels.ts'
import { usePart } from './use-part.ts'

interface Props {
  machine: string
  /** Paths of the active states. */
  active: readonly string[]
  /** Paths of the states that an event would lead to. */
  would?: readonly string[] | undefined
  /** The transition that led there. */
  latest?: { from: string; to: string } | undefined
  /** What the actor can be in; absent: all states are drawn. */
  reach?: readonly Reached[] | undefined
  /** The way that the actor took. */
  moves?: readonly Move[] | undefined
  /** Stops playing when a state is entered. Absent: nothing is played here. */
  onBreak?: ((path: string) => void) | undefined
}

const NO_MOVES: readonly Move[] = []

export function ChartView({ machine, reach, moves = NO_MOVES, ...rest }: Props) {
  const [laid, setLaid] = useState<LaidChart>()
  const [refusal, setRefusal] = useState<Refusal>()
  const [tries, setTries] = useState(0)
  const [isWhole, setWhole] = useState(false)
  useEffect(() => {
    let isWanted = true
    setRefusal(undefined)
    laidChart(machine).then(
      (found) => isWanted && setLaid(found),
      (error: unknown) => isWanted && setRefusal(refusalOf(error))
    )
    // An answer for a chart that was selected before counts no more.
    return () => {
      isWanted = false
    }
  }, [machine, tries])
  const seen = useMemo(() => [...new Set([...rest.active, ...moves.map(({ to }) => to)])].sort(), [rest.active, moves])
  const isPart = reach !== undefined && !isWhole
  const { part, refusal: unlaid } = usePart(laid?.chart.id === machine ? laid.chart : undefined, reach, seen)
  const problem = refusal ?? (isPart ? unlaid : undefined)
  if (problem) return <Problem refusal={problem} retry={() => setTries(tries + 1)} />
  const drawn = isPart ? part : laid
  if (!drawn || drawn.chart.id !== machine)
    return (
      <div class="canvas-wait" aria-busy="true">
        <p class="soft">Drawing…</p>
      </div>
    )
  return (
    <>
      {reach && (
        <label class="check chart-whole">
          <input type="checkbox" checked={isWhole} onChange={() => setWhole(!isWhole)} />
          All states
        </label>
      )}
      <Drawn key={`${machine} ${isPart}`} laid={drawn} isPart={isPart} moves={moves} {...rest} />
    </>
  )
}

/** Text of a chart is as high as it should be at this zoom, and is not begun with a smaller one. */
const LEGIBLE = 0.86
/** Below the final states, where no button covers them. */
const BUTTONS_PX = 40
/** Where words may stand beside the drawing, on a screen that is so wide. */
const BESIDE_PX = 110
const WIDE_PX = 1_300

function Drawn({
  laid: { chart, layout: given },
  active,
  would = [],
  latest,
  isPart,
  moves,
  onBreak
}: Omit<Props, 'machine' | 'reach' | 'moves'> & { laid: LaidChart; isPart: boolean; moves: readonly Move[] }) {
  const [chosen, setChosen] = useState<string>()
  const states = useMemo(() => new Map(all(chart.states).map((state) => [state.path, state])), [chart])
  const lines = useMemo(() => linesOf(given), [given])
  const layout = useMemo(() => withTitles(given, lines), [given, lines])
  const innermost = active.at(-1)
  const shown = states.get(chosen ?? innermost ?? '')
  const near = shown?.path
  const way = useMemo(() => wayOf(lines, states, moves), [lines, states, moves])
  const badges = useMemo(() => (isPart ? badgesOf(lines, way) : []), [isPart, lines, way])
  const labels = useMemo(() => {
    const beside = innerWidth >= WIDE_PX ? BESIDE_PX : 0
    const placed = nearLabels(layout, lines, { states, near, badges, beside, isWhole: !isPart })
    return new Map(placed.map((label) => [label.id, label]))
  }, [isPart, layout, lines, states, near, badges])
  const lineClass = (line: ElkLine) => {
    const { id, sources, targets } = line
    const looks = [way.has(id) && 'way', labels.get(id)?.hasRoom === false && 'crowded']
    if (latest !== undefined && isOf(line, latest)) looks.push('latest')
    else if (near !== undefined && (sources[0] === near || targets[0] === near)) looks.push('near')
    return looks.filter(Boolean).join(' ')
  }
  const box = innermost === undefined ? undefined : find(layout, innermost)
  const first = layout.children?.find(({ id }) => isStart(id))
  const always = staysOf(chart.transitions)
  const height = layout.height ?? 0
  return (
    <div class={`chart ${isPart ? 'part' : ''}`}>
      <Canvas
        label={`Chart of ${chart.id}${active.length > 0 ? `, now in ${innermost}` : ''}`}
        width={layout.width ?? 0}
        height={
          height + (isPart ? BUTTONS_PX : 0) + (isPart || always.length === 0 ? 0 : (always.length + 2) * LINE_PX)
        }
        most={680}
        legible={isPart ? 0 : LEGIBLE}
        reveal={box && areaOf(box)}
        start={first && areaOf(first)}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX={7}
            refY={4}
            markerWidth={9}
            markerHeight={9}
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0.5L7.5 4L0 7.5z" class="arrow" />
          </marker>
        </defs>
        <Boxes
          boxes={layout.children ?? []}
          states={states}
          lit={new Set(active)}
          would={new Set(would)}
          chosen={shown?.path}
          onChoose={setChosen}
        />
        {lines.map((line) => (
          <Line
            key={line.id}
            line={line}
            look={lineClass(line)}
            label={labels.get(line.id)}
            isRoomy={!isPart && labels.get(line.id)?.hasRoom === true}
          />
        ))}
        {badges.map(({ id, text, x, y }) => (
          <g key={id} class="way-number" transform={`translate(${x} ${y})`}>
            <rect x={-(text.length * 3.5 + 5)} y={-8} width={text.length * 7 + 10} height={16} rx={8} />
            <text y={4}>{text}</text>
          </g>
        ))}
        {!isPart && always.length > 0 && (
          <text class="chart-always" y={height + 12}>
            {['In every state:', ...always].map((word, at) => (
              <tspan key={word} x={16} dy={at === 0 ? 0 : LINE_PX}>
                {word}
              </tspan>
            ))}
          </text>
        )}
      </Canvas>
      {isPart && always.length > 0 && <p class="soft chart-everywhere">In every state: {always.join(', ')}</p>}
      {shown && <StateFacts state={shown} isActive={active.includes(shown.path)} onBreak={onBreak} />}
    </div>
  )
}

/** Words of a line are shown where they have room, and while it is pointed at or its state is selected. */
function Line({
  line,
  look,
  label,
  isRoomy
}: {
  line: ElkLine
  look: string
  label: Label | undefined
  isRoomy: boolean
}) {
  const path = pathOfLine(line)
  return (
    <g class={`line ${look} ${isRoomy ? 'roomy' : ''}`}>
      <path class="line-reach" d={path} />
      <path class={`transition ${look}`} d={path} marker-end="url(#arrow)" />
      {label && <Words label={label} />}
    </g>
  )
}

const Words = ({ label: { words, x, y } }: { label: Label }) => (
  <text class="transition-words" y={y}>
    {words.map((word, at) => (
      <tspan key={word} x={x} dy={at === 0 ? 4 : LINE_PX}>
        {word}
      </tspan>
    ))}
  </text>
)

interface StateFactsProps {
  state: ChartState
  isActive: boolean
  onBreak: Props['onBreak']
}

function StateFacts({ state, isActive, onBreak }: StateFactsProps) {
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
      {onBreak && (
        <button type="button" class="button small" onClick={() => onBreak(path)}>
          Stop playing when it enters this state
        </button>
      )}
    </section>
  )
}

const areaOf = ({ x = 0, y = 0, width = 0, height = 0 }: ElkBox) => ({ x, y, width, height })

function find(box: ElkBox, id: string): ElkBox | undefined {
  if (box.id === id) return box
  for (const child of box.children ?? []) {
    const found = find(child, id)
    if (found) return found
  }
  return undefined
}

/** A transition may be declared on an outer state, and its target may enter an inner state. */
function isOf({ sources: [source = ''], targets: [target = ''] }: ElkLine, { from, to }: { from: string; to: string }) {
  const within = (path: string, outer: string) => path === outer || path.startsWith(`${outer}.`)
  return within(from, source) && within(to, target) && !within(from, target)
}
