/** Suspend flags, which may also be set by hand. Source: api-semantics 10.3, execution-semantics 11.14. */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { suspendFlags } from '../../../src/store/files/suspend-flags.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('suspend flags', () => {
  let folder: string
  beforeEach(() => {
    folder = join(temporaryFolder(), 'suspend')
  })
  const names = (flags: ReturnType<typeof suspendFlags>) => [...flags.all()].sort()
  const byHand = (name: string) => writeFileSync(join(folder, `${name}.suspend`), '')

  it('none without a folder; set, unset and carried to another name; the same twice is no error', () => {
    const flags = suspendFlags(folder, systemClock)
    expect(names(flags)).to.deep.equal([])
    for (const name of ['a', 'b', 'a']) flags.set(name, true)
    expect(names(flags)).to.deep.equal(['a', 'b'])
    flags.carry('a', 'c', () => {})
    flags.set('a', false)
    for (const _ of [1, 2]) flags.set('b', false)
    expect(names(flags)).to.deep.equal(['c'])
  })

  it('11.14 a rename that is cut off: suspended under either name; one that is refused leaves both flags as they were', () => {
    const flags = suspendFlags(folder, systemClock)
    flags.set('a', true)
    flags.carry('a', 'b', () => expect(names(flags)).to.deep.equal(['a', 'b']))
    flags.set('a', false)
    const refused = () => {
      throw new Error('there is one')
    }
    for (const [from, to] of [
      ['b', 'c'],
      ['c', 'b']
    ] as const) {
      expect(() => flags.carry(from, to, refused)).to.throw('there is one')
      expect(names(flags)).to.deep.equal(['b'])
    }
  })

  it('a folder that cannot be read is reported by every call', () => {
    writeFileSync(folder, '')
    const flags = suspendFlags(folder, systemClock)
    const found = `the suspend flags cannot be read: ${folder}: a part of its path is no folder; until they can, no schedule starts anything`
    for (const ask of [() => flags.all(), () => flags.carry('a', 'b', () => {})])
      expect(ask).to.throw(found).with.property('code', 'service_unavailable')
  })

  it('flags set and removed by hand are seen at once, many within one tick of the file system', () => {
    const flags = suspendFlags(folder, systemClock)
    mkdirSync(folder)
    for (let n = 0; n < 200; n++) {
      byHand(`n${n}`)
      expect(flags.all().size).to.equal(n + 1)
    }
    for (let n = 0; n < 200; n++) {
      rmSync(join(folder, `n${n}.suspend`))
      expect(flags.all().size).to.equal(199 - n)
    }
  })

  it('are the same set as long as the folder has not changed', () => {
    const flags = suspendFlags(folder, systemClock)
    flags.set('a', true)
    expect(flags.all()).to.equal(flags.all())
    // Another clock, on which the change is long over: from there the folder is not read.
    const later = suspendFlags(folder, { ...systemClock, now: () => systemClock.now() + 3_600_000 })
    expect(later.all()).to.equal(later.all())
    byHand('b')
    utimesSync(folder, new Date(), new Date())
    expect(names(later)).to.deep.equal(['a', 'b'])
  })
})
