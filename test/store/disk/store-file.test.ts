/** Checks before LMDB opens the files of the store. Stores are opened in separate processes, because LMDB may crash them. Source: reliability P7, P22. */
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { faultIn } from '../../../src/store/disk/store-file.ts'
import { program } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'

const PAGE = 4_096
const FLUSHED = PAGE / 2
const [LAST_PAGE, COMMIT, BOOT] = [0x90, 0x98, 0xa0]
/** Where what a commit writes begins. */
const WRITTEN = 0x28
const [FLAGS, UNFLUSHED] = [0x34, 0x1000]
const DAG = 'steps: [{command: echo hi}]\n'

/** The bytes with others in place of some. */
const over = (bytes: Buffer, at: number, ...others: number[]) => {
  Buffer.from(others).copy(bytes, at)
  return bytes
}
const without = (bytes: Buffer, at: number, length: number) => bytes.fill(0, at, at + length)
/** The page of the latest commit. */
const latest = (bytes: Buffer) => (bytes.readBigUInt64LE(COMMIT) > bytes.readBigUInt64LE(PAGE + COMMIT) ? 0 : PAGE)
/** A commit after the latest tells of pages that the file does not have, and of nothing that was flushed. */
function torn(bytes: Buffer): Buffer {
  const last = latest(bytes)
  const next = PAGE - last
  bytes.copy(bytes, next + WRITTEN, last + WRITTEN, last + BOOT + 8)
  bytes.writeBigUInt64LE(bytes.readBigUInt64LE(last + COMMIT) + 1n, next + COMMIT)
  bytes.writeBigUInt64LE(99_999n, next + LAST_PAGE)
  bytes.writeUInt16LE(bytes.readUInt16LE(next + FLAGS) | UNFLUSHED, next + FLAGS)
  return bytes
}

/** Exit code, and what was written. */
async function told(home: string, ...argv: string[]): Promise<{ code: number | null; text: string }> {
  const { code, written } = program(home, { ENGINE_HOME: home }, ...argv)
  return { code: await code, text: written.out + written.err }
}

describe('store › files that LMDB cannot open', () => {
  let made = ''
  before(async () => {
    made = temporaryFolder()
    const engine = await createEngine({ home: made, defaultShell: 'sh' })
    await engine.result(await engine.start({ spec: `name: a\n${DAG}`, dagRunId: 'r1' }))
    await engine.close()
  })

  /** A home with a changed copy of that store. */
  function homeWith(change: (bytes: Buffer) => Buffer): { home: string; file: string } {
    const home = temporaryFolder()
    const file = join(home, 'data', 'troupe.mdb')
    mkdirSync(join(home, 'data'))
    copyFileSync(join(made, 'data', 'troupe.mdb'), file)
    writeFileSync(file, change(readFileSync(file)))
    writeFileSync(join(home, 'b.yaml'), DAG)
    return { home, file }
  }

  const unfit: [what: string, found: RegExp, change: (bytes: Buffer) => Buffer][] = [
    ['an empty one', /found an empty file$/, () => Buffer.alloc(0)],
    ['one of 100 bytes', /found a file of 100 bytes, which is too short$/, (bytes) => bytes.subarray(0, 100)],
    ['one of a page', /found a file of 4096 bytes, which is too short$/, (bytes) => bytes.subarray(0, PAGE)],
    ['one that was cut off', /cut off: \d+ bytes are missing at its end$/, (bytes) => bytes.subarray(0, 3 * PAGE)],
    ['one without its first page', /first page is damaged, or/, (bytes) => without(bytes, 0, PAGE)],
    ['one without its first two pages', /first page is damaged, or/, (bytes) => without(bytes, 0, 2 * PAGE)],
    ['a text', /or that is none of a store$/, () => Buffer.from('history\n'.repeat(9_999))],
    ['one of another format', /LMDB format 1; this release reads 2$/, (bytes) => over(bytes, 0x1c, 1, 0)],
    ['a page size that is none', /first page is damaged$/, (bytes) => over(bytes, 0x30, 1, 2, 3, 4)],
    ['garbage in its second page', /first pages are damaged$/, (bytes) => bytes.fill(0x2a, PAGE, 2 * PAGE)]
  ]
  for (const [what, found, change] of unfit)
    it(`${what} is refused, and left as it is`, async () => {
      const { home, file } = homeWith(change)
      for (const readOnly of [false, true])
        expect(faultIn(file, readOnly)?.message).to.match(found).and.contain(`wanted a store in ${file}, found `)
      const before = readFileSync(file, 'latin1')
      const said = await Promise.all([
        told(home, 'enqueue', 'b.yaml'),
        told(home, 'queues'),
        told(home, 'doctor', '--fix')
      ])
      expect(said.map(({ code }) => code)).to.deep.equal([1, 1, 2])
      for (const { text } of said) expect(text).to.contain(`wanted a store in ${file}, found `)
      expect(said[0]?.text).to.match(/; nothing has been changed: restore a backup .*, or move the file away/)
      expect(readFileSync(file, 'latin1')).to.equal(before)
    })

  it('a folder, or a link to nothing, is none, and no lock file either', () => {
    for (const make of [mkdirSync, (path: string) => symlinkSync('nowhere', path)])
      for (const name of ['troupe.mdb', 'troupe.mdb-lock']) {
        const { file } = homeWith((bytes) => bytes)
        const path = join(file, '..', name)
        rmSync(path, { force: true })
        make(path)
        expect(faultIn(file, false)?.message).to.match(/^wanted .*, found a (folder|link to nothing)$/)
      }
  })

  const fit: [what: string, change: (bytes: Buffer) => Buffer][] = [
    ['one as an engine left it', (bytes) => bytes],
    ['one with zeros in place of its second page', (bytes) => without(bytes, PAGE, PAGE)],
    ['one with zeros in place of what has been flushed', (bytes) => without(bytes, FLUSHED, FLUSHED)]
  ]
  for (const [what, change] of fit)
    it(`${what} is opened`, async () => {
      const { home, file } = homeWith(change)
      expect(faultIn(file, false)).to.equal(undefined)
      expect((await told(home, 'enqueue', 'b.yaml')).code).to.equal(0)
      expect(JSON.parse((await told(home, 'doctor', '--json')).text).runs).to.equal(2)
    })

  it('a link to one is opened', () => {
    const { file } = homeWith((bytes) => bytes)
    renameSync(file, `${file}.there`)
    symlinkSync(`${file}.there`, file)
    expect(faultIn(file, false)).to.equal(undefined)
  })

  it('a commit of which a power loss has left half: the next start continues from what was flushed', async () => {
    const { home, file } = homeWith((bytes) => {
      for (const at of [0, FLUSHED, PAGE]) bytes.writeBigUInt64LE(1n, at + BOOT)
      return torn(bytes)
    })
    expect(faultIn(file, false)).to.equal(undefined)
    const queues = await told(home, 'queues')
    expect(queues.code).to.equal(1)
    expect(queues.text).to.contain('the next start goes back to those that had')
    expect((await told(home, 'enqueue', 'b.yaml')).code).to.equal(0)
    expect(JSON.parse((await told(home, 'doctor', '--json')).text).runs).to.equal(2)
  })

  it('the same without a reboot is damage: the pages of a commit are there at once', () => {
    expect(faultIn(homeWith(torn).file, false)?.message).to.contain('cut off')
  })
})
