/** Files of the store are private to their owner. Source: reliability section 5. */
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { openStore } from '../../../src/store/open.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { backedUp, restored } from '../../support/store/backups.ts'
import { diagnosis } from '../../support/store/lived-in-home.ts'

/** Of the files of a store, by name. */
function modesIn(dataDir: string): Record<string, string> {
  const files = readdirSync(dataDir).filter((name) => /^(troupe\.mdb(-lock)?|write-ahead)$/.test(name))
  return Object.fromEntries(files.map((name) => [name, (statSync(join(dataDir, name)).mode & 0o777).toString(8)]))
}
const OWN = { 'troupe.mdb': '600', 'troupe.mdb-lock': '600', 'write-ahead': '600' }

describe('store › private files', () => {
  const lived = async (home: string) => {
    const engine = await createEngine({ home, defaultShell: 'sh' })
    await engine.result(
      await engine.start({ spec: 'name: a\nsteps: ["true"]', dagRunId: `r${Math.floor(engine.now())}` })
    )
    await engine.close()
  }

  for (const umask of [0o000, 0o002, 0o022])
    it(`whatever the folder is, with the umask ${umask.toString(8).padStart(3, '0')}, which stays as it was`, async () => {
      const home = temporaryFolder()
      const before = process.umask(umask)
      try {
        mkdirSync(join(home, 'data'), { mode: 0o777 })
        await lived(home)
        expect(process.umask()).to.equal(umask)
      } finally {
        process.umask(before)
      }
      expect(modesIn(join(home, 'data'))).to.deep.equal(OWN)
    })

  it('those of an earlier release are narrowed by the first engine; the doctor reports them before', async () => {
    const home = temporaryFolder()
    await lived(home)
    for (const name of Object.keys(OWN)) chmodSync(join(home, 'data', name), 0o664)
    const { messages } = await diagnosis(home)
    for (const name of Object.keys(OWN))
      expect(messages).to.include(
        `warning permissions: <home>/data/${name} has mode 0664: others can read what runs have stored`
      )
    await lived(home)
    expect(modesIn(join(home, 'data'))).to.deep.equal(OWN)
    expect((await diagnosis(home)).messages).to.deep.equal([])
  })

  it('in a thread beside the main one, which cannot set a umask', async () => {
    const data = join(temporaryFolder(), 'data')
    const program = new URL('../../../src/store/open.js', import.meta.url).href
    const code = `import(${JSON.stringify(program)}).then(({ openStore }) => openStore(${JSON.stringify(data)}).root.close())`
    const before = process.umask(0)
    try {
      await new Promise((resolve, reject) => new Worker(code, { eval: true }).on('exit', resolve).on('error', reject))
    } finally {
      process.umask(before)
    }
    expect(modesIn(data)).to.deep.equal({ 'troupe.mdb': '600', 'troupe.mdb-lock': '600' })
  })

  it('in a backup, and in what is restored from one that was opened up', async () => {
    const [home, backup, other] = [temporaryFolder(), join(temporaryFolder(), 'b'), temporaryFolder()]
    const before = process.umask(0)
    try {
      await lived(home)
      await backedUp(home, backup)
      expect(modesIn(join(backup, 'store'))).to.deep.equal({ 'troupe.mdb': '600' })
      expect(statSync(join(backup, 'manifest.json')).mode & 0o777).to.equal(0o600)
      chmodSync(join(backup, 'store', 'troupe.mdb'), 0o644)
      await restored(backup, other)
    } finally {
      process.umask(before)
    }
    expect(modesIn(join(other, 'data'))).to.deep.equal({ 'troupe.mdb': '600', 'troupe.mdb-lock': '600' })
  })

  it('a reader changes no mode', async () => {
    const home = temporaryFolder()
    await lived(home)
    chmodSync(join(home, 'data', 'troupe.mdb'), 0o640)
    const store = openStore(join(home, 'data'), { readOnly: true })
    await store.root.close()
    expect(modesIn(join(home, 'data'))).to.include({ 'troupe.mdb': '640' })
  })
})
