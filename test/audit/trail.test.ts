/** The audit log while it is written: restarts, a torn end, a full disk, retention, clocks, floods. Source: docs/operating/audit.md. */
import { appendFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Entry, NewEntry } from '../../src/audit/entry.ts'
import { folding } from '../../src/audit/folding.ts'
import { headIn } from '../../src/audit/head.ts'
import { auditPart } from '../../src/audit/read.ts'
import { change, type LogScene, logScene } from '../support/audit/log-scene.ts'

const DAY_MS = 86_400_000

describe('audit › trail', () => {
  let scene: LogScene
  beforeEach(() => {
    scene = logScene()
  })
  afterEach(() => scene.close())

  it('goes on after a restart, and the store knows the latest entry', async () => {
    for (let life = 0; life < 3; life++) {
      const log = scene.open()
      await log.note(change(life))
      await log.close()
      expect(headIn(scene.store)?.seq).to.equal(life + 1)
    }
    const { count, last } = await scene.verify()
    expect([count, last]).to.deep.equal([0, headIn(scene.store)])
  })
  it('files are for their owner only', async () => {
    const log = scene.open()
    await log.note(change(1))
    await log.close()
    expect(statSync(scene.dir).mode & 0o777).to.equal(0o700)
    expect(scene.files().map((path) => statSync(path).mode & 0o777)).to.deep.equal([0o600])
  })
  it('what was not written to its end when an engine died is taken back: nobody was told of it', async () => {
    const log = scene.open()
    await log.note(change(1))
    await log.close()
    appendFileSync(scene.files()[0] ?? '', '{"seq":2,"at":"2026-')
    expect(await scene.verify()).to.deep.include({ count: 0, entries: 1 })
    const next = scene.open()
    await next.note(change(2))
    await next.close()
    expect(await scene.verify()).to.deep.include({ count: 0, entries: 2 })
  })
  it('a log that was cut while no engine ran goes on, and the gap stays', async () => {
    const log = scene.open()
    for (let n = 0; n < 6; n++) await log.note(change(n))
    await log.close()
    scene.tamper((lines) => lines.slice(0, 3))
    const next = scene.open()
    await next.note(change(6))
    await next.close()
    expect(scene.reports[0]).to.contain('ends with entry 3, and the store knows entry 6')
    const { breaks } = await scene.verify()
    expect(breaks.map(({ kind, message }) => [kind, message])).to.deep.equal([
      ['missing', '0000000000000007.jsonl:1: entries 4 to 6 are missing before entry 7']
    ])
  })
  it('a change is refused before it is made while the disk takes nothing, and what was done meanwhile is entered later', async () => {
    const log = scene.open()
    await log.note(change(1))
    await log.close()
    scene.now += DAY_MS // the next file
    const full = join(scene.dir, '0000000000000002.jsonl')
    symlinkSync('/dev/full', full)
    const next = scene.open()
    const refused = await next.note(change(2)).then(
      () => undefined,
      (error) => error
    )
    expect([refused?.code, refused?.message]).to.deep.equal([
      'service_unavailable',
      'it is done, and the audit log cannot be written (ENOSPC: no space left on device, write): it will be entered when that is possible'
    ])
    expect(() => next.refuseWhileStuck()).to.throw('so nothing is changed')
    next.refused({ ...change(3), outcome: 'forbidden' })
    expect(scene.reports.filter((sentence) => sentence.includes('cannot be written'))).to.have.length(1)
    rmSync(full)
    scene.now += DAY_MS
    await next.note(change(4)) // in the file of another day
    next.refuseWhileStuck()
    await next.close()
    const { entries } = await auditPart(scene.dir, { filter: {}, limit: 10 })
    expect(entries.map(({ target }) => target?.fileName)).to.deep.equal(['dag-4', 'dag-2', 'dag-1'])
    expect((await scene.verify()).count).to.equal(0)
  })
  it('a log that cannot be opened refuses changes, and ends nothing', async () => {
    appendFileSync(scene.dir, 'a file where the folder should be')
    const log = scene.open()
    expect(() => log.refuseWhileStuck()).to.throw('so nothing is changed')
    rmSync(scene.dir)
    log.refuseWhileStuck()
    await log.note(change(1))
    await log.close()
    expect((await scene.verify()).entries).to.equal(1)
  })
  it('files whose entries are old enough are dropped, and the log says where it begins now', async () => {
    const log = scene.open()
    for (let day = 0; day < 5; day++) {
      await log.note(change(day))
      scene.now += DAY_MS
    }
    await log.close()
    const next = scene.open({ retentionDays: 3 })
    await next.note(change(5))
    await next.close()
    const found = await scene.verify()
    expect([found.count, found.first?.seq, found.dropped?.through]).to.deep.equal([0, 4, 3])
    expect(readdirSync(scene.dir)).to.have.length(3)
    scene.tamper((lines) => lines.slice(1))
    expect((await scene.verify()).breaks[0]?.message).to.contain('entries 1 to 4 are missing, and no retention')
  })
  it('without days nothing is dropped, and the last file stays whatever its age', async () => {
    const log = scene.open()
    await log.note(change(1))
    await log.close()
    scene.now += 10_000 * DAY_MS
    for (const retentionDays of [0, 1]) await scene.open({ retentionDays }).close()
    expect(await scene.verify()).to.deep.include({ count: 0, entries: 1 })
  })
  it('a clock that was set back is noted, and breaks nothing', async () => {
    const log = scene.open()
    await log.note(change(1))
    scene.now -= 3 * DAY_MS
    await log.note(change(2))
    scene.now += 2 * DAY_MS
    await log.note(change(3))
    await log.close()
    const { count, notes } = await scene.verify()
    expect([count, notes.length]).to.deep.equal([0, 1])
    expect(notes[0]).to.contain('the clock was set back before entry 2')
  })
  it('huge facts are named by their hash', async () => {
    const log = scene.open()
    await log.note({ ...change(1), after: { asked: 'x'.repeat(3_000_000) } })
    await log.close()
    const [line = ''] = scene.lines()
    expect(line.length).to.be.lessThan(1_000)
    expect(JSON.parse(line).after).to.include({ cut: true, bytes: 3_000_012 })
  })
  it('is read in parts, the newest first, and each entry once', async () => {
    const log = scene.open()
    for (let n = 0; n < 700; n++) {
      await log.note(change(n))
      if (n % 100 === 99) scene.now += DAY_MS
    }
    await log.close()
    const seen: Entry[] = []
    for (let cursor: string | undefined; ; ) {
      const part = await auditPart(scene.dir, { filter: {}, limit: 33, cursor })
      expect(part.entries.length).to.be.at.most(33)
      seen.push(...part.entries)
      if (part.next === undefined) break
      cursor = part.next
    }
    expect(seen.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: 700 }, (_, n) => 700 - n))
    const some = await auditPart(scene.dir, { filter: { dag: 'dag-5' }, limit: 10 })
    expect(some.entries.map(({ seq }) => seq)).to.deep.equal([6])
  })
})

describe('audit › folding', () => {
  const stranger = (n: number, address = `192.0.2.${n}`): NewEntry => ({
    principal: { kind: 'stranger', name: '' },
    address,
    door: 'api',
    operation: `GET /try/${n}`,
    outcome: 'unauthorized'
  })

  it('a flood of strangers is a bounded number of entries, and is counted', () => {
    const entered: NewEntry[] = []
    const folded = folding({ now: () => 0 }, (entry) => entered.push(entry))
    for (let n = 0; n < 10_000; n++) folded.take(stranger(n, `192.0.2.${n % 250}`))
    expect(entered).to.have.length(21)
    folded.close()
    expect(entered).to.have.length(42)
    expect(entered.reduce((sum, { repeated = 1 }) => sum + repeated, 0)).to.equal(10_000)
  })
  it('so is one of callers who are known', () => {
    const entered: NewEntry[] = []
    const folded = folding({ now: () => 0 }, (entry) => entered.push(entry))
    for (let n = 0; n < 10_000; n++)
      folded.take({ ...stranger(n), principal: { kind: 'token', name: `t${n % 500}` }, target: { fileName: `${n}` } })
    folded.close()
    expect(entered.length).to.be.lessThan(2 * 101 * 51)
    expect(entered.reduce((sum, { repeated = 1 }) => sum + repeated, 0)).to.equal(10_000)
  })
  it('another caller, operation, target or outcome is another entry', () => {
    const entered: NewEntry[] = []
    const folded = folding({ now: () => 0 }, (entry) => entered.push(entry))
    const refusal: NewEntry = { ...change(1), outcome: 'forbidden' }
    for (const other of [
      {},
      { principal: { kind: 'token', name: 'me' } },
      { operation: 'stopRun' },
      { target: { fileName: 'other' } },
      { outcome: 'not_found' }
    ])
      for (let n = 0; n < 3; n++) folded.take({ ...refusal, ...other })
    expect(entered).to.have.length(5)
    folded.close()
    expect(entered.slice(5).map(({ repeated }) => repeated)).to.deep.equal([2, 2, 2, 2, 2])
  })
})
