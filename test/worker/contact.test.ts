/** When a worker may begin something, and when what it has must have ended. Source: distribution 1 (D4), 5. */
import { expect } from 'chai'
import { openContact } from '../../src/worker/contact.ts'

/** @param deadline that a process before this one has left */
function opened(deadline?: number) {
  let until = deadline
  let now = 1_000_000
  let isFull = false
  const warnings: string[] = []
  const fence = {
    deadline: () => until,
    renew: (ms: number) => {
      if (isFull) throw new Error('no space')
      until = Math.max(until ?? 0, ms)
    }
  }
  const contact = openContact(
    fence,
    '7-ab',
    () => now,
    (text) => warnings.push(text)
  )
  return {
    contact,
    warnings,
    fill(full: boolean) {
      isFull = full
    },
    until: () => until,
    pass: (ms: number) => {
      now += ms
    },
    /** A heartbeat that is answered after `ms`. */
    beat(n: number, ms = 0) {
      contact.sent(n)
      now += ms
      contact.answered(n, 60_000)
    }
  }
}

describe('worker › contact', () => {
  it('D4 an answered heartbeat moves the deadline to 5 s before the engine may begin anything elsewhere, from when it was sent', () => {
    const { contact, until, beat } = opened()
    expect(until()).to.equal(undefined)
    beat(1, 4_000)
    expect(until()).to.equal(1_055_000)
    contact.sent(2)
    expect(until()).to.equal(1_055_000)
  })
  it('nothing begins 10 s after the last answered heartbeat was sent, whenever the answer came', () => {
    const { contact, beat, pass } = opened()
    beat(1, 4_000)
    expect(contact.isFresh()).to.equal(true)
    pass(5_999)
    expect(contact.isFresh()).to.equal(true)
    pass(1)
    expect(contact.isFresh()).to.equal(false)
  })
  it('an offer counts for 10 s after the heartbeat that the engine had heard, of this process only', () => {
    const { contact, beat, pass } = opened()
    beat(1)
    pass(9_000)
    beat(2)
    expect(contact.isRecent({ session: '7-ab', n: 1 })).to.equal(true)
    pass(1_000)
    expect(contact.isRecent({ session: '7-ab', n: 1 })).to.equal(false)
    expect(contact.isRecent({ session: '7-ab', n: 2 })).to.equal(true)
    expect(contact.isRecent({ session: '6-ab', n: 2 })).to.equal(false)
    expect(contact.isRecent(undefined)).to.equal(true)
  })
  it('past the deadline what is at work must end, and what was claimed before must not begin any more', () => {
    const { contact, beat, pass } = opened()
    beat(1)
    const before = contact.lapses()
    pass(54_999)
    expect(contact.isPast()).to.equal(false)
    beat(2)
    expect(contact.lapses()).to.equal(before)
    pass(55_000)
    expect(contact.isPast()).to.equal(true)
    beat(3)
    expect([contact.isPast(), contact.lapses()]).to.deep.equal([false, before + 1])
  })
  it('a process that finds a deadline waits for the engine; the deadline of another boot, or none, is past', () => {
    const found = opened(1_001_000)
    expect(found.contact.isFresh()).to.equal(false)
    found.beat(1)
    expect([found.contact.isFresh(), found.contact.lapses()]).to.deep.equal([true, 0])
    const late = opened(999_000)
    late.beat(1)
    expect(late.contact.lapses()).to.equal(1)
  })
  it('a deadline that cannot be written stays as it is, and nothing begins by it; the worker goes on', () => {
    const { contact, beat, pass, fill, until, warnings } = opened()
    beat(1)
    fill(true)
    pass(10_000)
    beat(2)
    expect([until(), contact.isFresh(), warnings.length]).to.deep.equal([1_055_000, false, 1])
    fill(false)
    beat(3)
    expect([until(), contact.isFresh(), contact.lapses()]).to.deep.equal([1_065_000, true, 1])
  })
  it('D17 an engine of an earlier release begins nothing elsewhere: nothing ends here', () => {
    const { contact, pass } = opened()
    contact.sent('hello')
    contact.answered('hello')
    pass(3_600_000)
    expect([contact.isFresh(), contact.isPast(), contact.isRecent(undefined)]).to.deep.equal([true, false, true])
  })
})
