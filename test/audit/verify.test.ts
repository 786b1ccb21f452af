/** Whatever is done to a line of the audit log is found and named: each line, each way. Source: docs/operating/audit.md "Verifying". */
import { rmSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { GENESIS, sealed, unsealed } from '../../src/audit/entry.ts'
import { auditFiles } from '../../src/audit/files.ts'
import { headIn } from '../../src/audit/head.ts'
import { linesOf } from '../../src/audit/read.ts'
import { verified } from '../../src/audit/verify.ts'
import { change, type LogScene, logScene } from '../support/audit/log-scene.ts'

const DAYS = 3
const PER_DAY = 5
const ALL = DAYS * PER_DAY
const DAY_MS = 86_400_000

/** A log of three files, closed, and its lines as they were written. */
async function written(): Promise<{ scene: LogScene; lines: string[] }> {
  const scene = logScene()
  const log = scene.open()
  for (let n = 0; n < ALL; n++) {
    await log.note(change(n))
    if (n % PER_DAY === PER_DAY - 1) scene.now += DAY_MS
  }
  await log.close()
  return { scene, lines: scene.lines() }
}

/** The same entry with another content and the hash that belongs to it. */
function forged(line: string): string {
  const found = unsealed(line)
  if (!found) throw new Error('wanted a line of the log')
  const { seq, at, previous, hash: _hash, ...entry } = found.entry
  return sealed({ ...entry, outcome: 'forbidden' }, at, { seq: seq - 1, hash: previous }).line
}

/** From a place on, every entry is sealed again: what somebody does who knows how. */
function resealed(lines: string[], from: number): string[] {
  let head = { seq: from, hash: unsealed(lines[from - 1] ?? '')?.entry.hash ?? GENESIS }
  return lines.map((line, index) => {
    const found = unsealed(line)
    if (index < from || !found) return line
    const { seq: _seq, at, previous: _previous, hash: _hash, ...entry } = found.entry
    const made = sealed(index === from ? { ...entry, outcome: 'forbidden' } : entry, at, head)
    head = made.head
    return made.line
  })
}

async function* inMemory(lines: readonly string[]) {
  for (const [index, text] of lines.entries()) yield { text, place: `line ${index + 1}`, isWhole: true }
}

describe('audit › verify', () => {
  let scene: LogScene
  let lines: string[]
  before(async () => {
    ;({ scene, lines } = await written())
  })
  after(() => scene.close())

  /** @returns the first break */
  async function firstBreak(edit: (lines: string[]) => string[]) {
    const { breaks } = await verifiedAfter(edit)
    return breaks[0]
  }
  async function verifiedAfter(edit: (lines: string[]) => string[]) {
    scene.tamper((all) => edit([...all]))
    try {
      return await scene.verify()
    } finally {
      scene.tamper(() => [...lines])
    }
  }
  const each = Array.from({ length: ALL }, (_, index) => index)

  it('a log that nobody touched is as it was written, in three files', async () => {
    const { count, entries, first, last, notes } = await scene.verify()
    expect([count, entries, first?.seq, last?.seq, notes]).to.deep.equal([0, ALL, 1, ALL, []])
    expect(scene.files()).to.have.length(DAYS)
  })
  it('a line that was changed is named, whichever it is', async () => {
    for (const at of each) {
      const found = await firstBreak((all) => all.with(at, (all[at] ?? '').replace('"name":"ci"', '"name":"me"')))
      expect([found?.kind, found?.seq], `line ${at + 1}`).to.deep.equal(['changed', at + 1])
      expect(found?.message).to.contain(`entry ${at + 1} was changed`)
    }
  })
  it('one byte is enough, wherever it is in a line', async () => {
    const line = lines[7] ?? ''
    for (let at = 0; at < line.length; at++) {
      const other = line[at] === 'x' ? 'y' : 'x'
      const edited = lines.with(7, line.slice(0, at) + other + line.slice(at + 1))
      const { count } = await verified(inMemory(edited), { isWhole: true, head: headIn(scene.store) })
      expect(count, `byte ${at}`).to.be.greaterThan(0)
    }
  })
  it('a line that was replaced by one with its own good hash is named', async () => {
    for (const at of each) {
      const found = await firstBreak((all) => all.with(at, forged(all[at] ?? '')))
      // Of the last one only the store knows better.
      expect([found?.kind, found?.seq], `line ${at + 1}`).to.deep.equal(['changed', at + 1])
    }
  })
  it('a line that is no entry any more is named', async () => {
    for (const at of each) {
      const found = await firstBreak((all) => all.with(at, 'nothing to see here'))
      expect(found?.kind, `line ${at + 1}`).to.equal('changed')
      if (at > 0) expect(found?.seq).to.equal(at + 1)
    }
  })
  it('a line that was removed is named', async () => {
    for (const at of each) {
      const found = await firstBreak((all) => all.toSpliced(at, 1))
      expect([found?.kind, found?.seq], `line ${at + 1}`).to.deep.equal([at === ALL - 1 ? 'cut' : 'missing', at + 1])
    }
  })
  it('a line that was added is named: a copy of any other, or a new one in the right form', async () => {
    for (const at of each) {
      const copied = await firstBreak((all) => all.toSpliced(at, 0, all[(at + 4) % ALL] ?? ''))
      expect(copied, `copy before line ${at + 1}`).not.to.equal(undefined)
      const doubled = await firstBreak((all) => all.toSpliced(at, 0, all[at] ?? ''))
      expect([doubled?.kind, doubled?.seq], `line ${at + 1} twice`).to.deep.equal(['added', at + 1])
      const fresh = await firstBreak((all) => all.toSpliced(at, 0, forged(all[at] ?? '')))
      expect([fresh?.kind, fresh?.seq], `new line ${at + 1}`).to.deep.equal(['added', at + 1])
    }
  })
  it('two lines that changed places are named', async () => {
    for (const at of each.slice(1)) {
      const found = await firstBreak((all) => all.with(at - 1, all[at] ?? '').with(at, all[at - 1] ?? ''))
      expect([found?.kind, found?.seq], `lines ${at} and ${at + 1}`).to.deep.equal(['missing', at])
    }
  })
  it('a log that was cut at its end is named, at whatever entry, by what the store knows', async () => {
    for (const left of each) {
      const found = await firstBreak((all) => all.slice(0, left))
      expect([found?.kind, found?.seq], `${left} lines left`).to.deep.equal(['cut', left + 1])
    }
  })
  it('a log that was sealed again from some entry on, to its end, is named by what the store knows', async () => {
    for (const at of each) {
      const found = await firstBreak((all) => resealed(all, at))
      expect([found?.kind, found?.seq], `from line ${at + 1}`).to.deep.equal(['changed', ALL])
    }
  })
  it('a last line that was cut in its middle is named', async () => {
    const [last = ''] = scene.files().slice(-1)
    const whole = lines.slice(-PER_DAY).join('\n')
    writeFileSync(last, whole.slice(0, -30))
    const { breaks } = await scene.verify()
    scene.tamper(() => [...lines])
    writeFileSync(
      last,
      lines
        .slice(-PER_DAY)
        .map((line) => `${line}\n`)
        .join('')
    )
    expect([breaks[0]?.kind, breaks[0]?.seq]).to.deep.equal(['cut', ALL])
  })
  it('every break is counted, and the first one is the first', async () => {
    const { breaks, count } = await verifiedAfter((all) =>
      all.map((line, index) => (index % 5 === 2 ? line.replace('"done"', '"gone"') : line))
    )
    expect([count, breaks.map(({ seq }) => seq)]).to.deep.equal([3, [3, 8, 13]])
  })
  it('an entry whose hash was noted elsewhere must be there', async () => {
    const noted = unsealed(lines[3] ?? '')?.entry.hash ?? ''
    const read = () => linesOf(auditFiles(scene.dir).map(({ path }) => path))
    expect((await verified(read(), { isWhole: true, hashes: [noted] })).count).to.equal(0)
    const { breaks } = await verified(read(), { isWhole: true, hashes: [GENESIS] })
    expect(breaks.map(({ message }) => message)).to.deep.equal([`no entry has the hash ${GENESIS}`])
  })
  it('a part of a log is verified as such: where it begins is said', async () => {
    const [, second = ''] = scene.files()
    const { count, notes } = await verified(linesOf([second]), { isWhole: false })
    expect([count, notes]).to.deep.equal([0, [`it begins with entry ${PER_DAY + 1}; what was before is not in it`]])
  })
})

describe('audit › verify › files', () => {
  for (const index of [0, 1, 2])
    it(`file ${index + 1} of 3 that is gone is named`, async () => {
      const { scene } = await written()
      rmSync(scene.files()[index] ?? '')
      const { breaks } = await scene.verify()
      expect(breaks[0]?.kind).to.equal(index === 2 ? 'cut' : 'missing')
      expect(breaks[0]?.message).to.contain(`entries ${index * PER_DAY + 1} to ${(index + 1) * PER_DAY} are missing`)
      await scene.close()
    })
  it('a log of which nothing is left is named', async () => {
    const { scene } = await written()
    for (const path of scene.files()) rmSync(path)
    const { breaks } = await scene.verify()
    expect(breaks.map(({ message }) => message)).to.deep.equal([
      `entries 1 to ${ALL} are missing at the end: the store of this home knows entry ${ALL}`
    ])
    await scene.close()
  })
})
