/** A turn and its commit. Source: architecture 1, reliability P6. */
import { expect } from 'chai'
import { openTurns } from '../../src/actors/turns.ts'
import type { Store } from '../../src/store/open.ts'
import { simulatedClock } from '../support/simulated-clock.ts'

describe('actors › turns', () => {
  it('P6 what cannot be written is told until it can be, though something else is written meanwhile', async () => {
    const clock = simulatedClock()
    let isFull = true
    const batch = async () => {
      if (isFull) throw new Error('ENOSPC: no space left on device')
    }
    const store = { root: { batch, flushed: Promise.resolve() } } as unknown as Store // all that a commit without records uses
    const ahead = { append: () => {}, clear: () => {}, close: () => {} }
    const turns = openTurns(store, ahead, clock, false, (error) => {
      throw error
    })
    const moment = async () => {
      for (let n = 0; n < 5; n++) await new Promise<void>((resolve) => setImmediate(resolve))
      clock.goTo(clock.now() + 500)
      for (let n = 0; n < 5; n++) await new Promise<void>((resolve) => setImmediate(resolve))
    }
    let isShown = false
    turns.take(() => {
      turns.changes.journal.push({ seq: 1, at: 0, actor: 'a', event: 'e', from: '', to: 'b' })
      turns.afterFlush(() => {
        isShown = true
      })
    })
    await moment()
    turns.take(() => turns.afterCommit(() => {})) // has nothing to store
    await moment()
    expect(turns.stalled).to.equal('the store cannot be written: ENOSPC: no space left on device')
    expect(isShown).to.equal(false)
    isFull = false
    await moment()
    expect([turns.stalled, isShown]).to.deep.equal([undefined, true])
  })
})
