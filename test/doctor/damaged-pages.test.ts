/** Findings about a store with damaged pages, in a separate process, which LMDB may kill. Source: reliability P7, P22. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { program } from '../support/cli/program.ts'
import { temporaryFolder } from '../support/homes.ts'
import { damagePages } from '../support/store/damaged-pages.ts'

const PAGE = 4_096
const KIND = 0x12
/** Of a page; where its entries are stands after it, counted from there. */
const HEAD = 0x18
/** In the head of a page. */
const LOWER = 0x14
const [LEAF, META] = [0x02, 0x08]

describe('doctor › damaged pages', () => {
  /** A home with one run, in whose store the pages of plans, and of no other table, are damaged. */
  async function damagedHome(damage: (page: Buffer) => void) {
    const home = temporaryFolder()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    await engine.result(await engine.start({ spec: 'name: a\nsteps: [{command: echo mark}]', dagRunId: 'r1' }))
    await engine.close()
    const file = join(home, 'data', 'troupe.mdb')
    const bytes = readFileSync(file)
    for (let at = 2 * PAGE; at < bytes.length; at += PAGE) {
      const page = bytes.subarray(at, at + PAGE)
      if (page[KIND] === LEAF && page.includes('echo mark')) damage(page) // the text of the run is in no other table
    }
    writeFileSync(file, bytes)
    return { home, file, bytes }
  }

  it('P7 a page that LMDB refuses is a finding; the rest is examined, and nothing is fixed', async () => {
    const { home, file, bytes } = await damagedHome((page) => {
      page[KIND] = META
    })
    for (const argv of [[], ['--fix']]) {
      const { code, written } = program(home, { ENGINE_HOME: home }, 'doctor', '--json', ...argv)
      expect(await code, written.err).to.equal(2)
      const { runs, findings, fixed } = JSON.parse(written.out)
      expect({ runs, fixed }).to.deep.equal({ runs: 1, fixed: [] })
      const errors = findings.filter(
        ({ check, severity }: { check: string; severity: string }) => check !== 'disk' && severity === 'error'
      )
      expect(errors).to.have.length(1)
      expect(errors[0].message).to.match(/^the store is damaged: MDB_CORRUPTED: /)
      expect(errors[0].mending).to.equal('restore a backup (troupe restore DIR --replace)')
      expect(readFileSync(file).equals(bytes)).to.equal(true)
    }
  })

  it('P7 a page that LMDB takes for one with fewer entries is a finding, and nothing is fixed', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    for (const dagRunId of ['r1', 'r2', 'r3'])
      await engine.result(await engine.start({ spec: 'name: a\nsteps: ["true"]', dagRunId }))
    await engine.close()
    // Of the number of entries, where the offsets of entries end, it has two less.
    const pages = damagePages(home, 'run.log', (page) => page.writeUInt16LE(page.readUInt16LE(LOWER) - 4, LOWER))
    expect(pages).to.be.greaterThan(0)
    for (const argv of [[], ['--fix']]) {
      const { code, written } = program(home, { ENGINE_HOME: home }, 'doctor', '--json', ...argv)
      expect(await code, written.err).to.equal(2)
      const { findings, fixed } = JSON.parse(written.out)
      expect(fixed).to.deep.equal([])
      expect(findings.map(({ message }: { message: string }) => message)).to.include(
        'the store is damaged: MDB_CORRUPTED: table runs counts 3 entries, and 1 can be read'
      )
      expect(written.out, 'fixes are not offered where none is made').not.to.match(/doctor --fix|"fixable":true/)
    }
  })

  describe('that kill their reader', () => {
    const deadly = () =>
      damagedHome((page) => {
        page.writeUInt32LE(2 ** 30, HEAD + page.readUInt16LE(HEAD)) // length of the first entry: beyond the end of the file
      })

    it('P7 are a finding like any other, and nothing is fixed', async () => {
      const { home, file, bytes } = await deadly()
      for (const argv of [[], ['--fix']]) {
        const { code, written } = program(home, { ENGINE_HOME: home }, 'doctor', '--json', ...argv)
        expect(await code, written.err).to.equal(2)
        const { findings, fixed } = JSON.parse(written.out)
        const [found] = findings.filter(({ check }: { check: string }) => check === 'store')
        expect(found.message).to.equal(`the store is damaged: reading ${file} ends the process with SIGBUS`)
        expect(found.mending).to.equal('restore a backup (troupe restore DIR --replace)')
        expect(fixed).to.deep.equal([])
        expect(readFileSync(file).equals(bytes)).to.equal(true)
      }
    })

    it('P7 a backup is refused and leaves nothing behind', async () => {
      const { home, file } = await deadly()
      const target = join(temporaryFolder(), 'kept')
      const { code, written } = program(home, { ENGINE_HOME: home }, 'backup', target)
      expect(await code, written.out).to.equal(1)
      expect(written.err).to.contain(`reading ${file} ends the process with SIGBUS: restore a backup`)
      expect(readdirSync(dirname(target))).to.deep.equal([])
    })
  })
})
