/** What is patched in packages when the program is bundled: there to be patched, and still worth it. Source: performance 5. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { PROJECT } from '../../support/project.ts'

interface Patch {
  name: string
  file: RegExp
  buys: string
}
interface Patches {
  PATCHES: Patch[]
  patched(patch: Patch, path: string, text: string): string
}

describe('patches of packages in the bundle', () => {
  let patches: Patches
  before(async () => {
    patches = await import(pathToFileURL(join(PROJECT, 'src/cli/program/bundle-patches.mjs')).href)
  })
  const textOf = (path: string) => readFileSync(join(PROJECT, path), 'utf8')
  /** Files of a package that its patch is for. */
  const filesOf = ({ name, file }: Patch) =>
    readdirSync(join(PROJECT, 'node_modules', name), { recursive: true, encoding: 'utf8' })
      .map((path) => `node_modules/${name}/${path}`)
      .filter((path) => file.test(path))
  /** What a line of JavaScript prints in a process of its own. */
  const printed = (code: string) => execFileSync(process.execPath, ['-p', code], { encoding: 'utf8' }).trim()

  it('each is found in its package, and says what it buys', () => {
    expect(patches.PATCHES).to.have.length.above(0)
    for (const patch of patches.PATCHES) {
      const files = filesOf(patch)
      expect(files, patch.name).not.to.deep.equal([])
      for (const path of files) expect(patches.patched(patch, path, textOf(path)), path).not.to.equal(textOf(path))
      expect(patch.buys, patch.name).to.match(/^the store: |\d+ % of /)
    }
  })
  it('one that finds nothing ends the build', () => {
    for (const patch of patches.PATCHES) {
      const [path = ''] = filesOf(patch)
      const text = patches.patched(patch, path, textOf(path))
      expect(() => patches.patched(patch, path, text)).to.throw(
        `${path}: the patch ${patch.name} finds nothing to change`
      )
    }
  })
  it('koa: to ask for `Response` still makes Node load its HTTP client', () => {
    const loaded = (code: string) => Number(printed(`${code}; process.moduleLoadList.length`))
    expect(loaded('({}) instanceof Response') - loaded('({}) instanceof Map')).to.be.above(50)
  })
  it('mime-db: all media types are still many times what is asked for', () => {
    expect(textOf('node_modules/mime-db/db.json').length).to.be.above(100_000)
  })
})
