/** What is in a backup, what comes back of it, and where it may lie. Source: reliability T5, P1. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { takeBackup } from '../../src/backup/backup.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { createEngine } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'
import { backedUp, ECHO, livedInHomeCopy, refusal, restored } from '../support/store/backups.ts'
import { diagnosis, livedInHome } from '../support/store/lived-in-home.ts'

describe('backup and restore', () => {
  let home = ''
  before(async () => {
    home = await livedInHome()
  })

  it('a home is the same in another place: runs, logs, definitions; the doctor finds nothing wrong with it', async () => {
    const [backup, other] = [join(temporaryFolder(), 'b'), temporaryFolder()]
    const { runs, files, problems, live } = await backedUp(home, backup)
    expect({ runs, problems, live }).to.deep.equal({ runs: 7, problems: [], live: false })
    expect(files.map(({ path }) => path)).to.include.members(['store/troupe.mdb', 'definitions/new.yaml'])
    expect(statSync(backup).mode & 0o077).to.equal(0)
    expect(await restored(backup, other)).to.deep.include({ runs: 7, aside: [], problems: [] })
    const engines = await Promise.all([
      createEngine({ home, readOnly: true }),
      createEngine({ home: other, readOnly: true })
    ])
    const [views, again] = engines.map((engine) =>
      engine.runs().map((run) => JSON.parse(JSON.stringify(engine.run(run)).replaceAll(engine.home, '<home>')))
    )
    expect(again).to.deep.equal(views)
    const node = engines[1]?.run({ name: 'flaky', dagRunId: 'f1' })?.nodes[0]?.node
    expect(node?.stdout?.startsWith(other)).to.equal(true)
    expect(readFileSync(node?.stdout ?? '', 'utf8')).to.equal('hello\n')
    await Promise.all(engines.map((engine) => engine.close()))
    expect((await diagnosis(other)).messages).to.deep.equal([])
  })

  it('a place that is a file or below one, and a backup that may not be read, are named, not reported as unexpected', async () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder()]
    writeFileSync(join(folder, 'file'), '')
    expect(await refusal(backedUp(home, join(folder, 'file')))).to.equal(
      `already_exists: ${folder}/file exists already: name a folder that does not`
    )
    expect(await refusal(backedUp(home, join(folder, 'file/b')))).to.equal(
      `service_unavailable: the backup could not be written: ${folder}/file/b.unfinished/store: a part of its path is no folder`
    )
    await backedUp(home, join(folder, 'b'))
    expect(await refusal(restored(join(folder, 'b'), join(folder, 'file/home')))).to.match(
      /^service_unavailable: the backup could not be restored: \/.*: a part of its path is no folder$/
    )
    // A folder in the place of a file is refused to everybody, a file of another user not to root.
    const manifest = join(folder, 'b/manifest.json')
    const kept = readFileSync(manifest)
    rmSync(manifest)
    mkdirSync(manifest)
    expect(await refusal(restored(join(folder, 'b'), other))).to.equal(
      `service_unavailable: ${manifest} cannot be read: it is a folder`
    )
    rmSync(manifest, { recursive: true })
    writeFileSync(manifest, kept)
    const definition = join(folder, 'b/definitions/new.yaml')
    rmSync(definition)
    mkdirSync(definition)
    expect(await refusal(restored(join(folder, 'b'), other))).to.equal(
      `service_unavailable: ${definition} cannot be read: it is a folder`
    )
    // Opening a pipe blocks until it has a writer.
    for (const file of [definition, manifest]) {
      rmSync(file, { recursive: true })
      execFileSync('mkfifo', [file])
      expect(await refusal(restored(join(folder, 'b'), other))).to.equal(
        `service_unavailable: ${file} cannot be read: wanted a file, found a pipe`
      )
    }
    expect(await refusal(restored(join(folder, 'b'), join(folder, 'file')))).to.equal(
      `bad_request: wanted a folder at ${folder}/file, found a file; give another --home`
    )
  })

  it('nothing half-written gets the name: a folder that is there is refused, one that fails leaves nothing', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'mine'), '')
    expect(await refusal(backedUp(home, folder))).to.match(/^already_exists: /)
    expect(readdirSync(folder)).to.deep.equal(['mine'])
    expect(await refusal(backedUp(temporaryFolder(), join(folder, 'b')))).to.match(
      /^not_found: there is nothing to read yet/
    )
    expect(readdirSync(folder)).to.deep.equal(['mine'])
  })

  it('suspend flags that lie elsewhere are in it, and come to where the settings say', async () => {
    const [backup, other] = [join(temporaryFolder(), 'b'), temporaryFolder()]
    const away = (folder: string) => ({ ENGINE_SUSPEND_FLAGS_DIR: join(folder, 'flags') })
    mkdirSync(join(other, 'flags'))
    writeFileSync(join(other, 'flags', 'new.suspend'), '')
    await takeBackup(readConfig({ home }, away(other)), systemClock, backup, { version: 'test' })
    const to = temporaryFolder()
    await restoreBackup(readConfig({ home: to }, away(to)), systemClock, backup)
    expect(readdirSync(join(to, 'flags'))).to.deep.equal(['new.suspend'])
    expect(existsSync(join(to, 'suspend'))).to.equal(false)
  })

  it('sessions that were ended stay ended, and workers keep their keys: both are in it', async () => {
    const [signedOut, backup, other] = [await livedInHomeCopy(), join(temporaryFolder(), 'b'), temporaryFolder()]
    const ended = '{"issuedAfter":0,"ended":{"session":9000000000000}}'
    writeFileSync(join(signedOut, 'data', 'signed-out.json'), ended)
    writeFileSync(join(signedOut, 'data', 'enrolled-workers.json'), '{}')
    await backedUp(signedOut, backup)
    await restored(backup, other)
    expect(readFileSync(join(other, 'data', 'signed-out.json'), 'utf8')).to.equal(ended)
    expect(readFileSync(join(other, 'data', 'enrolled-workers.json'), 'utf8')).to.equal('{}')
  })

  it('what parts and definitions that are links lead to is in it, not the links', async () => {
    const [linked, elsewhere, backup, other] = [
      await livedInHomeCopy(),
      temporaryFolder(),
      join(temporaryFolder(), 'b'),
      temporaryFolder()
    ]
    mkdirSync(join(elsewhere, 'flows'))
    writeFileSync(join(elsewhere, 'flows', 'a.yaml'), ECHO)
    writeFileSync(join(elsewhere, 'b.yaml'), ECHO)
    writeFileSync(join(elsewhere, 'base.yaml'), 'env: [A: 1]\n')
    symlinkSync(join(elsewhere, 'b.yaml'), join(elsewhere, 'flows', 'b.yaml'))
    symlinkSync(join(elsewhere, 'nothing.yaml'), join(elsewhere, 'flows', 'c.yaml'))
    rmSync(join(linked, 'dags'), { recursive: true })
    symlinkSync(join(elsewhere, 'flows'), join(linked, 'dags'))
    symlinkSync(join(elsewhere, 'base.yaml'), join(linked, 'base.yaml'))
    await backedUp(linked, backup)
    rmSync(elsewhere, { recursive: true })
    await restored(backup, other)
    for (const name of ['dags/a.yaml', 'dags/b.yaml']) expect(readFileSync(join(other, name), 'utf8')).to.equal(ECHO)
    expect(readFileSync(join(other, 'base.yaml'), 'utf8')).to.equal('env: [A: 1]\n')
  })

  it('a folder that is copied is no place for it', async () => {
    const busy = await livedInHomeCopy()
    const link = join(temporaryFolder(), 'link')
    symlinkSync(join(busy, 'logs'), link)
    for (const target of [join(busy, 'logs', 'b'), join(busy, 'dags', 'x', 'b'), join(link, 'b')])
      expect(await refusal(backedUp(busy, target))).to.match(
        /^bad_request: wanted a folder outside of \S+\/(logs|dags), which is copied, found \S+b$/
      )
    expect(readdirSync(join(busy, 'logs'))).to.deep.equal(['small'])
    expect(await refusal(backedUp(busy, join(busy, 'backups', 'b')))).to.equal('done')
  })
})
