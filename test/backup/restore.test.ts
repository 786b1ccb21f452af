/** What a restore takes the place of, and what it refuses. Source: reliability T5. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readManifest } from '../../src/backup/manifest.ts'
import { createEngine } from '../../src/index.ts'
import { openStore } from '../../src/store/open.ts'
import { STORE_VERSION } from '../../src/store/store-version.ts'
import { temporaryFolder } from '../support/homes.ts'
import { backedUp, livedInHomeCopy, refusal, restored } from '../support/store/backups.ts'
import { damage, livedInHome } from '../support/store/lived-in-home.ts'

describe('backup and restore', () => {
  let home = ''
  before(async () => {
    home = await livedInHome()
  })

  it('with --replace it takes the place of a store that nothing can open, which goes aside', async () => {
    const [backup, other] = [join(temporaryFolder(), 'b'), temporaryFolder()]
    await backedUp(home, backup)
    mkdirSync(join(other, 'data'))
    writeFileSync(join(other, 'data', 'troupe.mdb'), 'no store')
    expect(await refusal(restored(backup, other))).to.match(/^already_exists: /)
    const { runs, aside } = await restored(backup, other, true)
    expect(runs).to.equal(7)
    expect(readFileSync(join(aside[0] ?? '', 'troupe.mdb'), 'utf8')).to.equal('no store')
  })

  it('a home that an engine is at work on is refused, with --replace too', async () => {
    const [backup, other] = [join(temporaryFolder(), 'b'), temporaryFolder()]
    await backedUp(home, backup)
    const engine = await createEngine({ home: other })
    try {
      for (const replace of [false, true])
        expect(await refusal(restored(backup, other, replace))).to.match(
          /^service_unavailable: this home is in use by the engine with process id \d+/
        )
    } finally {
      await engine.close()
    }
    expect(await refusal(restored(backup, other))).to.match(/^already_exists: there is something already at /)
    expect((await restored(backup, other, true)).runs).to.equal(7)
    expect(readdirSync(other).filter((name) => name.startsWith('data.replaced-'))).to.have.length(1)
    expect(readdirSync(other).filter((name) => name.endsWith('.restoring'))).to.deep.equal([])
  })

  it('a backup that was changed is refused, and the home stays as it was', async () => {
    const [backup, other] = [join(temporaryFolder(), 'b'), temporaryFolder()]
    await backedUp(home, backup)
    const log = readManifest(backup).files.find(({ path }) => path.endsWith('.out'))?.path ?? ''
    appendFileSync(join(backup, log), 'x')
    expect(await refusal(restored(backup, other))).to.equal(
      `bad_request: the backup is damaged: ${log} is not what was written; use another one`
    )
    expect(readdirSync(other)).to.deep.equal([])
    expect(await refusal(restored(temporaryFolder(), other))).to.match(/^not_found: .* is no backup/)
  })

  it('a place in the backup, or around it, is refused before anything is changed; beside the parts of a home it may lie', async () => {
    const other = await livedInHomeCopy()
    const backup = join(other, 'backups', 'b')
    await backedUp(other, backup)
    const link = join(temporaryFolder(), 'link')
    symlinkSync(backup, link)
    const before = readdirSync(backup)
    for (const home of [backup, join(backup, 'new'), join(backup, 'store'), join(link, 'new')])
      for (const source of [backup, link])
        expect(await refusal(restored(source, home, true))).to.equal(
          `bad_request: wanted a place outside of the backup ${source}, found ${home}/data: give another --home, or other paths`
        )
    expect(readdirSync(backup)).to.deep.equal(before)

    const moved = join(other, 'logs', 'b')
    renameSync(backup, moved)
    expect(await refusal(restored(moved, other, true))).to.equal(
      `bad_request: wanted a backup outside of ${other}/logs, whose place it takes, found ${moved}: move it elsewhere`
    )
    expect(readdirSync(other).filter((name) => name.includes('.re'))).to.deep.equal([])

    renameSync(moved, backup)
    expect((await restored(backup, other, true)).runs).to.equal(1)
  })

  it('a backup of a newer release is refused with a clear message', async () => {
    const [newer, backup, other] = [await livedInHomeCopy(), join(temporaryFolder(), 'b'), temporaryFolder()]
    await backedUp(newer, backup)
    const path = join(backup, 'manifest.json')
    writeFileSync(path, JSON.stringify({ ...readManifest(backup), format: 99, version: '9.9.9' }))
    expect(await refusal(restored(backup, other))).to.equal(
      'bad_request: the backup was taken by a newer release (9.9.9, format 99; this one reads 1): update Troupe'
    )
    await damage(newer, ({ root }) => root.openDB<number, string>({ name: 'meta' }).put('version', STORE_VERSION + 1))
    expect(await refusal(backedUp(newer, join(other, 'c')))).to.match(/the store was written by Troupe/)
  })

  it('it takes the place of a home of a newer release, which goes aside as it is: the way back after an upgrade', async () => {
    const [newer, backup] = [await livedInHomeCopy(), join(temporaryFolder(), 'b')]
    await backedUp(newer, backup)
    await damage(newer, ({ root }) => root.openDB<number, string>({ name: 'meta' }).put('version', STORE_VERSION + 1))
    const { aside, runs } = await restored(backup, newer, true)
    expect(runs).to.be.greaterThan(0)
    const data = aside.find((path) => path.includes('/data.replaced-')) ?? ''
    expect(() => openStore(data, { readOnly: true })).to.throw('the store was written by Troupe')
    await openStore(join(newer, 'data'), { readOnly: true }).root.close()
  })

  it('an entry that lacks most of what it should have comes along as it is, and the others with the paths of their new home', async () => {
    const [lacking, backup, other] = [await livedInHomeCopy(), join(temporaryFolder(), 'b'), temporaryFolder()]
    await damage(lacking, async ({ root }) => {
      for (const [name, key] of [
        ['leftovers', ['gone', 'g', 1]],
        ['attempts', ['flaky', 'f1', 7]],
        ['plans', 'none']
      ] as const)
        await root.openDB<Buffer, never>({ name, encoding: 'binary' }).put(key as never, Buffer.from([0x80]))
    })
    await backedUp(lacking, backup)
    expect((await restored(backup, other)).runs).to.equal(1)
  })
})
