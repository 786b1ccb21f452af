/** What archive steps say and heed: their results and options. Source: execution-semantics 10.5. */
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { durationText } from '../../../src/executors/archive/archive.ts'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { archiveBench, has, seen } from '../../support/executors/archives.ts'

describe('archive executor', () => {
  const { bench, fresh, perform, tree, name } = archiveBench()

  const packed = async (config: Record<string, string | number | boolean | string[]> = {}, ending = 'tar') => {
    const destination = join(fresh(), `x.${ending}`)
    const made = await perform('create', { source: tree, destination, ...config })
    return { destination, ...made }
  }
  const paths = async (source: string, config = {}) =>
    (await perform('list', { source, ...config })).result.files.map(({ path }: { path: string }) =>
      path.replace(`${name()}/`, '')
    )

  it('10.5.9: the results have the fields of the table, in that order, 2-space JSON', async () => {
    const { destination, out } = await packed()
    expect(Object.keys(JSON.parse(out))).to.deep.equal([
      'operation',
      'source',
      'destination',
      'filesAdded',
      'bytesArchived',
      'duration',
      'verifyPerformed'
    ])
    expect(out)
      .to.match(/^\{\n {2}"operation": "create",\n/)
      .and.match(/"duration": "[\d.]+m?s"/)
    const listed = await perform('list', { source: destination, verifyIntegrity: true })
    expect(Object.keys(listed.result)).to.deep.equal([
      'operation',
      'source',
      'totalFiles',
      'totalSize',
      'files',
      'verified',
      'duration'
    ])
    const extracted = await perform('extract', { source: destination, destination: fresh() })
    expect(Object.keys(extracted.result)).to.deep.equal([
      'operation',
      'source',
      'destination',
      'filesExtracted',
      'bytesExtracted',
      'filesSkipped',
      'duration',
      'verifyPerformed'
    ])
    expect([durationText(1.5), durationText(2_250), durationText(63_000), durationText(3_723_004)]).to.deep.equal([
      '1.5ms',
      '2.25s',
      '1m3s',
      '1h2m3.004s'
    ])
  })
  it('10.5.7: include and exclude are globs on the path in the archive; exclude wins', async () => {
    const { destination, result } = await packed({ include: ['**/*.txt', '**/*.sh'], exclude: ['*/sub/**'] })
    expect(result.filesAdded).to.equal(1)
    expect(await paths(destination)).to.deep.equal(['a.txt'])
    const whole = (await packed()).destination
    const out = fresh()
    const { result: extracted } = await perform('extract', { source: whole, destination: out, include: '**/*.sh' })
    expect(extracted).to.include({ filesExtracted: 1, filesSkipped: 5 })
    expect(seen(out)).to.deep.equal([`${name()}/`, `${name()}/sub/`, `${name()}/sub/run.sh 755 10`])
    expect(await paths(whole, { exclude: ['**/sub/**', '**/z*'] })).to.deep.equal(['', 'a.txt', 'link'])
  })
  describe('10.5.4: names in an archive follow from what was written', () => {
    const entries = async (workingDir: string, source: string, more: Record<string, string | string[]> = {}) => {
      const destination = join(fresh(), 'x.tar')
      const end = await bench.run({ words: ['create'], config: { source, destination, ...more }, workingDir })
      expect([end.exitCode, end.err]).to.deep.equal([0, ''])
      const { result } = await perform('list', { source: destination })
      return result.files.map(({ path }: { path: string }) => path)
    }
    /** A folder `work` with `scripts/run.sh` in it. */
    const place = () => {
      const work = join(fresh(), 'work')
      mkdirSync(join(work, 'scripts'), { recursive: true })
      writeFileSync(join(work, 'scripts', 'run.sh'), '')
      return work
    }
    for (const source of ['.', './', './.', 'scripts/..', './scripts/../', '../work/.'])
      it(`${source}: the entries are at the top`, async () => {
        expect(await entries(place(), source)).to.deep.equal(['scripts/', 'scripts/run.sh'])
      })
    it('`..` and `dir/.` too: of what is in there', async () => {
      const work = place()
      expect(await entries(join(work, 'scripts'), '..')).to.deep.equal(['scripts/', 'scripts/run.sh'])
      expect(await entries(work, 'scripts/.')).to.deep.equal(['run.sh'])
    })
    it('`~` too: the home directory has no name in it', async () => {
      const home = process.env.HOME
      process.env.HOME = place()
      try {
        expect(await entries(fresh(), '~/')).to.deep.equal(['scripts/', 'scripts/run.sh'])
        expect(await entries(fresh(), '~/scripts')).to.deep.equal(['scripts/', 'scripts/run.sh'])
      } finally {
        if (home === undefined) delete process.env.HOME
        else process.env.HOME = home
      }
    })
    it('a name that was written is theirs, the absolute path of the working directory too', async () => {
      const work = place()
      for (const source of [work, '../work', '../work/', `${work}/`])
        expect(await entries(work, source)).to.deep.equal(['work/', 'work/scripts/', 'work/scripts/run.sh'])
      expect(await entries(work, './scripts')).to.deep.equal(['scripts/', 'scripts/run.sh'])
      expect(await entries(work, './scripts/run.sh')).to.deep.equal(['run.sh'])
    })
    it('include and exclude match the entries of `.`', async () => {
      const work = place()
      writeFileSync(join(work, 'readme.txt'), '')
      expect(await entries(work, '.', { include: 'scripts/*.sh' })).to.deep.equal(['scripts/run.sh'])
      expect(await entries(work, '.', { include: './scripts/*.sh' })).to.deep.equal(['scripts/run.sh'])
      expect(await entries(work, '.', { exclude: ['scripts/**', 'scripts'] })).to.deep.equal(['readme.txt'])
    })
    it('`.` is the folder, also where the working directory is a link; the archive does not hold itself', async () => {
      const link = join(fresh(), 'link')
      symlinkSync(place(), link)
      expect(await entries(link, '.')).to.deep.equal(['scripts/', 'scripts/run.sh'])
      for (const overwrite of [false, true]) {
        const config = { source: '.', destination: 'x.zip', overwrite }
        const { out } = await bench.run({ words: ['create'], config, workingDir: link })
        expect(JSON.parse(out).filesAdded).to.equal(1)
      }
    })
    it('a format that holds one file does not take the one of a folder', async () => {
      const config = { source: '.', destination: '../x.gz' }
      const { exitCode } = await bench.run({ words: ['create'], config, workingDir: join(place(), 'scripts') })
      expect(exitCode).to.equal(2)
    })
    it('a list takes the paths of a foreign archive with `./` in them as extract does', async function () {
      if (!has('tar')) return this.skip()
      const work = place()
      execFileSync('tar', ['-cf', '../foreign.tar', '.'], { cwd: work })
      const { result } = await perform('list', { source: join(work, '../foreign.tar'), include: 'scripts/*.sh' })
      expect(result.files.map(({ path }: { path: string }) => path)).to.deep.equal(['./scripts/run.sh'])
    })
  })
  it('an operation that took nothing says so on stderr, with what would have been there', async () => {
    const whole = (await packed()).destination
    const some = `of 6 files, such as "${name()}/a.txt" none passes`
    const none = await packed({ include: ['*.none'] })
    expect([none.exitCode, none.result.filesAdded]).to.deep.equal([0, 0])
    expect(none.err).to.equal(`warning: nothing was archived: ${some} include ["*.none"]\n`)
    expect((await packed({ exclude: '**', dryRun: true })).err).to.include('none passes exclude ["**"]')
    for (const [config, told] of [
      [{ include: 'a.txt' }, 'include ["a.txt"]'],
      [{ include: '**', exclude: ['**'] }, 'include ["**"] and exclude ["**"]'],
      [{ stripComponents: 9 }, 'stripComponents 9']
    ] as const) {
      const end = await perform('extract', { source: whole, destination: fresh(), ...config } as never)
      expect([end.exitCode, end.err]).to.deep.equal([0, `warning: nothing was extracted: ${some} ${told}\n`])
    }
    expect((await perform('list', { source: whole, include: 'a.txt' })).err).to.equal(
      `warning: nothing was listed: ${some} include ["a.txt"]\n`
    )
    const empty = await perform('create', { source: fresh(), destination: join(fresh(), 'x.zip') })
    expect([empty.exitCode, empty.err]).to.deep.equal([0, 'warning: nothing was archived: there is no file\n'])
  })
  it('10.5.4: symlinks are stored, or followed with followSymlinks', async () => {
    const folder = fresh()
    const { destination } = await packed({ followSymlinks: true }, 'zip')
    await perform('extract', { source: destination, destination: folder })
    expect(lstatSync(join(folder, name(), 'link')).isFile()).to.equal(true)
    const loop = fresh()
    symlinkSync('.', join(loop, 'self'))
    const end = await perform('create', { source: loop, destination: join(folder, 'x.tar'), followSymlinks: true })
    expect(end.exitCode).to.equal(7)
    expect(end.err).to.include('leads back to a folder that it is in')
  })
  it('10.5.5: extract refuses existing files unless overwrite', async () => {
    const { destination: source } = await packed()
    const out = fresh()
    await perform('extract', { source, destination: out })
    const again = await perform('extract', { source, destination: out })
    expect(again.exitCode).to.equal(4)
    expect(again.err).to.match(/^destination ".*" exists \(overwrite disabled\)\n$/)
    expect((await perform('extract', { source, destination: out, overwrite: true })).exitCode).to.equal(0)
    expect(seen(join(out, name()))).to.deep.equal(seen(tree))
  })
  it('create refuses an existing destination unless overwrite, and leaves the old one when it fails', async () => {
    const { destination } = await packed()
    const before = readFileSync(destination)
    const refused = await perform('create', { source: join(tree, 'a.txt'), destination })
    expect([refused.exitCode, refused.err]).to.deep.equal([
      4,
      `destination "${destination}" exists (overwrite disabled)\n`
    ])
    expect(readFileSync(destination).equals(before)).to.equal(true)
    expect((await perform('create', { source: join(tree, 'a.txt'), destination, overwrite: true })).exitCode).to.equal(
      0
    )
    expect(await paths(destination)).to.deep.equal(['a.txt'])
  })
  it('10.5.5: stripComponents and preservePaths', async () => {
    const { destination: source } = await packed({ include: ['**/*.txt', '**/*.sh'] })
    const [stripped, flat] = [fresh(), fresh()]
    await perform('extract', { source, destination: stripped, stripComponents: 1 })
    expect(seen(stripped)).to.deep.equal(['a.txt 644 6', 'sub/', 'sub/run.sh 755 10'])
    await perform('extract', { source, destination: flat, preservePaths: false })
    expect(seen(flat)).to.deep.equal(['a.txt 644 6', 'run.sh 755 10'])
    expect(await paths((await packed({ stripComponents: 1, include: '**/*.sh' })).destination)).to.deep.equal([
      'sub/run.sh'
    ])
  })
  it('10.5.2: relative paths are those of the working directory; extract goes there by default', async () => {
    const { destination: source } = await packed()
    const workingDir = fresh()
    const end = await bench.run({
      words: ['extract'],
      config: { source: `../${source.split('/').slice(-2).join('/')}` },
      workingDir
    })
    expect(end.exitCode).to.equal(0)
    expect(JSON.parse(end.out)).to.include({ source, destination: workingDir })
    expect(existsSync(join(workingDir, name(), 'a.txt'))).to.equal(true)
  })
  it('3.1.9: `~` at the start of source and destination is the home directory', async () => {
    const { err } = await perform('list', { source: '~/none-of-these.zip' })
    expect(err).to.equal(`source "${join(homedir(), 'none-of-these.zip')}" does not exist\n`)
    const { out } = await perform('create', { source: tree, destination: '~/none-of-these.zip', dryRun: true })
    expect(JSON.parse(out).destination).to.equal(join(homedir(), 'none-of-these.zip'))
  })
  it('dryRun counts and writes nothing', async () => {
    const { destination: source } = await packed()
    const out = join(fresh(), 'none')
    expect((await perform('extract', { source, destination: out, dryRun: true })).result).to.include({
      filesExtracted: 6,
      bytesExtracted: 100_022
    })
    expect((await perform('create', { source: tree, dryRun: true })).result).to.include({ filesAdded: 6 })
    expect(existsSync(out)).to.equal(false)
  })
  it('verbose names each entry on stderr', async () => {
    const { destination: source } = await packed({ include: '**/a.txt' })
    const { err } = await perform('extract', { source, destination: fresh(), verbose: true })
    expect(err).to.equal(`extract ${name()}/a.txt\n`)
  })
  it('continueOnError lists what failed, and goes on', async () => {
    const { destination: source } = await packed()
    const out = fresh()
    mkdirSync(join(out, name()))
    writeFileSync(join(out, name(), 'a.txt'), 'mine')
    const { exitCode, result } = await perform('extract', { source, destination: out, continueOnError: true })
    expect([exitCode, result.filesExtracted, result.errors.length]).to.deep.equal([0, 5, 1])
    expect(result.errors[0]).to.include('a.txt" exists')
    expect(readFileSync(join(out, name(), 'a.txt'), 'utf8')).to.equal('mine')
  })
  it('an archive made inside its own source does not hold itself', async () => {
    const source = fresh()
    writeFileSync(join(source, 'one'), '1')
    const { result } = await perform('create', { source, destination: join(source, 'x.tar') })
    expect(result.filesAdded).to.equal(1)
  })
  it('compressionLevel: 0 is larger than 9', async () => {
    const size = async (compressionLevel: number, ending: string) =>
      lstatSync((await packed({ compressionLevel }, ending)).destination).size
    for (const ending of ['zip', 'tar.gz'])
      expect(await size(0, ending)).to.be.greaterThan(10 * (await size(9, ending)))
  })
  it('10.5.7: exclude wins: what it leaves out need not be readable; for other unreadable names the reason is reported', async () => {
    const source = fresh('odd')
    writeFileSync(join(source, 'a'), 'a')
    symlinkSync('nowhere', join(source, 'dangling'))
    const odd = Buffer.concat([Buffer.from(join(source, 'odd-')), Buffer.from([0xff])])
    writeFileSync(odd, '')
    const destination = join(fresh(), 'x.tar')
    const config = { source, destination, followSymlinks: true }
    const told = await perform('create', { ...config, exclude: ['**/dangling'] })
    expect(told.exitCode).to.equal(7)
    expect(told.err).to.match(/odd-\uFFFD: its name is not UTF-8; rename the file, or leave it out with exclude\n$/)
    expect((await perform('create', { ...config, exclude: ['**/odd-*'] })).err).to.match(/ENOENT.*dangling/)
    expect((await perform('create', { ...config, exclude: ['**/odd-*', '**/dangling'] })).result).to.include({
      filesAdded: 1
    })
    expect((await perform('create', { ...config, include: ['**/a'], overwrite: true })).result).to.include({
      filesAdded: 1
    })
  })
  it('P23: a secret is not in its result, in its JSON form neither', async () => {
    const secret = 'pass"word'
    const destination = join(fresh(), `${secret}.tar`)
    const masking = { secrets: secretsOf({ PASSWORD: secret }), marks: false }
    const { out } = await bench.run({ words: ['create'], config: { source: tree, destination }, masking })
    expect(JSON.parse(out).destination).to.match(/\/\*{7}\.tar$/)
    expect(out).not.to.include(JSON.stringify(secret).slice(1, -1))
  })
})
