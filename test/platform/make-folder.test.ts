/** Folders that users have named, also where Node's own recursive `mkdir` never returns. Source: reliability P22. */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { lookAt, makeFolder, makeFolderAtOnce } from '../../src/platform/make-folder.ts'
import { program } from '../support/cli/program.ts'
import { temporaryFolder } from '../support/homes.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

describe('make-folder', () => {
  const makers = { makeFolder, makeFolderAtOnce: async (path: string, mode: number) => makeFolderAtOnce(path, mode) }
  for (const [name, make] of Object.entries(makers)) {
    it(`${name} makes a folder and those above it, and leaves what is there as it is`, async () => {
      const [above, below] = [join(temporaryFolder(), 'a'), join('b', 'c')]
      mkdirSync(above, { mode: 0o711 })
      await make(join(above, below), 0o700)
      await make(join(above, below), 0o755)
      expect([above, join(above, 'b'), join(above, below)].map(modeOf)).to.deep.equal([0o711, 0o700, 0o700])
    })

    it(`${name} says what is in the way`, async () => {
      const file = join(temporaryFolder(), 'file')
      writeFileSync(file, '')
      const said = (path: string) =>
        make(path, 0o700).then(
          () => 'made',
          ({ message }) => message
        )
      expect(await said(file)).to.match(/is no folder|EEXIST/)
      expect(await said(join(file, 'a', 'b'))).to.match(/cannot be made: a part of its path is no folder|ENOTDIR/)
      expect(await said('/proc/troupe/a')).to.match(/cannot be made: the file system has no place for it|ENOENT/)
    })
  }

  it('lookAt says what is there now, however lately a thread has looked', async () => {
    const path = join(temporaryFolder(), 'a')
    const found = async () => (await lookAt(path))?.isDirectory()
    expect(await found()).to.equal(undefined)
    mkdirSync(path)
    expect(await found()).to.equal(true)
    rmSync(path, { recursive: true })
    writeFileSync(path, '')
    expect(await Promise.all([found(), found()])).to.deep.equal([false, false])
    expect(await lookAt(join(path, 'below'))).to.equal(undefined)
    expect(await lookAt(join(path, 'below'))).to.equal(undefined)
  })

  it('P22 a backup, and a home, below /proc are refused at once', async () => {
    const home = temporaryFolder()
    await createEngine({ home }).then((engine) => engine.close())
    writeFileSync(join(home, 'a.yaml'), 'steps: [{command: echo hi}]\n')
    for (const argv of [
      ['backup', '/proc/troupe'],
      ['start', 'a.yaml', '--home', '/proc/troupe']
    ]) {
      const { code, written } = program(home, { ENGINE_HOME: home }, ...argv)
      expect(await code, argv.join(' ')).to.equal(1)
      expect(written.err).to.match(/^Error: .*\/proc\/troupe/)
    }
  })
})
