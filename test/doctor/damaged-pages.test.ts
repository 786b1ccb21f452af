/** What the doctor says of a store with damaged pages, in a process of its own: LMDB may end it. Source: reliability P7, P22. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'
import { program } from '../support/program.ts'

const PAGE = 4_096
const KIND = 0x12
const [LEAF, META] = [0x02, 0x08]

describe('doctor › damaged pages', () => {
  it('P7 a page that LMDB refuses is a finding; the rest is looked at, and nothing is mended', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home, defaultShell: 'sh' })
    await engine.result(await engine.start({ spec: 'name: a\nsteps: [{command: echo mark}]', dagRunId: 'r1' }))
    await engine.close()
    const file = join(home, 'data', 'troupe.mdb')
    const bytes = readFileSync(file)
    // Those of plans, and of none other: the text of the run is in no other table.
    for (let at = 2 * PAGE; at < bytes.length; at += PAGE)
      if (bytes[at + KIND] === LEAF && bytes.subarray(at, at + PAGE).includes('echo mark')) bytes[at + KIND] = META
    writeFileSync(file, bytes)
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
})
