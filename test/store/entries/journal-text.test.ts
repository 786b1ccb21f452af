/** How journal records are stored. Source: architecture 1, 5 ("stored data carries a version"). */
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { JournalRecord } from '../../../machines/vocabulary.ts'
import { noChanges } from '../../../src/store/changes.ts'
import { commit } from '../../../src/store/commit.ts'
import { readEntry } from '../../../src/store/damage/damaged.ts'
import { takeLock } from '../../../src/store/disk/lock.ts'
import { SEAL_BYTES } from '../../../src/store/entries/sealed.ts'
import { journalOf } from '../../../src/store/history.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { STORE_VERSION } from '../../../src/store/store-version.ts'
import { temporaryFolder } from '../../support/homes.ts'

/** A record of a release without a special form for journal records. */
const putAsBefore = (store: Store, key: [string, string, number], record: unknown) =>
  store.root.openDB<unknown, [string, string, number]>({ name: 'journal' }).put(key, record)
const bytesOf = (store: Store, key: [string, string, number]) => store.journal.getBinary(key)?.length ?? 0

describe('store › journal records', () => {
  const key = { name: 'etl', dagRunId: 'r1' }
  /** Every member there is. */
  const full: Required<JournalRecord> = {
    run: key,
    seq: 7,
    at: 1_767_225_610_000,
    actor: 'run/etl/r1/node/s1',
    event: 'attempt.ended',
    from: 'attempting.executing',
    to: 'succeeded',
    cause: 6,
    status: 'succeeded',
    step: 's1',
    context: { exitCode: 0, error: null, conditions: [{ condition: 'a', met: false }] },
    whole: true,
    kept: [
      [0, { step: 'a', status: 'succeeded', retryCount: 0, doneCount: 1 }],
      ['onExit', { step: 'onExit', status: 'failed', retryCount: 0, doneCount: 1 }]
    ],
    trigger: { type: 'api', by: 'the token ci', again: 'retry', of: { name: 'etl', dagRunId: 'r0' } }
  }
  const {
    cause: _cause,
    status: _status,
    step: _step,
    context: _context,
    whole: _whole,
    kept: _kept,
    trigger: _trigger,
    ...least
  } = full
  let store: Store
  const folder = join(temporaryFolder(), 'data')
  const stored = async (records: JournalRecord[]) => {
    await commit(store, [{ ...noChanges(), journal: records }])
    return records.map(({ run = key, seq }) => store.journal.get([run.name, run.dagRunId, seq]))
  }

  before(() => {
    store = openStore(folder)
  })
  after(() => store.root.close())

  it('are read as they were written, with every member and with as few as there may be', async () => {
    for (const record of [full, least, { ...least, cause: 1 }, { ...least, kept: [] }, { ...least, context: {} }])
      expect(await stored([record])).to.deep.equal([record])
  })

  it('keep the address of any actor and the name of any step', async () => {
    const addresses = ['run/etl/r1', 'queue/etl', 'run/etl/r1/node/s/t/call', 'run/etl/r10', 'run/other/r1/node/s1']
    for (const [at, actor] of addresses.entries())
      for (const step of [undefined, 's1', 's/t', '1', 'onExit']) {
        const record = { ...least, seq: at + 1, actor, ...(step === undefined ? {} : { step }) }
        expect(await stored([record])).to.deep.equal([record])
      }
  })

  it('hold any text', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 })
    const drawn = fc.record({ step: text, actor: text, event: text, error: text, from: text })
    await fc.assert(
      fc.asyncProperty(drawn, async ({ step, actor, event, error, from }) => {
        const address = `run/etl/r1/node/${actor}`
        const named = step === '' ? {} : { step }
        const record: JournalRecord = { ...least, actor: address, event, from, ...named, context: { error } }
        expect(await stored([record])).to.deep.equal([record])
      }),
      { numRuns: 50 }
    )
  })

  it('hold a large context, and the ones after it are read all the same', async () => {
    const large = { ...full, context: { error: 'é'.repeat(300_000) } }
    await stored([1, 2, 3].map((seq) => ({ ...(seq === 2 ? large : full), seq })))
    expect(journalOf(store, key, 0, 3).map(({ seq, context }) => [seq, context])).to.deep.equal([
      [1, full.context],
      [2, large.context],
      [3, full.context]
    ])
    expect(store.journal.get(['etl', 'r1', 2])).to.deep.equal({ ...large, seq: 2 })
  })

  it('take less space than with the names of their members, and are self-contained', async () => {
    const usual = {
      ...least,
      cause: 6,
      status: 'succeeded' as const,
      step: 's1',
      context: { exitCode: 0, doneCount: 1 }
    }
    await stored([usual])
    await putAsBefore(store, ['etl', 'old', 7], usual)
    expect(bytesOf(store, ['etl', 'r1', 7]) - SEAL_BYTES).to.be.below(bytesOf(store, ['etl', 'old', 7]) * 0.7)
    const text = JSON.parse(String(store.journal.getBinary(['etl', 'r1', 7])?.subarray(SEAL_BYTES)))
    expect(text.slice(0, 5)).to.deep.equal([7, full.at, 'etl', 'r1', '/node/s1'])
  })

  it('of earlier releases are read beside them', async () => {
    await putAsBefore(store, ['etl', 'r2', 1], { ...full, run: { name: 'etl', dagRunId: 'r2' }, seq: 1 })
    await stored([{ ...full, run: { name: 'etl', dagRunId: 'r2' }, seq: 2 }])
    const [old, present] = journalOf(store, { name: 'etl', dagRunId: 'r2' }, 0, 10)
    expect({ ...old, seq: 2 }).to.deep.equal(present)
  })

  it('that are none are not taken for one: cut off, half overwritten, another value', async () => {
    const damaged = store.root.openDB<Buffer, [string, string, number]>({ name: 'journal', encoding: 'binary' })
    await stored([full])
    const whole = store.journal.getBinary(['etl', 'r1', 7]) ?? Buffer.alloc(0)
    const holes = Buffer.from(whole)
    holes.fill(0, 5, 20)
    for (const bytes of [
      whole.subarray(0, 40),
      holes,
      Buffer.from('[1,2]'),
      Buffer.from('{}'),
      Buffer.alloc(30),
      Buffer.of(0x80)
    ]) {
      await damaged.put(['etl', 'bad', 1], bytes)
      expect(() => store.journal.get(['etl', 'bad', 1]), bytes.toString('latin1')).to.throw()
      expect(readEntry(store.journal, ['etl', 'bad', 1])).to.equal(undefined)
    }
  })

  it('make a store of an earlier release one of this release when its home is taken, not when it is read', async () => {
    const meta = store.root.openDB<number, string>({ name: 'meta' })
    await meta.put('version', 1)
    const reader = openStore(folder, { readOnly: true })
    expect(meta.get('version')).to.equal(1)
    await reader.root.close()
    takeLock(store)()
    expect(meta.get('version')).to.equal(STORE_VERSION)
  })
})
