/** How `troupe-launcher` is built: for this machine, and for the package. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect } from 'chai'
import {
  canCompile,
  canCross,
  has,
  NATIVE,
  PLATFORM,
  SMALL,
  workshop
} from '../../support/executors/native-launcher.ts'
import { temporaryFolder } from '../../support/homes.ts'

const OWN = `local-${PLATFORM}/troupe-launcher`
const STATIC = ['linux-arm64/troupe-launcher', 'linux-x64/troupe-launcher']
const MOST_BYTES = 72 * 1024

const versionSaidBy = (path: string, by: string[] = []): string => {
  const [program = '', ...args] = [...by, path, '--version']
  return spawnSync(program, args, { encoding: 'utf8' }).stdout
}

describe('troupe-launcher › compiled for this machine', function () {
  this.timeout(60_000)
  const withoutCompiler = { CC: '/nowhere/cc' }

  it('lies in a folder that names the platform, and is compiled again only when the source has changed', function () {
    if (!canCompile()) this.skip()
    const { make, out, source } = workshop(SMALL)
    expect(make('build')).to.include({ status: 0, stdout: '', stderr: '' })
    expect(versionSaidBy(join(out, OWN))).to.equal('troupe-launcher 0\n')
    const { ino } = statSync(join(out, OWN))
    expect(make('build').status).to.equal(0)
    expect(statSync(join(out, OWN)).ino).to.equal(ino)
    writeFileSync(source, SMALL.replace('launcher 0', 'launcher 1'))
    expect(make('build').status).to.equal(0)
    expect(versionSaidBy(join(out, OWN))).to.equal('troupe-launcher 1\n')
  })
  it('a warning ends the build, and leaves no program of an earlier source', function () {
    if (!canCompile()) this.skip()
    const { make, out, source } = workshop(SMALL)
    expect(make('build').status).to.equal(0)
    writeFileSync(source, `static int unused;\n${SMALL}`)
    const { status, stderr } = make('build')
    expect(status).to.equal(2)
    expect(stderr).to.contain('[-Werror=unused-variable]')
    expect(readdirSync(join(out, `local-${PLATFORM}`))).to.deep.equal([])
  })
  it('without a compiler the build fails, says what to install, and leaves no program of an earlier source', () => {
    const { make, out, source } = workshop(SMALL)
    make('build')
    writeFileSync(source, SMALL)
    const { status, stdout, stderr } = make('build', withoutCompiler)
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' })
    expect(stderr.split('\n')[0]).to.equal(
      'troupe-launcher: wanted a C compiler that links a program for Linux, found that /nowhere/cc does not: install gcc and the headers of the C library (Debian: apt-get install gcc libc6-dev), or name another compiler by CC='
    )
    expect(existsSync(join(out, OWN))).to.equal(false)
  })
})

describe('troupe-launcher › static, for the package', function () {
  this.timeout(120_000)

  it('two builds in different folders are equal, and their checksums are right', function () {
    if (!canCross()) this.skip()
    const [one, two] = [workshop(), workshop()]
    expect(one.make('launchers')).to.include({ status: 0, stderr: '' })
    expect(two.make('launchers', { TZ: 'Asia/Tokyo', LC_ALL: 'C.UTF-8' })).to.include({ status: 0, stderr: '' })
    for (const file of [...STATIC, 'SHA256SUMS', 'NOTICE.txt'])
      expect(readFileSync(join(one.out, file)).equals(readFileSync(join(two.out, file))), file).to.equal(true)
    for (const file of STATIC) expect(statSync(join(one.out, file)).size, file).to.be.lessThan(MOST_BYTES)
    const { stdout } = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: two.out, encoding: 'utf8' })
    expect(stdout).to.equal(STATIC.map((file) => `${file}: OK\n`).join(''))
    expect(readFileSync(join(one.out, 'NOTICE.txt'), 'utf8'))
      .to.contain('musl')
      .and.contain('Rich Felker')
  })
  for (const [arch, emulator] of [
    ['x64', 'qemu-x86_64-static'],
    ['arm64', 'qemu-aarch64-static']
  ] as const)
    it(`the one for ${arch} starts, and everybody may execute it`, function () {
      const by = process.arch === arch ? [] : [emulator]
      if (!canCross() || !by.every(has)) this.skip()
      const { make, out } = workshop(SMALL)
      expect(make('launchers').status).to.equal(0)
      const path = join(out, `linux-${arch}/troupe-launcher`)
      expect(versionSaidBy(path, by)).to.equal('troupe-launcher 0\n')
      expect(statSync(path).mode & 0o777).to.equal(0o755)
    })
  it('a build after the source has changed removes them', function () {
    if (!canCross()) this.skip()
    const { make, out, source } = workshop(SMALL)
    for (const target of ['build', 'launchers', 'build']) expect(make(target).status).to.equal(0)
    expect(readdirSync(out), 'they are enough').to.deep.equal(['NOTICE.txt', 'SHA256SUMS', 'linux-arm64', 'linux-x64'])
    writeFileSync(source, SMALL)
    expect(make('build').status).to.equal(0)
    expect(readdirSync(out).filter((name) => !name.startsWith('local-'))).to.deep.equal([])
  })
  it('without a cross compiler the package to install is named, as in README.md', () => {
    const tools = temporaryFolder()
    const paths = spawnSync('sh', ['-c', 'for one in make node sh; do command -v $one; done'], {
      encoding: 'utf8'
    }).stdout
    for (const path of paths.trim().split('\n')) symlinkSync(path, join(tools, basename(path)))
    const { status, stderr } = workshop(SMALL).make('launchers', { PATH: tools })
    expect(status).to.equal(2)
    const packages = ['gcc-aarch64-linux-gnu', 'gcc-x86-64-linux-gnu']
    for (const name of packages) expect(stderr.split('\n')[0]).to.contain(` ${name} `)
    const page = readFileSync(join(NATIVE, 'README.md'), 'utf8')
    for (const name of [...packages, 'musl-dev:amd64', 'musl-dev:arm64']) expect(page).to.contain(` ${name}`)
  })
})
