/** A transaction and its commit. Source: architecture 1, reliability P6. */
import { expect } from 'chai'
import { openTransactions } from '../../../src/actors/journal/transactions.ts'
import { openMeters } from '../../../src/platform/meters.ts'
import type { Store } from '../../../src/store/open.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

/** Transactions on a disk that is full until `disk.full` is false. */
function given(meters = openMeters()) {
  const clock = simulatedClock()
  /** `isAheadFull`: nothing can be written ahead either. */
  const disk = { full: true, isAheadFull: false }
  const write = (isFull: boolean) => {
    if (isFull) throw new Error('ENOSPC: no space left on device')
  }
  const batch = async () => write(disk.full)
  const store = { root: { batch, flushed: Promise.resolve() } } as unknown as Store // all that a commit without records uses
  const ahead = { append: () => write(disk.isAheadFull), clear: () => cleared.push('cleared'), close: () => {} }
  const said: (string | undefined)[] = []
  const cleared: string[] = []
  const fault = (error: unknown) => {
    throw error
  }
  const transactions = openTransactions(store, ahead, clock, false, fault, (reason) => said.push(reason), meters)
  const change = () =>
    void transactions.changes.journal.push({ seq: 1, at: 0, actor: 'a', event: 'e', from: '', to: 'b' })
  const quiet = async () => {
    for (let n = 0; n < 5; n++) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  const moment = async () => {
    await quiet()
    clock.goTo(clock.now() + 500)
    await quiet()
  }
  return { clock, disk, transactions, said, cleared, change, quiet, moment }
}

describe('actors › transactions', () => {
  it('P6 what cannot be written is reported until it can be, even if something else is written meanwhile', async () => {
    const { disk, transactions, said, change, moment } = given()
    let isShown = false
    transactions.take(() => {
      change()
      transactions.afterFlush(() => {
        isShown = true
      })
    })
    await moment()
    transactions.take(() => transactions.afterCommit(() => {})) // has nothing to store
    await moment()
    expect(transactions.stalled).to.equal('the store cannot be written: ENOSPC: no space left on device')
    expect(isShown).to.equal(false)
    disk.full = false
    await moment()
    expect([transactions.stalled, isShown]).to.deep.equal([undefined, true])
    expect(said, 'once each').to.deep.equal(['the store cannot be written: ENOSPC: no space left on device', undefined])
  })
  it('a fact outside is looked up before each of them, and may be stored by one of its own', () => {
    const { transactions } = given()
    const order: string[] = []
    let isNew = true
    transactions.before(() => {
      order.push('look')
      if (!isNew) return
      isNew = false
      transactions.take(() => order.push('what is new'))
    })
    for (const name of ['one', 'two']) transactions.take(() => order.push(name))
    expect(order).to.deep.equal(['look', 'look', 'what is new', 'one', 'look', 'two'])
  })
  it('P6 what does not wait for a full disk is run once: when it is found full, or at once while it is', async () => {
    const { disk, transactions, change, moment } = given()
    const ran: string[] = []
    const stop = (name: string) =>
      transactions.take(() => {
        change()
        transactions.afterFlush(() => ran.push(`${name} is stored`))
        transactions.afterCommitOrStall(() => ran.push(name))
      })
    disk.full = false
    stop('before')
    expect(ran, 'not before the commit').to.deep.equal([])
    await moment()
    Object.assign(disk, { full: true, isAheadFull: true })
    stop('found full')
    await moment()
    stop('while it is full')
    expect(ran.splice(0)).to.deep.equal(['before', 'before is stored', 'found full', 'while it is full'])
    Object.assign(disk, { full: false, isAheadFull: false })
    await moment()
    await moment()
    expect(ran).to.deep.equal(['found full is stored', 'while it is full is stored'])
  })
  it('D1621 an engine that closes waits 2 s for a full disk, then calls no further effect, and keeps what was written ahead', async () => {
    const { disk, transactions, change, moment, cleared } = given()
    const ran: string[] = []
    const turn = (name: string) =>
      transactions.take(() => {
        change()
        transactions.afterCommit(() => ran.push(name))
        transactions.afterFlush(() => ran.push(`${name} is stored`))
      })
    turn('written ahead')
    await moment()
    let isOver = false
    void transactions.leave().then(() => {
      isOver = true
    })
    for (let n = 0; n < 3; n++) await moment()
    expect([isOver, transactions.left], 'space may come').to.deep.equal([false, undefined])
    for (let n = 0; n < 2; n++) await moment()
    expect([isOver, transactions.left]).to.deep.equal([
      true,
      'the store cannot be written: ENOSPC: no space left on device'
    ])
    await transactions.settled()
    disk.full = false
    turn('too late')
    await moment()
    await transactions.settled()
    expect(ran).to.deep.equal(['written ahead'])
    expect(cleared, 'the next engine reads it').to.deep.equal([])
  })
  it('D1621 an engine that closes stores what the disk takes in time', async () => {
    const { disk, transactions, change, moment, cleared } = given()
    let isStored = false
    transactions.take(() => {
      change()
      transactions.afterFlush(() => {
        isStored = true
      })
    })
    await moment()
    void transactions.leave()
    await moment()
    disk.full = false
    await moment()
    await transactions.settled()
    expect([isStored, transactions.left, cleared]).to.deep.equal([true, undefined, ['cleared']])
  })
  for (const isUrgent of [true, false])
    it(`a clock that is set back ${isUrgent ? 'while the disk is full' : 'while more transactions are waited for'} delays nothing`, async () => {
      const { clock, disk, transactions, change, quiet, moment } = given()
      disk.full = isUrgent
      let isShown = false
      const shown = () => {
        isShown = true
      }
      transactions.take(() => {
        change()
        if (isUrgent) transactions.afterFlush(shown)
        else transactions.whenShown(shown)
      })
      await quiet()
      disk.full = false
      clock.jump(clock.now() - 3_600_000)
      await moment()
      expect([transactions.stalled, isShown]).to.deep.equal([undefined, true])
    })
})

describe('actors › transactions › what is measured', () => {
  it('D1414 while somebody listens: a turn with all that is taken within it, and a write with its retries', async () => {
    const meters = openMeters()
    const { clock, disk, transactions, change, moment, quiet } = given(meters)
    const turn = (ms: number, inner = () => {}) =>
      transactions.take(() => {
        change()
        clock.goTo(clock.now() + ms)
        inner()
      })
    disk.full = false
    turn(7)
    await moment()
    const told: unknown[] = []
    const end = meters.listen((measured) => told.push(measured))
    turn(3, () => turn(2))
    await quiet()
    expect(told, 'they come together').to.deep.equal([])
    meters.tell()
    expect(told).to.deep.equal([
      { what: 'turn', ms: 5 },
      { what: 'write', file: 'write_ahead', ms: 0 }
    ])
    disk.full = true
    await moment()
    disk.full = false
    await moment()
    end()
    expect(told.slice(2)).to.deep.equal([{ what: 'write', file: 'store', ms: 500 }])
    turn(9)
    await moment()
    meters.tell()
    expect(told).to.have.length(3)
  })
})
