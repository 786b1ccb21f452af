/** The keys of a home: what is stored when, what a full disk changes, expiry, what is forgotten; on a store in memory, under a clock of its own. Source: docs/authentication.md "API keys". */
import { expect } from 'chai'
import { openKeyRing, readKeys } from '../../../src/engine/keys/key-ring.ts'
import { keysIn } from '../../../src/store/tables/access-keys.ts'
import { emptyDisk, memoryStore } from '../../../src/testing/memory/memory-store.ts'
import { openMoments } from '../../../src/testing/moments.ts'
import { simulatedClock } from '../../../src/testing/simulated-clock.ts'
import { handClock } from '../../support/cli/fake-cli-engine.ts'

const atOnce = <T>(work: () => Promise<T>) => work()

/** What a call was refused with. */
async function errorOf(call: () => Promise<unknown>): Promise<{ code?: string; message: string }> {
  try {
    await call()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('it was not refused')
}
const DAY_MS = 24 * 3_600_000

describe('key ring', () => {
  function scene() {
    const disk = emptyDisk()
    const clock = handClock()
    const warnings: string[] = []
    const open = () => {
      const store = memoryStore(disk, openMoments(simulatedClock()))
      return { store, ring: openKeyRing({ store, clock, warn: (text) => warnings.push(text), check: () => {} }) }
    }
    return { disk, clock, warnings, open, ...open() }
  }
  const wanted = { name: 'ci', role: 'viewer', rules: [], by: 'ann' } as const

  it('a revocation that cannot be stored counts here at once, says so, and can be tried again', async () => {
    const { ring, disk, open } = scene()
    const { text, key } = await ring.make(wanted)
    expect(await ring.keyOf(text, atOnce)).to.deep.include({ name: 'ci' })
    disk.full = true
    const ends: string[] = []
    ring.whileGood(key, (why) => ends.push(why))
    const { code, message } = await errorOf(() => ring.revoke('ci', 'bob'))
    expect(code).to.equal('service_unavailable')
    expect(message).to.contain('ci lets nobody in now, but will after a restart: revoke it again')
    expect([ends, await ring.keyOf(text, atOnce)]).to.deep.equal([['revoked'], undefined])
    expect(await open().ring.keyOf(text, atOnce)).to.not.equal(undefined)
    disk.full = false
    expect(await ring.revoke('ci', 'bob')).to.deep.include({ status: 'revoked', revokedBy: 'bob' })
    expect(await open().ring.keyOf(text, atOnce)).to.equal(undefined)
    expect((await errorOf(() => ring.revoke('ci', 'bob'))).code).to.equal('not_found')
  })

  it('a key that cannot be stored does not count', async () => {
    const { ring, disk } = scene()
    disk.full = true
    expect((await errorOf(() => ring.make(wanted))).code).to.equal('service_unavailable')
    expect(ring.all()).to.deep.equal([])
  })

  it('the last use is stored at first use, then once a minute at most, and at the close; never over a revocation', async () => {
    const { ring, clock, store } = scene()
    const { text } = await ring.make(wanted)
    const stored = () => keysIn(store)[0]?.key.lastUsedAt
    const settled = () => new Promise((resolve) => setImmediate(resolve))
    const use = async () => {
      await ring.keyOf(text, atOnce)
      clock.pass(0)
      for (let turn = 0; turn < 5; turn++) await settled()
    }
    await use()
    const first = clock.now()
    expect(stored()).to.equal(first)
    clock.pass(1_000)
    await use()
    expect([stored(), ring.all()[0]?.lastUsedAt]).to.deep.equal([first, first + 1_000])
    clock.pass(59_000)
    for (let turn = 0; turn < 5; turn++) await settled()
    expect(stored()).to.equal(first + 1_000)
    clock.pass(1_000)
    await use()
    await Promise.all([ring.close(), ring.revoke('ci', 'ann')])
    expect(keysIn(store)[0]?.key).to.include({ revokedBy: 'ann', lastUsedAt: clock.now() })
  })

  it('a key expires by the clock, and is forgotten 90 days after its end, with the next key that is made', async () => {
    const { ring, clock } = scene()
    const { text, key } = await ring.make({ ...wanted, expiresAt: clock.now() + DAY_MS })
    const ends: string[] = []
    ring.whileGood(key, (why) => ends.push(why))
    expect(await ring.keyOf(text, atOnce)).to.not.equal(undefined)
    clock.pass(DAY_MS)
    expect([ends, await ring.keyOf(text, atOnce), ring.all()[0]?.status]).to.deep.equal([
      ['expired'],
      undefined,
      'expired'
    ])
    clock.pass(91 * DAY_MS)
    await ring.make(wanted)
    expect(ring.all().map(({ status }) => status)).to.deep.equal(['active'])
  })

  it('one that ends after it was looked at ends its streams, whenever they begin', async () => {
    const { ring } = scene()
    const { key } = await ring.make(wanted)
    await ring.revoke('ci', 'ann')
    const why = await new Promise((resolve) => ring.whileGood(key, resolve))
    expect(why).to.equal('revoked')
  })

  it('a reader looks at what is stored each time, and changes nothing', async () => {
    const { ring, store, clock } = scene()
    const reader = readKeys(store, clock, () => {
      throw new Error('read only')
    })
    const { text } = await ring.make(wanted)
    expect(await reader.keyOf(text, atOnce)).to.deep.include({ name: 'ci' })
    expect(reader.all()[0]).to.not.have.property('hash')
    await ring.revoke('ci', 'ann')
    expect(await reader.keyOf(text, atOnce)).to.equal(undefined)
    expect((await errorOf(() => reader.make(wanted))).message).to.equal('read only')
  })
})
