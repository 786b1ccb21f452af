/** Lanes of messages that can be read with many actors. Source: docs/page.md "Charts". */
import { expect } from 'chai'
import type { Message } from '../../../../src/page/answers.ts'
import { type Family, lanesOf } from '../../../../src/page/run/journal/lanes.ts'

const words = (address: string) => address
const message = (from: string, to: string): Message => ({ seq: 1, at: '', atMs: 0, event: '', state: '', from, to })
/** A run of that many steps: two actors for each, the run, its queue and the scheduler. */
const messagesOf = (steps: number): Message[] => [
  message('scheduler', 'queue/etl'),
  message('queue/etl', 'run'),
  ...Array.from({ length: steps }, (_, at) => [
    message('run', `node/s${at}`),
    message(`node/s${at}`, `node/s${at}/attempt/1`)
  ]).flat()
]
const heads = (steps: number, ...open: Family[]) =>
  lanesOf(messagesOf(steps), words, new Set(open)).lanes.map(({ text }) => text)

describe('page › lanes of messages', () => {
  it('few actors have a lane each, in the order in which they are heard of', () => {
    expect(heads(2)).to.deep.equal([
      'scheduler',
      'queue/etl',
      'run',
      'node/s0',
      'node/s0/attempt/1',
      'node/s1',
      'node/s1/attempt/1'
    ])
    expect(lanesOf(messagesOf(2), words, new Set()).families).to.deep.equal([])
  })

  it('many are in families, each folded into one lane: what is outside the run, the run, its steps, what they call', () => {
    const { lanes, of, families } = lanesOf(messagesOf(30), words, new Set())
    expect(lanes.map(({ text }) => text)).to.deep.equal(
      ['Outside: 2', 'Run', 'Steps: 30', 'Calls: 30'].map((text) => (text === 'Run' ? 'run' : text))
    )
    expect([of.get('scheduler'), of.get('run'), of.get('node/s7'), of.get('node/s7/attempt/1')]).to.deep.equal([
      0, 1, 2, 3
    ])
    expect(families.map(({ count }) => count)).to.deep.equal([2, 30, 30])
  })

  it('a family that is unfolded has a lane for each of its actors, by its own name', () => {
    const all = heads(30, 'calls')
    expect(all.slice(0, 4)).to.deep.equal(['Outside: 2', 'run', 'Steps: 30', 's0, 1'])
    expect(all).to.have.length(33)
  })
})
