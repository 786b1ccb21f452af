/** Folders of launchers of engines that have gone. Source: reliability 3.1. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { clearAway } from '../../../src/executors/launcher/launcher-folder.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('launcher › what engines that have gone have left', () => {
  it('is cleared away, also when a launcher ends at that moment and takes its file along', () => {
    const parent = temporaryFolder()
    const [left, alive] = ['left', 'alive'].map((name) => join(parent, name)) as [string, string]
    for (const folder of [left, alive]) mkdirSync(folder)
    symlinkSync('gone', join(left, '1.pid')) // it is listed, and cannot be read
    writeFileSync(join(alive, '2.pid'), `${process.pid}\n`)
    clearAway(parent)
    expect([left, alive].map((folder) => existsSync(folder))).to.deep.equal([false, true])
  })
})
