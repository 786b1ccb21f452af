/** The states of a chart as boxes, inner ones within outer ones. */
import type { ChartState } from '../answers.ts'
import { type ElkBox, isStart } from './chart-shape.ts'

interface Props {
  boxes: readonly ElkBox[]
  states: ReadonlyMap<string, ChartState>
  lit: ReadonlySet<string>
  /** An event that is tried would lead there. */
  would: ReadonlySet<string>
  chosen: string | undefined
  onChoose: (path: string) => void
}

export const Boxes = ({ boxes, ...rest }: Props) => (
  <>
    {boxes.map((box) => (
      <Box key={box.id} box={box} {...rest} />
    ))}
  </>
)

function Box({ box, ...rest }: Omit<Props, 'boxes'> & { box: ElkBox }) {
  const { states, lit, would, chosen, onChoose } = rest
  const { id, x = 0, y = 0, width = 0, height = 0, children = [], title } = box
  const state = states.get(id)
  if (isStart(id) || !state) return <circle class="chart-start" cx={x + width / 2} cy={y + height / 2} r={4.5} />
  const { key, type, invokes } = state
  const isLit = lit.has(id)
  const isOuter = children.length > 0
  const invoked = invokes.map(({ machine, id }) => `invokes ${machine ?? id}`).join(', ')
  const middle = isOuter ? x + 14 : x + width / 2
  const look = [type, isLit && 'lit', would.has(id) && 'would', isOuter && 'outer', id === chosen && 'chosen']
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: an SVG has no button */}
      <g
        class={`state ${look.filter(Boolean).join(' ')}`}
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
        <title>{`State ${id}${isLit ? ', active' : ''}${would.has(id) ? ', would be active' : ''}`}</title>
        <rect x={x} y={y} width={width} height={height} rx={isOuter ? 12 : 9} />
        {type === 'final' && <rect class="inner" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={7} />}
        <text
          class="state-name"
          x={title?.x ?? middle}
          y={title ? title.y + 4.5 : isOuter || invokes.length > 0 ? y + 21 : y + height / 2 + 4.5}
          text-anchor={isOuter && !title ? 'start' : 'middle'}
        >
          {key}
        </text>
        {invokes.length > 0 && (
          <text class="state-invokes" x={middle} y={y + 37} text-anchor={isOuter ? 'start' : 'middle'}>
            {invoked}
          </text>
        )}
      </g>
      <Boxes boxes={children} {...rest} />
    </>
  )
}
