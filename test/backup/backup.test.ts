/** Backup while the engine works, and restore: what was acknowledged before is there again, and goes on. Source: reliability T5, P1. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { takeBackup } from '../../src/backup/backup.ts'
import { readManifest } from '../../src/backup/manifest.ts'
import { restoreBackup } from '../../src/backup/restore.ts'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { createEngine } from '../../src/index.ts'
import { STORE_VERSION } from '../../src/store/open.ts'
import { temporaryFolder } from '../support/homes.ts'
import { killedAfter, marksIn } from '../support/killed-engine.ts'
import { damage, diagnosis, livedInHome } from '../support/lived-in-home.ts'
import { program } from '../support/program.ts'
import { eventually } from '../support/waiting.ts'

const configOf = (home: string) => readConfig({ home }, {})
const backedUp = (home: string, folder: string, withLogs = true) =>
  takeBackup(configOf(home), systemClock, folder, { version: 'test', withLogs })
const restored = (folder: string, home: string, replace = false) =>
  restoreBackup(configOf(home), systemClock, folder, { replace })
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`
  )
const ECHO = 'name: small\nsteps: [{name: a, command: echo hi}]\n'

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

  it('a place that is a file or below one, and a backup that may not be read, are named; nobody is told of something unforeseen', async () => {
    const [folder, other] = [temporaryFolder(), temporaryFolder()]
    writeFileSync(join(folder, 'file'), '')
    expect(await refusal(backedUp(home, join(folder, 'file')))).to.equal(
      `already_exists: ${folder}/file is there already: give a folder that is not`
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
  })

  it('T5 taken while runs come in: every run that was acknowledged before it began is in it, and it breaks no law', async () => {
    const [busy, backup, other] = [temporaryFolder(), join(temporaryFolder(), 'b'), temporaryFolder()]
    const engine = await createEngine({ home: busy, defaultShell: 'sh' })
    try {
      const acknowledged: string[] = []
      let isOver = false
      const load = (async () => {
        for (let n = 0; !isOver; n++) {
          const dagRunId = `r${n}`
          await engine.start({ spec: ECHO, dagRunId, dagName: `small-${n}` })
          acknowledged.push(dagRunId)
        }
      })()
      await eventually('some runs', () => acknowledged.length >= 30 || undefined)
      const before = [...acknowledged]
      const taken = await backedUp(busy, backup)
      isOver = true
      await load
      const ofHome = (await diagnosis(busy)).messages.filter((message) => message.startsWith('error'))
      expect({ live: taken.live, ofCopy: taken.problems, ofHome }).to.deep.equal({ live: true, ofCopy: [], ofHome: [] })
      await restored(backup, other)
      const found = await diagnosis(other)
      expect(found.messages.filter((message) => !message.startsWith('note'))).to.deep.equal([])
      const reader = await createEngine({ home: other, readOnly: true })
      const ids = new Set(reader.runs().map(({ dagRunId }) => dagRunId))
      expect(before.filter((id) => !ids.has(id))).to.deep.equal([])
      await reader.close()
    } finally {
      await engine.close()
    }
  })

  it('T5 a log that a busy engine writes a moment after the end of its run is in it', async () => {
    const [busy, backup] = [temporaryFolder(), join(temporaryFolder(), 'b')]
    const engine = await createEngine({ home: busy, defaultShell: 'sh' })
    try {
      const { run } = await engine.result(await engine.start({ spec: ECHO, dagRunId: 'r' }))
      const text = readFileSync(run.log, 'utf8')
      rmSync(run.log)
      setTimeout(() => writeFileSync(run.log, text), 300)
      const { files } = await backedUp(busy, backup)
      expect(files.map(({ path }) => path)).to.include('logs/small/r/run.log')
    } finally {
      await engine.close()
    }
  })
  it('of a home whose engine has died it has the turns that were not in the store yet; a step that lived on is found', async () => {
    const [dead, backup] = [temporaryFolder(), join(temporaryFolder(), 'b')]
    const spec = `name: held\nsteps:\n  - 'echo one >>${dead}/marks; while [ ! -e ${dead}/go ]; do sleep 0.05; done; exit 3'\n`
    await killedAfter(dead, spec, 1)
    await backedUp(dead, backup)
    const { aside } = await restored(backup, dead, true)
    expect(aside.every((path) => existsSync(path))).to.equal(true)
    writeFileSync(join(dead, 'go'), '')
    const engine = await createEngine({ home: dead, defaultShell: 'sh' })
    try {
      const { run, nodes } = await engine.result({ name: 'held', dagRunId: 'r1' })
      expect([run.status, marksIn(dead)]).to.deep.equal(['failed', ['one']])
      expect(nodes[0]?.node.error).to.match(/exit status 3|interrupted: outcome unknown/)
    } finally {
      await engine.close()
    }
  })

  it('restored elsewhere it leaves the steps that are at work to the home that it was taken of', async () => {
    const [dead, other, backup] = [temporaryFolder(), temporaryFolder(), join(temporaryFolder(), 'b')]
    const wait = `while [ ! -e ${dead}/go ]; do sleep 0.05; done`
    const spec = `name: held\nsteps:\n  - 'echo one >>${dead}/marks; ${wait}; echo two >>${dead}/marks; exit 3'\n`
    await killedAfter(dead, spec, 1)
    const note = 'logs/held/r1/1/zip.1.partial.state' // of an archive that is being made: an engine that finds it removes the file it names
    writeFileSync(join(dead, note), '"/nowhere/a.zip.part"')
    await backedUp(dead, backup)
    await restored(backup, other)
    expect([existsSync(join(backup, note)), existsSync(join(other, note))]).to.deep.equal([true, false])
    const key = { name: 'held', dagRunId: 'r1' }
    const copy = await createEngine({ home: other, defaultShell: 'sh' })
    try {
      await copy.stop(key).catch(() => {}) // it may have ended
      const { nodes } = await copy.result(key)
      expect(nodes[0]?.node.error).to.equal('interrupted: outcome unknown')
    } finally {
      await copy.close()
    }
    writeFileSync(join(dead, 'go'), '')
    const engine = await createEngine({ home: dead, defaultShell: 'sh' })
    try {
      const { nodes } = await engine.result(key)
      expect(nodes[0]?.node.error).to.match(/exit status 3/)
      expect(marksIn(dead)).to.deep.equal(['one', 'two'])
    } finally {
      await engine.close()
    }
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

  it('a backup of a newer release is refused with a clear message', async () => {
    const [newer, backup, other] = [await livedInHomeCopy(), join(temporaryFolder(), 'b'), temporaryFolder()]
    await backedUp(newer, backup)
    const path = join(backup, 'manifest.json')
    writeFileSync(path, JSON.stringify({ ...readManifest(backup), format: 99, version: '9.9.9' }))
    expect(await refusal(restored(backup, other))).to.equal(
      'bad_request: the backup was taken by a newer release (9.9.9, format 99; this one reads 1): update Troupe'
    )
    await damage(newer, ({ root }) => root.openDB<number, string>({ name: 'meta' }).put('version', STORE_VERSION + 1))
    expect(await refusal(backedUp(newer, join(other, 'c')))).to.match(/the store was written by a newer release/)
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

  it('troupe backup beside a server, troupe restore elsewhere, as users call them', async () => {
    const [served, backup, other] = [temporaryFolder(), join(temporaryFolder(), 'b'), temporaryFolder()]
    const engine = await createEngine({ home: served, defaultShell: 'sh' })
    await engine.result(await engine.start({ spec: ECHO, dagRunId: 'r1' }))
    const taking = program(served, { ENGINE_HOME: served }, 'backup', backup)
    expect(await taking.code, taking.written.err).to.equal(0)
    expect(taking.written.out).to.match(
      /^\S+: 1 runs, \d+ files, \d+\.\d MiB; every entry was read, while an engine was at work\n$/
    )
    await engine.close()
    const putting = program(other, { ENGINE_HOME: other }, 'restore', backup, '--json')
    expect(await putting.code, putting.written.err).to.equal(0)
    expect(JSON.parse(putting.written.out)).to.deep.include({ home: other, runs: 1, problems: [] })
    const status = program(other, { ENGINE_HOME: other }, 'status', 'small')
    expect(await status.code, status.written.err).to.equal(0)
    expect(status.written.out).to.contain('succeeded')
  })

  it('settings that come back with it and name other places are told of; --quiet prints nothing, with --json too', async () => {
    const [from, backup, other, flows] = [
      await livedInHomeCopy(),
      join(temporaryFolder(), 'b'),
      temporaryFolder(),
      temporaryFolder()
    ]
    writeFileSync(join(flows, 'a.yaml'), ECHO)
    writeFileSync(join(from, 'config.yaml'), `paths: {dagsDir: ${flows}}\n`)
    const taking = program(from, { ENGINE_HOME: from }, 'backup', backup, '--json', '--quiet')
    expect({ code: await taking.code, ...taking.written }).to.deep.equal({ code: 0, out: '', err: '' })
    const putting = program(other, { ENGINE_HOME: other }, 'restore', backup, '--json', '--quiet')
    const dags = join(other, 'dags')
    expect({ code: await putting.code, ...putting.written }).to.deep.equal({
      code: 0,
      out: '',
      err: `warning: ${join(other, 'config.yaml')} came with the backup and sets paths.dagsDir to ${flows}: engines look there, what was restored is at ${dags}; take it out, or move that there\n`
    })
    expect(readdirSync(dags)).to.deep.equal(['a.yaml'])
    const doctor = program(other, { ENGINE_HOME: other }, 'doctor', '--json', '--quiet')
    expect({ code: await doctor.code, ...doctor.written }).to.deep.equal({ code: 0, out: '', err: '' })
  })

  it('settings that come back with it and that nothing can be read from here are told of', async () => {
    const [from, backup, other] = [await livedInHomeCopy(), join(temporaryFolder(), 'b'), temporaryFolder()]
    writeFileSync(join(from, 'config.yaml'), 'host: "${THERE}"\n')
    await takeBackup(readConfig({ home: from }, { THERE: '127.0.0.1' }), systemClock, backup, { version: 'test' })
    const putting = program(other, { ENGINE_HOME: other }, 'restore', backup)
    expect(await putting.code).to.equal(0)
    expect(putting.written.err).to.match(
      /^warning: the settings came with the backup, and no engine takes them here: .*the variable THERE is not set\n$/
    )
    expect(putting.written.out).to.match(/: 1 runs as they were at /)
  })
})

async function livedInHomeCopy(): Promise<string> {
  const home = temporaryFolder()
  mkdirSync(join(home, 'dags'))
  const engine = await createEngine({ home, defaultShell: 'sh' })
  await engine.result(await engine.start({ spec: ECHO, dagRunId: 'r1' }))
  await engine.close()
  return home
}
