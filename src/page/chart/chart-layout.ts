/** Charts and their layouts. Both are the same for every run, so each is fetched once. */
import type { Chart } from '../answers.ts'
import { ask, askAt, pathOf, Refusal } from '../api.ts'
import type { ElkBox } from './chart-shape.ts'

/** Set by the build, in which ELK lays out every chart: the name of the file of layouts by chart id. */
declare const CHARTS_FILE: string

export interface LaidChart {
  chart: Chart
  layout: ElkBox
}

const made = new Map<string, Promise<LaidChart>>()
let layouts: Promise<Record<string, ElkBox>> | undefined

/** @throws Refusal when the server has no such chart, or does not answer */
export function laidChart(machine: string): Promise<LaidChart> {
  const known = made.get(machine)
  if (known) return known
  const making = make(machine)
  made.set(machine, making)
  // A failure is not cached.
  making.catch(() => {
    made.delete(machine)
    layouts = undefined
  })
  return making
}

async function make(machine: string): Promise<LaidChart> {
  layouts ??= askAt(`page/${CHARTS_FILE}`)
  const [chart, all] = await Promise.all([ask<Chart>(`/machines${pathOf(machine)}`), layouts])
  const layout = all[machine]
  if (!layout) throw new Refusal(404, `this page has no drawing of the chart ${machine}`)
  return { chart, layout }
}
