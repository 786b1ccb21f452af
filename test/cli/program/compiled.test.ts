/** Compiled code of a program, kept beside it: used, refused, and never in the way. Source: performance 5. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile, keep, run } from '../../../src/cli/program/compiled.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('compiled code of the program', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'program.cjs')
  const heard: unknown[] = []
  const said = () => {
    const { script, wanted } = compile(file)
    heard.length = 0
    Object.assign(globalThis, { heard })
    run(file, script)
    return { script, wanted, heard }
  }
  const place = () => join(folder, readdirSync(folder).find((name) => name !== 'program.cjs') ?? 'none')
  beforeEach(() => {
    writeFileSync(
      file,
      `const { join } = require('node:path')\nheard.push(join(__dirname, 'a'), __filename, typeof module.exports)`
    )
  })
  afterEach(() => rmSync(place(), { force: true }))
  const right = [join(folder, 'a'), file, 'object']

  it('where there is none, the program runs as Node would run it, and some is wanted', () => {
    expect(said()).to.deep.include({ wanted: true, heard: right })
    expect(readdirSync(folder)).to.deep.equal(['program.cjs'])
  })
  it('what was kept is used', () => {
    keep(file, said().script)
    const { script, wanted } = said()
    expect([wanted, script.cachedDataRejected, heard]).to.deep.equal([false, false, right])
  })
  it('one whose bytes have changed is not looked at, and another is wanted', () => {
    keep(file, said().script)
    const bytes = readFileSync(place())
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 9) ^ 1, bytes.length - 9)
    writeFileSync(place(), bytes)
    const { script, wanted } = said()
    expect([wanted, script.cachedDataRejected, heard]).to.deep.equal([true, undefined, right])
  })
  it('one that is cut off, likewise', () => {
    keep(file, said().script)
    for (const length of [0, 31, 32, 100]) {
      writeFileSync(place(), readFileSync(place()).subarray(0, length))
      expect(said()).to.deep.include({ wanted: true, heard: right })
    }
  })
  it('one of another program is refused', () => {
    keep(file, said().script)
    writeFileSync(file, `${readFileSync(file, 'utf8')}\nheard.push('another')`)
    const { script } = said()
    expect([script.cachedDataRejected, heard]).to.deep.equal([true, [...right, 'another']])
  })
  it('where it cannot be written, all goes on without', () => {
    const { script } = said()
    keep(join(folder, 'no such folder', 'program.cjs'), script)
    expect(readdirSync(folder)).to.deep.equal(['program.cjs'])
  })
})
