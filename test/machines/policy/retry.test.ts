/** Source: execution-semantics 6.1. */
import { expect } from 'chai'
import { retryDue, retryWaitMs } from '../../../machines/policy/retry.ts'
import { retry } from '../../support/charts/plans.ts'

const waits = (policy: Parameters<typeof retry>[0], count: number) =>
  Array.from({ length: count }, (_, index) => retryWaitMs(retry(policy), index + 1))

describe('policy › retry › is it due (6.1.1, 6.1.3, 6.1.4)', () => {
  it('6.1.1 as long as there were fewer retries than limit', () => {
    expect([0, 1, 2].map((retries) => retryDue(retry({ limit: 2 }), retries, { exitCode: 1 }))).to.deep.equal([
      true,
      true,
      false
    ])
  })
  it('6.1.2 limit 0 is no retry', () => {
    expect(retryDue(retry(), 0, { exitCode: 1 })).to.equal(false)
  })
  it('6.1.3 without exitCodes any code is accepted, with it only the listed codes', () => {
    for (const exitCode of [1, 2, 255, -1]) expect(retryDue(retry({ limit: 1 }), 0, { exitCode })).to.equal(true)
    const listed = retry({ limit: 1, exitCodes: [2, -1] })
    expect([1, 2, 255, -1].map((exitCode) => retryDue(listed, 0, { exitCode }))).to.deep.equal([
      false,
      true,
      false,
      true
    ])
  })
})

describe('policy › retry › the wait before retry k (6.1.5)', () => {
  it('interval without backoff', () => {
    expect(waits({ interval: 1_500 }, 3)).to.deep.equal([1_500, 1_500, 1_500])
  })
  it('interval * backoff^(k-1) with backoff: 1, 2, 4, ... for interval 1, backoff 2', () => {
    expect(waits({ interval: 1_000, backoff: 2 }, 5)).to.deep.equal([1_000, 2_000, 4_000, 8_000, 16_000])
  })
  it('a backoff that is no integer', () => {
    expect(waits({ interval: 1_000, backoff: 1.5 }, 3)).to.deep.equal([1_000, 1_500, 2_250])
  })
  it('cut to maxIntervalSec if > 0', () => {
    expect(waits({ interval: 1_000, backoff: 2, maxIntervalMs: 3_000 }, 4)).to.deep.equal([1_000, 2_000, 3_000, 3_000])
  })
  it('maxIntervalSec without backoff has no effect', () => {
    expect(waits({ interval: 9_000, maxIntervalMs: 3_000 }, 2)).to.deep.equal([9_000, 9_000])
  })
  it('interval 0 stays 0', () => {
    expect(waits({ backoff: 2 }, 3)).to.deep.equal([0, 0, 0])
  })
  it('without a cap it never grows past what a number can hold: context is JSON', () => {
    expect(retryWaitMs(retry({ interval: 1_000, backoff: 10 }), 5_000)).to.equal(Number.MAX_SAFE_INTEGER)
  })
})
