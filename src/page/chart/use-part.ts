/** The part of a chart that is drawn, with its layout. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Chart, Reached } from '../answers.ts'
import { type Refusal, refusalOf } from '../api.ts'
import { layoutOf } from '../run/graph/dag-layout.ts'
import type { LaidChart } from './chart-layout.ts'
import { partOf } from './chart-part.ts'
import { all, elkOf } from './chart-shape.ts'

/** @param reach undefined: all of it is drawn, and none of this is needed @param seen paths of states that the actor was in */
export function usePart(
  whole: Chart | undefined,
  reach: readonly Reached[] | undefined,
  seen: readonly string[]
): { part?: LaidChart; refusal?: Refusal } {
  const [laid, setLaid] = useState<{ part?: LaidChart; refusal?: Refusal; chart: Chart }>()
  const key = JSON.stringify([reach, seen])
  const chart = useMemo(() => whole && reach && partOf(whole, reach, seen), [whole, key])
  useEffect(() => {
    if (!chart) return
    let isWanted = true
    const ends = all(chart.states).flatMap(({ path, type }) => (type === 'final' ? [path] : []))
    layoutOf({ tree: elkOf(chart), ends }).then(
      (layout) => isWanted && setLaid({ chart, part: { chart, layout } }),
      (error: unknown) => isWanted && setLaid({ chart, refusal: refusalOf(error) })
    )
    return () => {
      isWanted = false
    }
  }, [chart])
  return laid !== undefined && laid.chart === chart ? laid : {}
}
