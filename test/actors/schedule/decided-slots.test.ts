/** Which scheduled minutes are remembered as decided. Source: execution-semantics 11.5, reliability P15. */
import { expect } from 'chai'
import { decidedSlots } from '../../../src/actors/schedule/decided-slots.ts'
import type { Store } from '../../../src/store/open.ts'

const MINUTE = 60_000
const due = (minute: number) => ({ fileName: 'a', name: 'a', kind: 'start' as const, slot: minute * MINUTE })

/** Decides each minute of the ranges, as a clock goes through them. */
function settled(...ranges: [first: number, last: number][]) {
  const store = { slots: { get: () => undefined } } as unknown as Store // nothing is decided yet
  const slots = decidedSlots(store, () => 'UTC')
  for (const [first, last] of ranges) for (let minute = first; minute <= last; minute++) slots.settle(due(minute))
  return (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => slots.isSettled(due(first + index))).every((is) => is)
}

describe('decided slots › P15 a slot fires at most once, whatever the clock does', () => {
  it('the latest 60 are remembered', () => {
    const are = settled([1, 100])
    expect([are(41, 100), are(40, 40)]).to.deep.equal([true, false])
  })
  it('set back again before it has caught up: recurring minutes are not displaced by earlier ones', () => {
    const are = settled([1_058, 1_090], [1_040, 1_040], [991, 1_057])
    expect([are(998, 1_057), are(1_058, 1_090)]).to.deep.equal([true, true])
  })
  it('set far ahead and back: minutes of that time displace no current ones', () => {
    const are = settled([9_000, 9_100], [1, 60])
    expect([are(1, 60), are(9_041, 9_100)]).to.deep.equal([true, true])
  })
})
