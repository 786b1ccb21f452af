/** Words of a chart that lie on a line or on other words. */
import type { ElkLine } from '../../../src/page/chart/chart-shape.ts'
import type { Label } from '../../../src/page/chart/labels.ts'
import { pointAt, pointsOf } from '../../../src/page/chart/near-labels.ts'

/** With letters of 6 px, in lines of 14. */
const areaOf = ({ words, x, y }: Label) => {
  const half = Math.max(...words.map(({ length }) => length)) * 3
  return { left: x - half, right: x + half, top: y - 6, bottom: y + (words.length - 1) * 14 + 6 }
}

/** @param shown those that are drawn @returns a line for each that covers something */
export function coveredWords(shown: readonly Label[], lines: readonly ElkLine[]): string[] {
  const places = lines.map((line) => ({
    id: line.id,
    points: Array.from({ length: 101 }, (_, at) => pointAt(pointsOf(line), at / 100))
  }))
  return shown.flatMap((label, at) => {
    const one = areaOf(label)
    const onLines = places.filter(({ points }) =>
      points.some(({ x, y }) => x > one.left && x < one.right && y > one.top && y < one.bottom)
    )
    const onOthers = shown.slice(at + 1).filter((it) => {
      const other = areaOf(it)
      return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
    })
    return [...onLines, ...onOthers].map(({ id }) => `${label.words} of ${label.id} on ${id}`)
  })
}
