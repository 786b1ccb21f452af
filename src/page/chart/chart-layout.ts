/** Lays charts out with ELK, in a worker that is loaded when the first chart is looked at. Each chart once. */
import ELK from 'elkjs/lib/elk-api.js'
import type { Chart } from '../answers.ts'
import { ask, pathOf } from '../api.ts'
import { type ElkBox, elkOf } from './chart-shape.ts'

/** Set by the build: the name of the worker's file. */
declare const ELK_FILE: string

export interface LaidChart {
  chart: Chart
  layout: ElkBox
}

let elk: InstanceType<typeof ELK> | undefined
const laid = new Map<string, Promise<LaidChart>>()

/** @throws Refusal when the server has no such chart, or does not answer */
export function laidChart(machine: string): Promise<LaidChart> {
  const known = laid.get(machine)
  if (known) return known
  const making = make(machine)
  laid.set(machine, making)
  // What failed is tried again the next time.
  making.catch(() => laid.delete(machine))
  return making
}

async function make(machine: string): Promise<LaidChart> {
  const chart = await ask<Chart>(`/machines${pathOf(machine)}`)
  elk ??= new ELK({ workerUrl: `page/${ELK_FILE}` })
  return { chart, layout: (await elk.layout(elkOf(chart))) as ElkBox }
}
