/** Source: execution-semantics 5.4. */
import { expect } from 'chai'
import { continuesAfterFailure, countsAsSuccess } from '../../../machines/policy/continue-on.ts'
import { continueOn } from '../../support/charts/plans.ts'

describe('policy › continueOn (5.4)', () => {
  const goesOn = (wish: Parameters<typeof continueOn>[0], exitCode = 1, outputMatched = false) =>
    continuesAfterFailure(continueOn(wish), exitCode, outputMatched)
  it('nothing given: no', () => {
    expect(goesOn({})).to.equal(false)
  })
  it('failure: true matches whatever the code', () => {
    expect([1, 124, -1].map((code) => goesOn({ failure: true }, code))).to.deep.equal([true, true, true])
  })
  it('exitCode matches when the code is in the list', () => {
    expect([1, 2, 3].map((code) => goesOn({ exitCodes: [2, 3] }, code))).to.deep.equal([false, true, true])
  })
  it('output matches when a line did', () => {
    expect(goesOn({ outputs: ['x'] }, 1, true)).to.equal(true)
    expect(goesOn({ outputs: ['x'] }, 1, false)).to.equal(false)
  })
  it('skipped says nothing about a failure', () => {
    expect(goesOn({ skipped: true })).to.equal(false)
  })
  it('5.4.1 any match suffices (or)', () => {
    expect(goesOn({ exitCodes: [9], outputs: ['x'] }, 1, true)).to.equal(true)
    expect(goesOn({ exitCodes: [1], outputs: ['x'] }, 1, false)).to.equal(true)
  })
})

describe('policy › markSuccess (5.4)', () => {
  const counts = (wish: Parameters<typeof continueOn>[0], exitCode = 1) =>
    countsAsSuccess(continueOn(wish), exitCode, false)
  it('nothing by itself', () => {
    expect(counts({ markSuccess: true })).to.equal(false)
  })
  it('when one of the failure matches holds', () => {
    expect(counts({ markSuccess: true, failure: true })).to.equal(true)
    expect(counts({ markSuccess: true, exitCodes: [1] })).to.equal(true)
    expect(counts({ markSuccess: true, exitCodes: [2] })).to.equal(false)
  })
  it('a match without it is no success', () => {
    expect(counts({ failure: true })).to.equal(false)
  })
})
