/** Source: execution-semantics 6.2. */
import { expect } from 'chai'
import { goesOn, heldByCode, passesLeft, repeatWaitMs } from '../../../machines/policy/repeat.ts'
import { repeat } from '../../support/charts/plans.ts'

const waits = (wish: Parameters<typeof repeat>[0], count: number) =>
  Array.from({ length: count }, (_, index) => repeatWaitMs(repeat(wish), index + 1))

describe('policy › repeat › does it go on (6.2)', () => {
  it('while: as long as what is tested holds; until: as long as it does not', () => {
    expect([true, false].map((held) => goesOn(repeat({ mode: 'while' }), held))).to.deep.equal([true, false])
    expect([true, false].map((held) => goesOn(repeat({ mode: 'until' }), held))).to.deep.equal([false, true])
  })
  it('exitCode: the last exit code is in the list', () => {
    const policy = repeat({ exitCodes: [7, -1, 0] })
    expect([7, -1, 0, 1].map((exitCode) => heldByCode(policy, { exitCode }))).to.deep.equal([true, true, true, false])
  })
  it('exitCode: a pass that failed with a listed code holds all the same', () => {
    expect(heldByCode(repeat({ exitCodes: [7] }), { exitCode: 7, error: 'exit status 7' })).to.equal(true)
  })
  it('nothing to test: the execution succeeded', () => {
    expect(heldByCode(repeat(), { exitCode: 0 })).to.equal(true)
    expect(heldByCode(repeat(), { exitCode: 1, error: 'exit status 1' })).to.equal(false)
    expect(heldByCode(repeat(), { exitCode: 0, error: 'failed to capture output' })).to.equal(false)
  })
})

describe('policy › repeat › limit (6.2.2)', () => {
  it('is the total of executions', () => {
    expect([1, 2, 3, 4].map((passes) => passesLeft(repeat({ limit: 3 }), passes))).to.deep.equal([
      true,
      true,
      false,
      false
    ])
  })
  it('0 is unlimited', () => {
    expect(passesLeft(repeat({ limit: 0 }), 1_000_000)).to.equal(true)
  })
})

describe('policy › repeat › the wait before pass n+1 (6.2.5)', () => {
  it('interval without backoff', () => {
    expect(waits({ intervalMs: 1_500 }, 3)).to.deep.equal([1_500, 1_500, 1_500])
  })
  it('interval * backoff^(n-1) with backoff: 1, 2, 4, ... for interval 1, backoff 2', () => {
    expect(waits({ intervalMs: 1_000, backoff: 2 }, 5)).to.deep.equal([1_000, 2_000, 4_000, 8_000, 16_000])
  })
  it('cut to maxIntervalSec', () => {
    const capped = { intervalMs: 1_000, backoff: 2, maxIntervalMs: 3_000 }
    expect(waits(capped, 4)).to.deep.equal([1_000, 2_000, 3_000, 3_000])
  })
  it('after any number of passes it is a number, because context is JSON', () => {
    expect(repeatWaitMs(repeat({ intervalMs: 1_000, backoff: 10 }), 1_000_000)).to.equal(Number.MAX_SAFE_INTEGER)
    expect(repeatWaitMs(repeat({ intervalMs: 1_000, backoff: 10, maxIntervalMs: 60_000 }), 1_000_000)).to.equal(60_000)
    expect(repeatWaitMs(repeat({ intervalMs: 0, backoff: 10 }), 1_000_000)).to.equal(0)
  })
})
