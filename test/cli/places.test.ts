import { closeSync, mkdirSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isTrusted, prepareSocketFolder, socketPath } from '../../src/api/owner/socket-path.ts'
import { locate, mustLocate } from '../../src/cli/input/locate.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('command line › <DAG> = file path, or name looked up in the definitions directory', () => {
  function places(files: string[]) {
    const root = temporaryFolder()
    const found = { cwd: join(root, 'cwd'), dagsDir: join(root, 'dags') }
    for (const folder of Object.values(found)) mkdirSync(folder)
    for (const file of files) writeFileSync(join(root, file), '')
    return { ...found, root }
  }

  it('1.1.1 tries the path relative to the process directory, then the definitions directory', () => {
    const both = places(['cwd/etl.yaml', 'dags/etl.yaml', 'dags/only.yml'])
    expect(locate('etl.yaml', both)).to.equal(join(both.cwd, 'etl.yaml'))
    expect(locate('only.yml', both)).to.equal(join(both.dagsDir, 'only.yml'))
  })

  it('1.1.1 a name without extension gets .yaml, then .yml; a dot in a name is no extension', () => {
    const some = places(['dags/etl.yaml', 'dags/etl.yml', 'dags/other.yml', 'dags/v1.2.yaml'])
    expect(locate('etl', some)).to.equal(join(some.dagsDir, 'etl.yaml'))
    expect(locate('other', some)).to.equal(join(some.dagsDir, 'other.yml'))
    expect(locate('v1.2', some)).to.equal(join(some.dagsDir, 'v1.2.yaml'))
  })

  it('1.1.1 an absolute path is taken as it is', () => {
    const some = places(['cwd/etl.yaml', 'flow.txt'])
    expect(locate(join(some.cwd, 'etl.yaml'), some)).to.equal(join(some.cwd, 'etl.yaml'))
    expect(locate(join(some.root, 'flow.txt'), some)).to.equal(join(some.root, 'flow.txt'))
  })

  it('1.1.1 ~ is the home directory', () => {
    expect(() => mustLocate('~/no/such/definition', places([]))).to.throw('~/no/such/definition.yaml')
    expect(locate(`~/${'../'.repeat(homedir().split('/').length)}etc/hostname`, places([]))).to.equal('/etc/hostname')
  })

  it('a program or folder of that name in the process directory is no definition', () => {
    const some = places(['cwd/etl', 'dags/etl.yaml'])
    mkdirSync(join(some.cwd, 'folder.yaml'))
    expect(locate('etl', some)).to.equal(join(some.dagsDir, 'etl.yaml'))
    expect(locate('folder', some)).to.equal(undefined)
  })

  it('something of that name that is no file is not said to be missing', () => {
    const some = places([])
    mkdirSync(join(some.dagsDir, 'folder.yaml'))
    symlinkSync('gone.yaml', join(some.cwd, 'link.yaml'))
    symlinkSync('circle.yaml', join(some.cwd, 'circle.yaml'))
    const found = (given: string, what: string) =>
      expect(() => mustLocate(given, some)).to.throw(`wanted a definition, found ${what}`)
    found('folder', `a folder at ${some.dagsDir}/folder.yaml`)
    found(`${some.dagsDir}/`, `a folder at ${some.dagsDir}`)
    found('link.yaml', `a link to nothing at ${some.cwd}/link.yaml`)
    found('circle', `${some.cwd}/circle.yaml, which cannot be looked at: links in its path lead in a circle`)
    found('/dev/null', 'no regular file at /dev/null')
  })

  it('a file of this process, such as /dev/stdin, is named by a path that means the same in the engine that owns the home', () => {
    const some = places(['etl.txt'])
    const path = join(some.root, 'etl.txt')
    const file = openSync(path, 'r')
    expect(locate(`/dev/fd/${file}`, some)).to.equal(path)
    expect(mustLocate(`/proc/self/fd/${file}`, some)).to.equal(path)
    rmSync(path)
    expect(() => mustLocate(`/dev/fd/${file}`, some)).to.throw(
      `wanted a definition, found a file that was removed at /dev/fd/${file}`
    )
    closeSync(file)
  })

  it('says what was wanted and where it was looked for', () => {
    const none = places([])
    expect(() => mustLocate('etl', none)).to.throw(
      `wanted a definition, found no etl.yaml or etl.yml in ${none.cwd} or ${none.dagsDir}`
    )
  })
})

describe('command line › socket of the owner', () => {
  it('lies in the data directory', async () => {
    expect(await socketPath('/home/u/.local/share/troupe/data')).to.equal(
      '/home/u/.local/share/troupe/data/troupe.sock'
    )
  })

  it('path length limit 107 bytes: in the temporary directory under a hashed name when too long', async () => {
    const longest = `/${'d'.repeat(107 - '/'.length - '/troupe.sock'.length)}`
    expect(await socketPath(longest, '/tmp')).to.equal(`${longest}/troupe.sock`)
    const path = await socketPath(`${longest}x`, '/tmp')
    expect(path).to.match(/^\/tmp\/troupe-\d+\/[0-9a-f]{24}\.sock$/)
    expect(await socketPath(`${longest}x`, '/tmp')).to.equal(path)
    expect(await socketPath(`${longest}y`, '/tmp')).to.not.equal(path)
  })

  it('a folder in the temporary directory that others may write to is not used', async () => {
    const temporary = temporaryFolder()
    const dataDir = `/${'d'.repeat(120)}`
    const path = await socketPath(dataDir, temporary)
    expect(isTrusted(path, dataDir), 'not there yet').to.equal(false)
    prepareSocketFolder(path, dataDir)
    expect(isTrusted(path, dataDir)).to.equal(true)

    const open = temporaryFolder()
    const planted = await socketPath(dataDir, open)
    mkdirSync(join(planted, '..'), { mode: 0o777 })
    writeFileSync(planted, '')
    expect(isTrusted(planted, dataDir)).to.equal(false)
    expect(() => prepareSocketFolder(planted, dataDir)).to.throw('belongs to somebody else')
  })
})
