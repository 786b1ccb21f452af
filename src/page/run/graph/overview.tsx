/** All steps of a graph as plain boxes: one path for each status, however many there are. */
import type { Label } from '../../answers.ts'
import { memo } from '../../parts/memo.tsx'
import type { DagLayout } from './dag-shape.ts'
import { SIZE } from './node-box.tsx'

interface Props {
  nodes: readonly { name: string; label?: Label }[]
  places: DagLayout['places']
  /** A box was pressed. */
  onOpen?: ((name: string) => void) | undefined
}

/** Drawn again only when the steps or their places change. */
export const Overview = memo(({ nodes, places, onOpen }: Props) => {
  const paths = new Map<string, string[]>()
  for (const { name, label = '' } of nodes) {
    const at = places[name]
    if (!at) continue
    const known = paths.get(label)
    const box = `M${at.x - SIZE.width / 2} ${at.y - SIZE.height / 2}h${SIZE.width}v${SIZE.height}h${-SIZE.width}z`
    if (known) known.push(box)
    else paths.set(label, [box])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the boxes are one drawing
    <g onClick={(event) => onOpen && pressed(event, places, onOpen)}>
      {[...paths].map(([label, boxes]) => (
        <path key={label} class={`overview ${label ? `s-${label}` : ''}`} d={boxes.join('')} />
      ))}
    </g>
  )
})

/** The step at the place of a press. */
function pressed(event: MouseEvent, places: DagLayout['places'], onOpen: (name: string) => void): void {
  const { currentTarget } = event
  if (!(currentTarget instanceof SVGGElement)) return
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(currentTarget.getScreenCTM()?.inverse())
  const found = Object.entries(places).find(
    ([, at]) => Math.abs(at.x - x) <= SIZE.width / 2 && Math.abs(at.y - y) <= SIZE.height / 2
  )
  if (found) onOpen(found[0])
}
