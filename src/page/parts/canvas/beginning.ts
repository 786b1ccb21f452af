/** Where a drawing that does not fit its place begins. A pure computation. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

interface Asked {
  /** Size of the place in px. */
  across: number
  down: number
  /** Size of the drawing at zoom 1. */
  width: number
  height: number
  /** What is not to be cut off at an edge. */
  boxes: readonly Box[]
  /** What must be in sight, in the middle if possible. */
  wanted: Box
  /** Zoom that it should have; a larger or smaller one is tried where something would be cut off. */
  legible: number
  /** Smallest zoom. */
  least: number
}

/** Between what is drawn and an edge, in px. */
const AWAY_PX = 4
const MOST = 1.3
const STEP = 0.02

// D1674: a graph that does not fit begins at a zoom and a place at which no step is cut off
export function beginningOf(asked: Asked): { x: number; y: number; zoom: number } {
  const { legible, least } = asked
  let best = { x: 0, y: 0, zoom: legible, cuts: Number.POSITIVE_INFINITY }
  for (const zoom of [...between(legible, MOST), ...between(least, legible).reverse()]) {
    const place = placeAt(asked, zoom)
    if (place.cuts < best.cuts) best = place
    if (best.cuts === 0) break
  }
  const { x, y, zoom } = best
  return { x, y, zoom }
}

const between = (from: number, to: number): number[] =>
  Array.from({ length: Math.floor((to - from) / STEP) + 1 }, (_, at) => from + at * STEP)

function placeAt({ across, down, width, height, boxes, wanted }: Asked, zoom: number) {
  const x = offsetOf(
    across / zoom,
    width,
    boxes.map(({ x, width }) => [x, x + width]),
    [wanted.x, wanted.x + wanted.width]
  )
  const isBeside = (box: Box) => box.x + box.width < -x.offset || box.x > across / zoom - x.offset
  const rows = boxes.filter((box) => !isBeside(box)).map(({ y, height }): Span => [y, y + height])
  const y = offsetOf(down / zoom, height, rows, [wanted.y, wanted.y + wanted.height])
  return { x: x.offset * zoom, y: y.offset * zoom, zoom, cuts: x.cuts + y.cuts }
}

type Span = [from: number, to: number]

/** Along one axis, in units of the drawing. */
function offsetOf(room: number, length: number, spans: readonly Span[], [from, to]: Span) {
  if (length <= room) return { offset: (room - length) / 2, cuts: 0 }
  const clamped = (offset: number) => Math.min(0, Math.max(room - length, offset))
  const middle = clamped(room / 2 - (from + to) / 2)
  const own = [...new Map(spans.map((span) => [span.join(), span])).values()]
  const edges = own.flatMap(([from, to]) => [from - AWAY_PX, to + AWAY_PX])
  const cutsAt = (edge: number) => own.filter(([from, to]) => from < edge && edge < to).length
  const places = [middle].concat(edges.flatMap((edge) => [clamped(-edge), clamped(room - edge)]))
  const found = places
    .filter((offset) => offset === middle || (from + offset >= 0 && to + offset <= room))
    .map((offset) => ({ offset, cuts: cutsAt(-offset) + cutsAt(room - offset) }))
  return found.reduce((best, one) =>
    one.cuts < best.cuts || (one.cuts === best.cuts && Math.abs(one.offset - middle) < Math.abs(best.offset - middle))
      ? one
      : best
  )
}
