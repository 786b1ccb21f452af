/** A limit of the machine is no damage. Source: reliability P7. */
import { expect } from 'chai'
import { isOfMachine } from '../../../src/store/damage/of-machine.ts'
import { readWhole } from '../../../src/store/damage/unreadable-entries.ts'
import { endedByDamage } from '../../../src/store/damage/whole.ts'
import { asDamage, type Store } from '../../../src/store/open.ts'

describe('store › limits of the machine', () => {
  const found = [
    Object.assign(new Error('open failed'), { code: 'EMFILE' }),
    Object.assign(new Error('open failed'), { code: 'ENFILE' }),
    Object.assign(new Error('Cannot allocate memory'), { code: 12 }),
    new RangeError('Array buffer allocation failed')
  ]

  it('D1627 memory and open files that lack are never called damage', () => {
    for (const error of found) {
      expect(isOfMachine(error), error.message).to.equal(true)
      expect(asDamage('/home/data/troupe.mdb', error), error.message).to.equal(error)
    }
    const damage = new Error('MDB_CORRUPTED: Located page was wrong type')
    expect(isOfMachine(damage)).to.equal(false)
    expect(asDamage('/home/data/troupe.mdb', damage)).not.to.equal(damage)
  })

  it('D1627 nor is an entry set aside for them', () => {
    for (const error of found) {
      const table = {
        getKeys: () => [['a', 'r1']],
        get() {
          throw error
        }
      }
      const store = new Proxy({}, { get: () => table }) as Store // all that a read uses
      expect(() => readWhole(store), error.message).to.throw(error.message)
    }
  })

  it('D1627 a reader that was killed for want of memory has found no damage', () => {
    expect(endedByDamage('SIGSEGV', '')).to.equal(true)
    expect(endedByDamage('SIGBUS', 'mdb.c:1: Assertion failed')).to.equal(true)
    expect(endedByDamage('SIGKILL', ''), 'by the kernel').to.equal(false)
    expect(
      endedByDamage('SIGABRT', 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory')
    ).to.equal(false)
  })
})
