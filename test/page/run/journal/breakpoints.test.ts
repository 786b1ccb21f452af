/** Where playing stops. */
import { expect } from 'chai'
import type { JournalEvent } from '../../../../src/page/answers.ts'
import { breakpointOf, breakpointText, isHit } from '../../../../src/page/run/journal/breakpoints.ts'

describe('page › where playing stops', () => {
  const event = (actor: string, from: string, to: string): JournalEvent => ({
    name: 'etl',
    dagRunId: 'r1',
    seq: 1,
    at: '',
    atMs: 0,
    event: 'e',
    actor: `run/etl/r1/${actor}`,
    from,
    to
  })
  it('when the actor enters the state, or one within it, from outside', () => {
    const points = [breakpointOf('node/load all', 'attempting')]
    expect(isHit(points, event('node/load all', 'waiting', 'attempting.executing'))).to.equal(true)
    expect(isHit(points, event('node/load all', 'attempting.executing', 'attempting.stopping'))).to.equal(false)
    expect(isHit(points, event('node/load', 'waiting', 'attempting.executing'))).to.equal(false)
    expect(isHit(points, event('node/load all', 'attempting.executing', 'waiting'))).to.equal(false)
    expect(isHit([], event('node/load all', '', 'attempting'))).to.equal(false)
  })
  it('has words for a person', () => {
    expect(breakpointText(breakpointOf('node/load all', 'waiting'))).to.equal('node/load all enters waiting')
  })
})
