/** Files of a program and the compiled code of each, kept beside it: used, refused, and never in the way. Source: performance 5. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile, keep } from '../../../src/cli/program/compiled.ts'
import { programIn } from '../../../src/cli/program/program-parts.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('the program in its files', () => {
  const folder = temporaryFolder()
  const heard: unknown[] = []
  const part = (name: string, code: string) =>
    `${JSON.stringify(name)}: function (exports, require, module) { ${code} }`
  const fileOf = (...parts: string[]) => `module.exports = {\n${parts.join(',\n')}\n}\n`
  beforeEach(() => {
    heard.length = 0
    Object.assign(globalThis, { heard })
    writeFileSync(
      join(folder, 'main.cjs'),
      fileOf(
        part('a.cjs', 'heard.push("a", require("./b.cjs").b, require("./b.cjs").b, require("node:path").sep)'),
        part('b.cjs', 'heard.push("b"); module.exports = { b: 1, late: () => require("./c.cjs").c }')
      )
    )
    writeFileSync(join(folder, 'reading.cjs'), fileOf(part('c.cjs', 'heard.push(__dirname); exports.c = 2')))
  })

  it('a part runs once, and the parts that it requires with it', () => {
    programIn(folder).load('a.cjs')
    expect(heard).to.deep.equal(['b', 'a', 1, 1, '/'])
  })
  it('a file is read with the first part of it that is required', () => {
    const program = programIn(folder)
    rmSync(join(folder, 'reading.cjs'))
    const b = program.load('b.cjs') as { late(): number }
    expect(() => b.late()).to.throw('reading.cjs')
    writeFileSync(join(folder, 'reading.cjs'), fileOf(part('c.cjs', 'heard.push(__dirname); exports.c = 2')))
    expect((programIn(folder).load('b.cjs') as typeof b).late()).to.equal(2)
    expect(heard.at(-1)).to.equal(folder)
  })
  it('a part that is in none of the files is named', () => {
    for (const name of ['definitions.cjs', 'running.cjs']) writeFileSync(join(folder, name), fileOf())
    expect(() => programIn(folder).load('d.cjs')).to.throw(`${folder}: wanted d.cjs, which is in none of its files`)
  })
  it('its code is kept where there was none', () => {
    const program = programIn(folder)
    program.load('a.cjs')
    program.keep()
    const kept = readdirSync(folder).filter((name) => name.startsWith('main.cjs.'))
    expect(kept).to.have.length(1)
    expect(compile(join(folder, 'main.cjs')).wanted).to.equal(false)
    for (const name of kept) rmSync(join(folder, name))
  })
})

describe('compiled code of the program', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'main.cjs')
  const place = () => join(folder, readdirSync(folder).find((name) => name !== 'main.cjs') ?? 'none')
  const said = () => {
    const { script, wanted } = compile(file)
    const module = { exports: {} }
    script.runInThisContext()(module.exports, undefined, module, file, folder)
    return { script, wanted, exports: module.exports }
  }
  const right = { file, folder }
  beforeEach(() => writeFileSync(file, 'module.exports = { file: __filename, folder: __dirname }'))
  afterEach(() => rmSync(place(), { force: true }))

  it('where there is none, the program runs as Node would run it, and some is wanted', () => {
    expect(said()).to.deep.include({ wanted: true, exports: right })
    expect(readdirSync(folder)).to.deep.equal(['main.cjs'])
  })
  it('what was kept is used', () => {
    keep(file, said().script)
    const { script, wanted, exports } = said()
    expect([wanted, script.cachedDataRejected, exports]).to.deep.equal([false, false, right])
  })
  it('one whose bytes have changed is not looked at, and another is wanted', () => {
    keep(file, said().script)
    const bytes = readFileSync(place())
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 9) ^ 1, bytes.length - 9)
    writeFileSync(place(), bytes)
    const { script, wanted, exports } = said()
    expect([wanted, script.cachedDataRejected, exports]).to.deep.equal([true, undefined, right])
  })
  it('one that is cut off, likewise', () => {
    keep(file, said().script)
    for (const length of [0, 31, 32, 100]) {
      writeFileSync(place(), readFileSync(place()).subarray(0, length))
      expect(said()).to.deep.include({ wanted: true, exports: right })
    }
  })
  it('one of another program is refused', () => {
    keep(file, said().script)
    writeFileSync(file, `${readFileSync(file, 'utf8')}\nmodule.exports.another = true`)
    const { script, exports } = said()
    expect([script.cachedDataRejected, exports]).to.deep.equal([true, { ...right, another: true }])
  })
  it('where it cannot be written, all goes on without', () => {
    keep(join(folder, 'no such folder', 'main.cjs'), said().script)
    expect(readdirSync(folder)).to.deep.equal(['main.cjs'])
  })
})
