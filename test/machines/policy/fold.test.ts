/**
 * Every small combination of node ends against the tables read once more, node by node (`run-reference.ts`).
 * Source: execution-semantics 5.2, 5.3, 5.5.
 */
import { expect } from 'chai'
import { runOutcome } from '../../../machines/policy/outcome.ts'
import { close, openRunState, resolve, takeReady } from '../../../machines/policy/readiness.ts'
import type { NodeStatus } from '../../../machines/vocabulary.ts'
import { step } from '../../support/charts/plans.ts'
import { type NodeEnd, runStatus, settledBy } from '../walks/run-reference.ts'

/** Every way a node can stand at the end. */
const ENDS: NodeEnd[] = [
  { status: 'succeeded', continues: false },
  { status: 'partially_succeeded', continues: false },
  { status: 'skipped', continues: false },
  { status: 'skipped', continues: true },
  { status: 'failed', continues: false },
  { status: 'failed', continues: true },
  { status: 'canceled', continues: false }
]
const STEPS = Array.from({ length: 4 }, (_, index) => step(`n${index}`))
const NOT_STARTED: NodeEnd = { status: 'not_started', continues: false }

/** All lists of this length. */
const lists = <T>(choices: T[], length: number): T[][] =>
  length === 0 ? [[]] : lists(choices, length - 1).flatMap((list) => choices.map((choice) => [...list, choice]))
const upTo = <T>(choices: T[], longest: number): T[][] =>
  Array.from({ length: longest + 1 }, (_, length) => lists(choices, length)).flat()

const received = (ends: NodeEnd[]) => ends.map(({ status, continues }) => (continues ? `${status}+` : status)).join(' ')

describe('policy › 5.5 the status of a run, all combinations of up to 4 nodes', () => {
  const FLAGS = lists([false, true], 3) as [boolean, boolean, boolean][]
  it('equals the first rule of the table that holds', () => {
    let compared = 0
    for (const nodes of upTo([...ENDS, NOT_STARTED], 4)) {
      const runState = openRunState(STEPS.slice(0, nodes.length), 0)
      nodes.forEach(({ status, continues }, index) => {
        if (status !== 'not_started') close(runState, index, status, continues)
      })
      for (const [stopped, timedOut, handlerFailed] of FLAGS) {
        const found = runOutcome({ tally: runState.tally, stopped, unmet: false, timedOut, handlerFailed })
        const wanted = runStatus({ nodes, stopped, unmet: false, timedOut, handlerFailed })
        if (found !== wanted)
          expect.fail(
            `${received(nodes)}, ${JSON.stringify({ stopped, timedOut, handlerFailed })}: ${found}, not ${wanted}`
          )
        compared++
      }
    }
    expect(compared).to.equal((1 + 8 + 64 + 512 + 4096) * 8)
  })
  it('5.6.9 preconditions that were not met leave every node as it was: canceled', () => {
    for (const nodes of upTo([NOT_STARTED], 4)) {
      const { tally } = openRunState(STEPS.slice(0, nodes.length), 0)
      for (const handlerFailed of [false, true])
        expect(runOutcome({ tally, stopped: false, unmet: true, timedOut: false, handlerFailed })).to.equal('canceled')
    }
  })
})

describe('policy › 5.2, 5.3 the fate of a node, all combinations of up to 3 dependencies in every order', () => {
  const orders = (indexes: number[]): number[][] =>
    indexes.length === 0
      ? [[]]
      : indexes.flatMap((first) => orders(indexes.filter((index) => index !== first)).map((rest) => [first, ...rest]))

  it('equals the table', () => {
    for (const ends of upTo(ENDS, 3)) {
      const names = ends.map((_, index) => `n${index}`)
      const last = step('last', { depends: names })
      const endOf = (name: string) => ends[names.indexOf(name)] ?? NOT_STARTED
      const fate: NodeStatus = settledBy(last, endOf)
      for (const order of orders(names.map((_, index) => index))) {
        const runState = openRunState([...STEPS.slice(0, names.length), last], 0)
        for (const _ of names) takeReady(runState)
        order.forEach((index, nth) => {
          if (nth < order.length && runState.status[names.length] !== 'not_started')
            expect.fail(`${received(ends)}: too early`)
          resolve(runState, index, ends[index]?.status ?? 'not_started', ends[index]?.continues ?? false)
        })
        const found = runState.status[names.length]
        if (found !== fate || runState.ready.includes(names.length) !== (fate === 'not_started'))
          expect.fail(`${received(ends)} in the order ${order.join()}: ${found}, not ${fate}`)
      }
    }
  })
})
