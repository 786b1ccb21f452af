/** A home has one owner in a process, whichever copy of the package asks. Source: docs/embedding/README.md "What an engine is to your process". */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'

const PROGRAM = fileURLToPath(new URL('../../support/hosts/two-copies.js', import.meta.url))
const LIB = fileURLToPath(new URL('../../../lib', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../../../../node_modules', import.meta.url))

async function said(other: string): Promise<Record<string, string>> {
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  mkdirSync(home)
  symlinkSync(home, join(folder, 'linked'))
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, LIB, other, home, join(folder, 'linked')])
  return JSON.parse(stdout)
}

function mustHold(found: Record<string, string>): void {
  expect(found).to.include({ before: 'succeeded', after: 'succeeded', next: 'succeeded', ownReader: 'opened' })
  for (const who of ['owner', 'thread', 'again'])
    expect(found[who], who).to.match(/^this home is in use by the engine .* which is this process/)
  expect(found.reader).to.match(/is open in this process already, by another copy/)
}

describe('a home in one process', function () {
  this.timeout(60_000)

  it('has one owner when the package is loaded again: the first engine goes on, and the other copy may open it after the close', async () => {
    mustHold(await said(LIB))
  })
  itLong('has one owner when the package is there twice, with one lmdb for both', async () => {
    const copy = join(temporaryFolder(), 'troupe')
    cpSync(LIB, join(copy, 'dist', 'lib'), { recursive: true })
    cpSync(join(LIB, '..', '..', 'package.json'), join(copy, 'package.json'))
    for (const part of ['launcher', 'src']) symlinkSync(join(LIB, '..', part), join(copy, 'dist', part))
    symlinkSync(PACKAGES, join(copy, 'node_modules'))
    mustHold(await said(join(copy, 'dist', 'lib')))
  })
  it('has one owner when each of two packages has an lmdb of its own', async () => {
    const copy = join(temporaryFolder(), 'troupe')
    cpSync(LIB, join(copy, 'dist', 'lib'), { recursive: true })
    cpSync(join(LIB, '..', '..', 'package.json'), join(copy, 'package.json'))
    for (const part of ['launcher', 'src']) symlinkSync(join(LIB, '..', part), join(copy, 'dist', part))
    mkdirSync(join(copy, 'node_modules'))
    for (const name of readdirSync(PACKAGES))
      if (name === 'lmdb' || name === '@lmdb')
        cpSync(join(PACKAGES, name), join(copy, 'node_modules', name), { recursive: true })
      else symlinkSync(join(PACKAGES, name), join(copy, 'node_modules', name))
    mustHold(await said(join(copy, 'dist', 'lib')))
  })
})
