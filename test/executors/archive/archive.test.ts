/** The archive executor beside the system's programs, in both directions. Source: execution-semantics 10.5. */
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { archive, durationText } from '../../../src/executors/archive/archive.ts'
import { capturing } from '../../../src/executors/capture.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import type { Executor } from '../../../src/executors/executor.ts'
import { openExecutors } from '../../../src/executors/index.ts'
import type { Launcher } from '../../../src/executors/launcher.ts'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { benchFor, benchOf } from '../../support/executions.ts'
import { eventually } from '../../support/waiting.ts'

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const LONG = `${'long-name-'.repeat(18)}ü`

describe('archive executor', () => {
  const bench = benchFor((work) => archive(work, systemClock))
  let count = 0
  /** A new folder below the working directory. */
  const fresh = (name = 'd') => {
    const folder = join(bench.folder, `${name}${++count}`)
    mkdirSync(folder)
    return folder
  }
  const perform = async (command: string, config: Record<string, string | number | boolean | string[]>) => {
    const { exitCode, out, err } = await bench.run({ words: [command], config })
    return { exitCode, err, out, result: out ? JSON.parse(out) : undefined }
  }

  /** A folder with one of everything. */
  const tree = fresh('tree')
  before(() => {
    mkdirSync(join(tree, 'sub', 'empty'), { recursive: true })
    writeFileSync(join(tree, 'a.txt'), 'hello\n')
    writeFileSync(join(tree, 'sub', 'run.sh'), '#!/bin/sh\n')
    chmodSync(join(tree, 'sub', 'run.sh'), 0o755)
    writeFileSync(join(tree, 'sub', LONG), 'x'.repeat(100_000))
    writeFileSync(join(tree, 'zero'), '')
    symlinkSync('a.txt', join(tree, 'link'))
    linkSync(join(tree, 'a.txt'), join(tree, 'sub', 'hard'))
    utimesSync(join(tree, 'sub', 'run.sh'), 1_000_000_000, 1_000_000_000)
  })
  const seen = (root: string, path = ''): string[] =>
    readdirSync(join(root, path))
      .sort()
      .flatMap((name) => {
        const inner = join(path, name)
        const found = lstatSync(join(root, inner))
        if (found.isDirectory()) return [`${inner}/`, ...seen(root, inner)]
        if (found.isSymbolicLink()) return [`${inner} -> ${readlinkSync(join(root, inner))}`]
        return [`${inner} ${(found.mode & 0o777).toString(8)} ${readFileSync(join(root, inner)).length}`]
      })
  const name = () => tree.split('/').at(-1) ?? ''

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

  describe('10.5.10: exit codes', () => {
    it('2: what is configured wrongly', async () => {
      for (const [command, config] of [
        ['pack', { source: 'x' }],
        ['extract', {}],
        ['create', { source: tree }],
        ['extract', { source: 'x', stripComponents: -1 }],
        ['extract', { source: 'x', overwrite: 'perhaps' }],
        ['extract', { source: 'x', password: 'p' }],
        ['create', { source: tree, destination: 'x.zip', compressionLevel: 10 }]
      ] as const)
        expect((await perform(command, config)).exitCode, JSON.stringify(config)).to.equal(2)
    })
    it('3: the source is not there', async () => {
      const missing = await perform('list', { source: 'nowhere.zip' })
      expect([missing.exitCode, missing.err]).to.deep.equal([
        3,
        `source "${join(bench.folder, 'nowhere.zip')}" does not exist\n`
      ])
      expect((await perform('create', { source: 'nowhere', destination: 'x.zip' })).exitCode).to.equal(3)
    })
    it('3: the source is a pipe, which is not waited for', async () => {
      const pipe = join(bench.folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      for (const command of ['list', 'extract']) {
        const { exitCode, err } = await perform(command, { source: pipe })
        expect([exitCode, err], command).to.deep.equal([3, `source "${pipe}" is no file\n`])
      }
    })
    it('4: the destination cannot be', async () => {
      expect((await perform('create', { source: tree, destination: join(tree, 'a.txt', 'x.zip') })).exitCode).to.equal(
        4
      )
    })
    it('5: an unknown format, or one whose program is missing', async () => {
      expect((await perform('list', { source: join(tree, 'a.txt') })).exitCode).to.equal(5)
      expect((await perform('create', { source: tree, destination: 'x.rar' })).exitCode).to.equal(5)
      const end = await bench.run({
        words: ['create'],
        config: { source: tree, destination: 'x.tar.xz' },
        env: { PATH: '/nowhere' }
      })
      expect([end.exitCode, end.err]).to.deep.equal([5, 'the format xz needs the program xz, which is not installed\n'])
    })
    it('7: what cannot be archived', async () => {
      const folder = fresh()
      symlinkSync('..', join(folder, 'back'))
      const end = await perform('create', { source: folder, destination: 'x.zip', followSymlinks: true })
      expect(end.exitCode).to.equal(7)
      expect(end.err).to.include('leads back to a folder that it is in')
    })
    it('9: a file that its own program cannot unpack', async function () {
      if (!has('xz')) return this.skip()
      const source = join(fresh(), 'broken.xz')
      writeFileSync(source, Buffer.concat([Buffer.from('fd377a585a00', 'hex'), Buffer.alloc(64, 'x')]))
      expect((await perform('extract', { source })).exitCode).to.equal(9)
    })
    it('10: a place where nothing may be written', async () => {
      expect((await perform('create', { source: tree, destination: '/sys/x.zip' })).exitCode).to.equal(10)
    })
    it('11: no space is left, and no part of the archive stays', async function () {
      const folder = fresh()
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', folder], { stdio: 'ignore' })
      } catch {
        return this.skip() // only root may
      }
      try {
        const source = join(fresh(), 'large')
        writeFileSync(source, randomBytes(1_000_000))
        const end = await perform('create', { source, destination: join(folder, 'x.zip') })
        expect([end.exitCode, readdirSync(folder)]).to.deep.equal([11, []])
        expect(end.err).to.match(/ENOSPC/)
      } finally {
        execFileSync('umount', [folder])
      }
    })
    it('14: a stop, and nothing is left behind', async () => {
      const folder = fresh()
      writeFileSync(join(folder, 'large'), Buffer.alloc(300_000_000))
      const { running, outcome } = bench.start({
        words: ['create'],
        config: { source: join(folder, 'large'), destination: join(folder, 'x.tar.gz') }
      })
      await eventually('the beginning', () => (readdirSync(folder).length > 1 ? true : undefined))
      running.stop('SIGTERM')
      expect(await outcome).to.include({ exitCode: 14, err: 'canceled\n' })
      expect(readdirSync(folder)).to.deep.equal(['large'])
    })
  })

  it('13.5.3: of one that a crash of the engine has cut off nothing is left behind either', async () => {
    const folder = fresh()
    const tools = fresh('tools')
    writeFileSync(join(tools, 'xz'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 })
    const open = () =>
      openExecutors(
        {} as Launcher,
        capturing({} as Launcher, '/'),
        systemClock,
        dockerEngine('/', {}, systemClock)
      ).get('archive') as Executor
    const { running, execution, outcome } = benchOf(open).start({
      words: ['create'],
      config: { source: tree, destination: join(folder, 'x.tar.xz') },
      env: { PATH: `${tools}:${process.env.PATH}` }
    })
    await eventually('the beginning', () => (readdirSync(folder).length > 0 ? true : undefined))
    const error = await open()
      .find(execution)
      ?.ended.catch((cause: Error) => cause)
    expect(error).to.have.property('message', 'interrupted: outcome unknown')
    expect(readdirSync(folder)).to.deep.equal([])
    running.stop('SIGTERM') // the first engine lives on here
    await outcome
  })
  it('10.5.7: exclude wins: what it leaves out need not be readable; of other names that cannot be read it is told why', async () => {
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
  it('10.5.3: a zip takes a file of any time; one that it cannot hold becomes the nearest that it can', async () => {
    const source = fresh('old')
    writeFileSync(join(source, 'a'), '')
    utimesSync(join(source, 'a'), new Date('1960-01-01'), new Date('1960-01-01'))
    const destination = join(fresh(), 'x.zip')
    expect(await perform('create', { source, destination, verifyIntegrity: true })).to.include({ exitCode: 0 })
    const { result } = await perform('list', { source: destination })
    expect(result.files[1].modTime).to.equal('1970-01-01T00:00:00Z')
  })
  it('P21: a stop in the middle of many small files does not end the engine, however often', async () => {
    const folder = fresh()
    for (let n = 0; n < 500; n++) writeFileSync(join(folder, `f${n}`), 'x')
    const source = join(fresh(), 'many.tar')
    execFileSync('tar', ['-cf', source, '-C', folder, '.'])
    for (let time = 0; time < 20; time++) {
      const destination = fresh()
      const { running, outcome } = bench.start({ words: ['extract'], config: { source, destination } })
      await eventually('the beginning', () => (readdirSync(destination).length > 20 ? true : undefined))
      running.stop('SIGTERM')
      expect(await outcome).to.include({ exitCode: 14 })
    }
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
