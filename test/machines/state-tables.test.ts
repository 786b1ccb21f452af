/** The table on top of each chart says what the chart does: every state, everywhere it goes, and nowhere else. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { AnyStateMachine } from 'xstate'
import { callMachine } from '../../machines/call.ts'
import { deliveryMachine } from '../../machines/delivery.ts'
import { engineMachine } from '../../machines/engine.ts'
import { nodeMachine } from '../../machines/node.ts'
import { queueMachine } from '../../machines/queue.ts'
import { restartMachine } from '../../machines/restart.ts'
import { runMachine } from '../../machines/run.ts'
import { schedulerMachine } from '../../machines/scheduler.ts'
import { workerMachine } from '../../machines/worker.ts'
import { PROJECT } from '../support/project.ts'
import { stateTable, tableFaults } from '../support/state-table.ts'

const machines: AnyStateMachine[] = [
  engineMachine,
  schedulerMachine,
  restartMachine,
  queueMachine,
  runMachine,
  nodeMachine,
  callMachine,
  workerMachine,
  deliveryMachine
]
/** Lines that fit on a screen, the sentences above the table included. */
const SCREEN = 40
const textOf = ({ id }: AnyStateMachine) => readFileSync(join(PROJECT, 'machines', `${id}.ts`), 'utf8')

describe('charts › the table of states', () => {
  for (const machine of machines) {
    it(`${machine.id}: says what the chart does`, () => {
      expect(tableFaults(machine, stateTable(textOf(machine)))).to.deep.equal([])
    })
    it(`${machine.id}: fits on a screen`, () => {
      const comment = textOf(machine).split('\n */\n')[0]?.split('\n') ?? []
      expect(comment.length).to.be.lessThan(SCREEN)
      for (const line of comment) expect(line.length, line).to.be.at.most(140)
    })
  }
})

describe('charts › the table of states: the check can fail', () => {
  /** What is found when one thing in the table of the node chart is another. */
  const planted = (from: string | RegExp, to: string) => {
    const text = textOf(nodeMachine)
    const changed = text.replace(from, to)
    expect(changed).not.to.equal(text)
    return tableFaults(nodeMachine, stateTable(changed))
  }

  it('a state that is missing, one too many, one twice', () => {
    expect(planted(/ \* picked .*\n/, '')).to.deep.equal(['picked: is not in the table'])
    expect(planted(/(?= \* waiting )/, ' * dreaming        a morning                 \n')).to.deep.equal([
      'dreaming: is no state of the chart'
    ])
    expect(
      planted(/(?= \* settling )/, ' * passed          nothing                   settling; testing; repeating\n')
    ).to.include('passed: is there twice')
  })
  it('a target that is missing, one too many, one that is no state, one in the wrong state', () => {
    expect(planted('; canceled (stop)\n', '\n')).to.deep.equal(['preparing: goes to canceled, says the chart'])
    expect(planted('executing (first)', 'executing (first); failed')).to.deep.equal([
      'attempting: goes to failed, says the table'
    ])
    expect(planted('attempting (intervalSec is over)', 'attemping (intervalSec is over)')).to.deep.equal([
      'waiting: goes to attempting, says the chart',
      'waiting: goes to attemping, says the table'
    ])
    expect(planted('killed (clean-up time over, kill)', 'stopping (clean-up time over, kill)')).to.deep.equal([
      'attempting.stopping.asked: goes to attempting.stopping.killed, says the chart',
      'attempting.stopping.asked: goes to stopping, says the table'
    ])
  })
  it('a target that is no name', () => {
    expect(planted('executing (first)', 'executing (first); the moon')).to.deep.equal([
      'attempting: goes to the moon, says the table'
    ])
  })
  it('a line that continues in the next one', () => {
    expect(planted('; expiring; missing;', '; expiring;')).to.deep.equal([
      'attempting.executing: goes to missing, says the chart'
    ])
  })
  it('a state that waits where it does not, or does not where it does', () => {
    expect(planted(/(?<= \* picked +)nothing/, 'its turn')).to.deep.equal(['picked: waits for nothing, says the chart'])
    expect(planted('its preconditions  ', 'nothing  ')).to.deep.equal([
      'preparing: waits for something, says the chart'
    ])
    expect(planted('  the end\n', '  a retry\n')).to.include('canceled: waits for the end, says the chart')
  })
  it('a table that is gone', () => {
    expect(planted(' * state ', ' * states ')).to.have.length.greaterThan(20)
  })
})
