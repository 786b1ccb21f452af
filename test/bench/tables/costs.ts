/** The second table: what a step costs, of the engine's process and of all others, beside what the host takes for a start. */
import { median } from '../figures.ts'
import type { Usage } from '../processes.ts'
import { SHELL, type StartCost } from '../step/host.ts'
import { beside, type Sample, short } from './table.ts'

/** What the steps of one question cost one engine, each. */
export interface CostFigures {
  /** Of the server's process, with all its threads, in ms. */
  engineCpuMs: number
  /** Of all other processes: launchers, supervisors, shells, programs; of Dagu also the processes of its runs. */
  childrenCpuMs: number
  childrenFaults: number
  /** How many times that of `vfork` and `sh -c true`; absent: not measured. */
  ofHostCpu?: number
  ofHostFaults?: number
  /** Of the server's process since it was spawned, and at the end. */
  peakRssMiB: number
  pssMiB: number
}
/** In one round. */
export interface StepCost extends CostFigures {
  question: string
  engine: Sample['engine']
  round: number
}

/** @param host measured in the same round */
export function stepCost(before: Usage, after: Usage, steps: number, host: readonly StartCost[]): CostFigures {
  const each = (read: (usage: Usage) => number) => (read(after) - read(before)) / steps
  const childrenCpuMs = each(({ others }) => others.cpuMs)
  const childrenFaults = each(({ others }) => others.faults)
  const shell = host.find(({ command }) => command === SHELL)
  return {
    engineCpuMs: each(({ engine }) => engine.cpuMs),
    childrenCpuMs,
    childrenFaults,
    ...(shell ? { ofHostCpu: childrenCpuMs / shell.cpuMs, ofHostFaults: childrenFaults / shell.faults } : {}),
    peakRssMiB: after.engine.peakRssMiB,
    pssMiB: after.engine.pssMiB
  }
}

const COLUMNS: [keyof CostFigures, string][] = [
  ['engineCpuMs', 'engine CPU ms'],
  ['childrenCpuMs', 'children CPU ms'],
  ['ofHostCpu', `x ${SHELL}`],
  ['childrenFaults', 'children faults'],
  ['ofHostFaults', `x ${SHELL}`],
  ['peakRssMiB', 'engine peak RSS MiB'],
  ['pssMiB', 'engine PSS MiB']
]

/** The medians, a line for each question and engine in the order in which they first came. */
export function printedCosts(costs: readonly StepCost[]): string {
  const lineOf = ({ question, engine }: StepCost) => `${question} ${engine}`
  const lines = [...new Map(costs.map((cost) => [lineOf(cost), cost])).values()].map((one) => {
    const same = costs.filter((cost) => lineOf(cost) === lineOf(one))
    const middle = (figure: keyof CostFigures) => short(median(same.flatMap((cost) => cost[figure] ?? [])))
    return { words: [one.question, one.engine], numbers: COLUMNS.map(([figure]) => middle(figure)) }
  })
  return beside(
    [['a step of', 'engine'], ...lines.map(({ words }) => words)],
    [COLUMNS.map(([, head]) => head), ...lines.map(({ numbers }) => numbers)]
  )
}

/** The medians of all rounds, a line for each program. */
export function printedHost(rounds: readonly (readonly StartCost[])[]): string {
  const commands = [...new Set(rounds.flat().map(({ command }) => command))]
  const numbers = commands.map((command) => {
    const same = rounds.flat().filter((cost) => cost.command === command)
    return (['wallMs', 'cpuMs', 'faults'] as const).map((figure) => short(median(same.map((cost) => cost[figure]))))
  })
  return beside(
    [['this host'], ...commands.map((command) => [`vfork, exec ${command}`])],
    [['wall ms', 'CPU ms', 'faults'], ...numbers]
  )
}
