/** Formats of archives beside the system's programs, in both directions. Source: execution-semantics 10.5.3. */
import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { archiveBench, has, seen } from '../../support/executors/archives.ts'

describe('archive executor', () => {
  const { fresh, perform, tree, name } = archiveBench()

  const formats = [
    { ending: 'tar', program: 'tar', pack: ['tar', '-cf'], unpack: ['tar', '-xf'] },
    { ending: 'tar.gz', program: 'tar', pack: ['tar', '-czf'], unpack: ['tar', '-xzf'] },
    { ending: 'tgz', program: 'tar', pack: ['tar', '-czf'], unpack: ['tar', '-xzf'] },
    { ending: 'tar.bz2', program: 'bzip2', pack: ['tar', '-cjf'], unpack: ['tar', '-xjf'] },
    { ending: 'tar.xz', program: 'xz', pack: ['tar', '-cJf'], unpack: ['tar', '-xJf'] },
    { ending: 'tar.zst', program: 'zstd', pack: ['tar', '--zstd', '-cf'], unpack: ['tar', '--zstd', '-xf'] },
    { ending: 'zip', program: 'zip', pack: ['zip', '-qry'], unpack: ['unzip', '-q'] }
  ]
  for (const { ending, program, pack, unpack } of formats) {
    it(`10.5.3: what is created as ${ending} is read by the system's program`, async function () {
      if (!has(program)) return this.skip()
      const [packed, out] = [fresh(), fresh()]
      const destination = join(packed, `made.${ending}`)
      const { exitCode, result, err } = await perform('create', { source: tree, destination, verifyIntegrity: true })
      expect([exitCode, err]).to.deep.equal([0, ''])
      expect(result).to.deep.include({
        operation: 'create',
        source: tree,
        destination,
        filesAdded: 6,
        bytesArchived: 100_022,
        verifyPerformed: true
      })
      // unzip writes names as the locale can show them
      execFileSync(unpack[0] ?? '', [...unpack.slice(1), destination], {
        cwd: out,
        env: { ...process.env, LC_ALL: 'C.UTF-8' }
      })
      expect(seen(join(out, name()))).to.deep.equal(seen(tree))
      expect(readdirSync(packed)).to.deep.equal([`made.${ending}`])
    })
    it(`10.5.3: ${ending} of the system's program is listed and extracted`, async function () {
      if (!has(program)) return this.skip()
      const [packed, out] = [fresh(), fresh()]
      const source = join(packed, 'theirs') // known by its content
      execFileSync(pack[0] ?? '', [...pack.slice(1), `${source}.${ending}`, name()], { cwd: join(tree, '..') })
      execFileSync('mv', [`${source}.${ending}`, source])
      const { exitCode, err, result } = await perform('extract', { source, destination: out, verifyIntegrity: true })
      expect([exitCode, err]).to.deep.equal([0, ''])
      expect(result).to.deep.include({
        operation: 'extract',
        filesExtracted: 6,
        filesSkipped: 0,
        verifyPerformed: true
      })
      expect(seen(join(out, name()))).to.deep.equal(seen(tree))
      expect(lstatSync(join(out, name(), 'sub', 'run.sh')).mtimeMs).to.equal(1_000_000_000_000)
      const listed = await perform('LIST', { source })
      expect(listed.result).to.include({ operation: 'list', totalFiles: 9, verified: false })
      expect(listed.result.files).to.deep.include({
        path: `${name()}/sub/run.sh`,
        size: 10,
        mode: '-rwxr-xr-x',
        modTime: '2001-09-09T01:46:40Z',
        isDir: false
      })
    })
  }
  for (const [ending, program] of [
    ['gz', 'gzip'],
    ['bz2', 'bzip2'],
    ['xz', 'xz'],
    ['zst', 'zstd'],
    ['lz4', 'lz4']
  ] as const)
    it(`10.5.3: a single file as ${ending}, both ways`, async function () {
      if (!has(program)) return this.skip()
      const folder = fresh()
      const destination = join(folder, `a.txt.${ending}`)
      const made = await perform('create', { source: join(tree, 'a.txt'), destination, compressionLevel: 3 })
      expect([made.exitCode, made.err]).to.deep.equal([0, ''])
      expect(execFileSync(program, ['-dc', destination], { encoding: 'utf8' })).to.equal('hello\n')
      const { exitCode } = await perform('extract', { source: destination, destination: join(folder, 'out') })
      expect([exitCode, readFileSync(join(folder, 'out', 'a.txt'), 'utf8')]).to.deep.equal([0, 'hello\n'])
      const listed = await perform('list', { source: destination })
      expect(listed.result.files[0]).to.include({ path: 'a.txt', size: 6 })
      expect((await perform('create', { source: tree, destination: join(folder, `d.${ending}`) })).exitCode).to.equal(2)
    })
  it('10.5.3: a zip takes a file of any time; one that it cannot hold becomes the nearest that it can', async () => {
    const source = fresh('old')
    writeFileSync(join(source, 'a'), '')
    utimesSync(join(source, 'a'), new Date('1960-01-01'), new Date('1960-01-01'))
    const destination = join(fresh(), 'x.zip')
    expect(await perform('create', { source, destination, verifyIntegrity: true })).to.include({ exitCode: 0 })
    const { result } = await perform('list', { source: destination })
    expect(result.files[1].modTime).to.equal('1970-01-01T00:00:00Z')
  })
})
