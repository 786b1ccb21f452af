/** Which reason an engine that is not ready gives, when there are several. Decision D1410. */
import { expect } from 'chai'
import { UNREADY_REASONS } from '../../machines/vocabulary/lists.ts'
import { type Condition, unreadyOf } from '../../src/engine/readiness.ts'

const FINE: Condition = {
  isClosing: false,
  dead: undefined,
  lost: undefined,
  stalled: undefined,
  isComplete: true,
  scheduler: undefined,
  rival: undefined
}

describe('readiness', () => {
  it('an engine without any trouble is ready', () => {
    expect(unreadyOf(FINE)).to.equal(undefined)
  })

  it('each trouble has its reason, and the first one of the list counts', () => {
    const troubles: Partial<Condition>[] = [
      { isClosing: true },
      { dead: 'd' },
      { lost: 'l' },
      { stalled: 's' },
      { isComplete: false },
      { scheduler: 'scheduler has not ticked for 91s' },
      { rival: 'r' }
    ]
    expect(troubles.map((one) => unreadyOf({ ...FINE, ...one })?.reason)).to.deep.equal([...UNREADY_REASONS])
    for (const [at, one] of troubles.entries()) {
      const later = Object.assign({}, ...troubles.slice(at))
      expect(unreadyOf({ ...FINE, ...later })?.reason).to.equal(unreadyOf({ ...FINE, ...one })?.reason)
    }
  })

  it('paths and texts of the system stay in the log', () => {
    const said = [unreadyOf({ ...FINE, lost: '/srv/home is gone' }), unreadyOf({ ...FINE, stalled: 'ENOSPC /srv' })]
    expect(JSON.stringify(said)).not.to.match(/srv|ENOSPC/)
  })
})
