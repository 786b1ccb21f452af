/** Token buckets: what is taken, when there is more, and what is forgotten. Source: docs/operating/limits.md "Callers". */
import { expect } from 'chai'
import { openBuckets } from '../../../src/api/limits/caller-limits.ts'
import { handClock } from '../../support/cli/fake-cli-engine.ts'

const TEN_A_SECOND = { burst: 3, perMs: 10 / 1_000 }

describe('API › limits: buckets', () => {
  it('one starts full, gives what it holds, and fills evenly; a refused request takes nothing', () => {
    const clock = handClock()
    const { take } = openBuckets(clock)
    const times = (count: number) => Array.from({ length: count }, () => take('a', TEN_A_SECOND))
    expect(times(5)).to.deep.equal([0, 0, 0, 1, 1])
    clock.pass(99)
    expect(times(1)).to.deep.equal([1])
    clock.pass(1)
    expect(times(2)).to.deep.equal([0, 1])
    clock.pass(60_000)
    expect(times(4)).to.deep.equal([0, 0, 0, 1])
  })
  it('the wait is whole seconds until there is one', () => {
    const clock = handClock()
    const { take } = openBuckets(clock)
    const oneAMinute = { burst: 1, perMs: 1 / 60_000 }
    expect([take('a', oneAMinute), take('a', oneAMinute)]).to.deep.equal([0, 60])
    clock.pass(30_500)
    expect(take('a', oneAMinute)).to.equal(30)
  })
  it('one caller does not touch another', () => {
    const { take } = openBuckets(handClock())
    for (let n = 0; n < 10; n++) take('a', TEN_A_SECOND)
    expect(take('b', TEN_A_SECOND)).to.equal(0)
  })
  it('those that are full again are forgotten, and never more are remembered than may be', () => {
    const clock = handClock()
    const buckets = openBuckets(clock, 100)
    for (let n = 0; n < 1_000; n++) buckets.take(`c${n}`, TEN_A_SECOND)
    expect(buckets.size).to.equal(100)
    clock.pass(1_000)
    for (let n = 0; n < 200; n++) buckets.take('a', TEN_A_SECOND)
    expect(buckets.size).to.equal(1)
  })
})
