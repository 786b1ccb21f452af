/** All that was found, as tables or as JSON. */
import { availableParallelism } from 'node:os'
import type { Options } from '../options.ts'
import { questions } from '../questions/index.ts'
import type { StartCost } from '../step/host.ts'
import { printedStep, type StepFigures } from '../step/step.ts'
import { printedCosts, printedHost, type StepCost } from './costs.ts'
import { printed, type Row, type Sample } from './table.ts'

export interface Findings {
  versions: Partial<Record<Sample['engine'], string>>
  rows: Row[]
  /** What a start costs on this host, by round. */
  hosts: StartCost[][]
  costs: StepCost[]
  step?: StepFigures
  failures: string[]
}

export function report(
  { json, rounds, scale }: Options,
  { versions, rows, hosts, costs, step, failures }: Findings
): void {
  if (json) {
    const machine = { node: process.version, cores: availableParallelism(), starts: hosts }
    console.log(JSON.stringify({ machine, rounds, scale, versions, rows, costs, step, failures }))
    return
  }
  const isMeasured = hosts.some((host) => host.length > 0)
  const tables = [
    isMeasured ? printedHost(hosts) : 'this host: not measured, for want of a C compiler',
    ...(rows.length > 0 ? [printed(rows, versions)] : []),
    ...(costs.length > 0 ? [printedCosts(costs)] : []),
    ...(step ? [printedStep(step)] : [])
  ]
  console.log(tables.join('\n\n'))
  console.log(`\nMedians of ${rounds} round(s) at scale ${scale}; ratios were taken within each round.`)
  if (versions.Dagu !== undefined)
    for (const { name, peerShare } of questions)
      if (peerShare && rows.some(({ question }) => question === name))
        console.log(`${name}: Dagu was asked for ${peerShare} of it; its processor time is counted up.`)
  for (const failure of failures) console.log(`FAILED ${failure}`)
}
