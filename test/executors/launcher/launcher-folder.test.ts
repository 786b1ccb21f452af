/** Where jobs lie that hold values of variables: never where another user could have made the folder. Source: reliability 5.1. */
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { launcherFolder, launcherPlaces, makeOwnFolder } from '../../../src/executors/launcher/launcher-folder.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('launcher › its folder in memory', () => {
  let home: string
  let inMemory: string
  let onDisk: string
  beforeEach(function () {
    home = temporaryFolder()
    ;[inMemory, onDisk] = launcherPlaces(home)
    if (!existsSync('/dev/shm')) this.skip()
  })
  afterEach(() => rmSync(inMemory, { recursive: true, force: true }))

  it('is of this user alone', () => {
    expect(launcherFolder(home)).to.equal(inMemory)
    expect(lstatSync(inMemory).mode & 0o777).to.equal(0o700)
  })
  it('one that is open to others is not used', () => {
    mkdirSync(inMemory)
    chmodSync(inMemory, 0o777)
    expect(launcherFolder(home)).to.equal(onDisk)
    expect(() => makeOwnFolder(join(inMemory, 'own'))).to.throw('is not of this user alone')
  })
  it('a link is not used, whatever it leads to', () => {
    const target = temporaryFolder()
    symlinkSync(target, inMemory)
    expect(launcherFolder(home)).to.equal(onDisk)
    expect(readdirSync(target)).to.deep.equal([])
  })
  it('one of another user is not used', function () {
    if (process.getuid?.() !== 0) this.skip() // nobody else can give a folder away
    mkdirSync(inMemory, { mode: 0o700 })
    chownSync(inMemory, 54_321, 54_321)
    expect(launcherFolder(home)).to.equal(onDisk)
    expect(() => makeOwnFolder(join(inMemory, 'own'))).to.throw('is not of this user alone')
  })
})
