/** How the previous engine on a home ended, by its marker. Source: reliability P7. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isOwn, lastLife, type Mark, ownMark, readMark, writeMark } from '../../../src/store/disk/last-life.ts'
import { temporaryFolder } from '../../support/homes.ts'

const DEAD = { pid: 2 ** 22 - 1, startTicks: '1', bootId: 'none' }

describe('store › how the last engine ended', () => {
  const after = (mark: Mark | undefined) => {
    const folder = temporaryFolder()
    writeMark(folder, mark)
    return lastLife(folder)
  }

  it('cleanly, or there was none: no check is needed', () => {
    expect(after(undefined)).to.deep.equal({ deaths: 0 })
    const folder = temporaryFolder()
    writeMark(folder, ownMark(3, 'young'))
    writeMark(folder, undefined)
    expect(lastLife(folder)).to.deep.equal({ deaths: 0 })
  })
  it('it is alive: no other engine may decide', () => {
    expect(after(ownMark(0, 'young'))).to.equal(undefined)
  })
  it('uncleanly, late: the store is checked while the engine runs, and earlier crashes do not count', () => {
    expect(after({ owner: DEAD, deaths: 5, state: 'old' })).to.deep.equal({ deaths: 0, read: 'beside' })
  })
  it('uncleanly, within a minute: while the engine runs the first time, before it is opened from the second in a row on', () => {
    expect(after({ owner: DEAD, deaths: 0, state: 'young' })).to.deep.equal({ deaths: 1, read: 'beside' })
    expect(after({ owner: DEAD, deaths: 1, state: 'young' })).to.deep.equal({ deaths: 2, read: 'before' })
    expect(after({ owner: DEAD, deaths: 2, state: 'young' })).to.deep.equal({ deaths: 3, read: 'before' })
  })
  it('uncleanly, before its runs were open: before it is opened', () => {
    expect(after({ owner: DEAD, deaths: 0, state: 'opening' })).to.deep.equal({ deaths: 1, read: 'before' })
  })
  it('closed before the check was complete: while the next one runs; known to be damaged: before it is opened', () => {
    expect(after({ deaths: 1, state: 'unread' })).to.deep.equal({ deaths: 0, read: 'beside' })
    expect(after({ deaths: 0, state: 'damaged' })).to.deep.equal({ deaths: 0, read: 'before' })
  })
  it('a mark that was cut off, or is none, is that of an engine that died; a folder in its place is none', () => {
    for (const text of ['', '{"deaths":', '{"deaths":-1,"state":"young"}', '{"deaths":0,"state":"new"}', '7', 'null']) {
      const folder = temporaryFolder()
      writeFileSync(join(folder, 'life'), text)
      expect(lastLife(folder), text).to.deep.equal({ deaths: 1, read: 'beside' })
    }
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'life'))
    writeMark(folder, ownMark(0, 'young'))
    expect(lastLife(folder)).to.deep.equal({ deaths: 0 })
  })
  it('a mark that cannot be written, as its folder is gone, is passed over', () => {
    const folder = temporaryFolder()
    rmSync(folder, { recursive: true })
    writeMark(folder, ownMark(0, 'young'))
    expect(readMark(folder)).to.equal(undefined)
    expect(isOwn(folder)).to.equal(false)
  })
  it('names its owner, and is for its owner alone', () => {
    const folder = temporaryFolder()
    writeMark(folder, ownMark(2, 'young'))
    expect(isOwn(folder)).to.equal(true)
    expect(JSON.parse(readFileSync(join(folder, 'life'), 'utf8'))).to.deep.include({ deaths: 2, state: 'young' })
  })
})
