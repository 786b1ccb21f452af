/** Which `troupe-launcher` is chosen, and that it is in the package. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { TroupeError } from '../../../src/errors.ts'
import { nativeLauncher } from '../../../src/executors/launcher/native-binary.ts'
import { PLATFORM } from '../../support/executors/native-launcher.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'

function put(path: string, mode = 0o755): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, mode)
  return path
}
/** A folder with these launchers. */
function launchers(files: Record<string, number>): { folder: string; at(name: string): string } {
  const folder = temporaryFolder()
  const at = (name: string) => join(folder, name, 'troupe-launcher')
  for (const [name, mode] of Object.entries(files)) put(at(name), mode)
  return { folder, at }
}
const chosen = (folder: string) => nativeLauncher(folder, 'linux-x64')
const NONE = 'local steps: wanted a troupe-launcher for linux-x64, found '

describe('troupe-launcher › which one is chosen', () => {
  it('the one compiled here before that of the package', () => {
    const { folder, at } = launchers({ 'local-linux-x64': 0o755, 'linux-x64': 0o755 })
    expect(chosen(folder)).to.equal(at('local-linux-x64'))
    rmSync(at('local-linux-x64'))
    expect(chosen(folder)).to.equal(at('linux-x64'))
  })
  it('none of another platform', () => {
    const { folder } = launchers({ 'local-linux-arm64': 0o755, 'linux-arm64': 0o755, 'linux-x64': 0o755 })
    expect(() => nativeLauncher(folder, 'linux-riscv64')).to.throw(
      TroupeError,
      `local steps: wanted a troupe-launcher for linux-riscv64, found none in ${folder}: make build compiles it in a checkout of Troupe, with a C compiler`
    )
  })
  it('none when the folder is not there', () => {
    expect(() => chosen('/nowhere')).to.throw(`${NONE}none in /nowhere: `)
  })
  it('one that may not be executed is passed over, and named when there is no other', () => {
    const { folder, at } = launchers({ 'local-linux-x64': 0o644, 'linux-x64': 0o755 })
    expect(chosen(folder)).to.equal(at('linux-x64'))
    chmodSync(at('linux-x64'), 0o644)
    const wanted = 'is not executable: chmod 755 makes it so'
    expect(() => chosen(folder)).to.throw(`${NONE}${at('local-linux-x64')} ${wanted}; ${at('linux-x64')} ${wanted}`)
  })
  it('no folder, pipe or link to nothing', () => {
    const { folder, at } = launchers({})
    mkdirSync(at('linux-x64'), { recursive: true })
    expect(() => chosen(folder)).to.throw(`${NONE}${at('linux-x64')} is not a file`)
    rmSync(at('linux-x64'), { recursive: true })
    execFileSync('mkfifo', ['-m', '755', at('linux-x64')])
    expect(() => chosen(folder)).to.throw(`${NONE}${at('linux-x64')} is not a file`)
    rmSync(at('linux-x64'))
    symlinkSync('/nowhere', at('linux-x64'))
    expect(() => chosen(folder)).to.throw(`${NONE}none in `)
  })
  it('a link to a program is one: package managers link', () => {
    const { folder, at } = launchers({ elsewhere: 0o755 })
    mkdirSync(dirname(at('linux-x64')))
    symlinkSync(at('elsewhere'), at('linux-x64'))
    expect(chosen(folder)).to.equal(at('linux-x64'))
  })
  it('none in a file system mounted noexec', function () {
    const inside = (command: string) => spawnSync('unshare', ['-rm', 'sh', '-c', command], { encoding: 'utf8' })
    const folder = temporaryFolder()
    const mount = `mount -t tmpfs -o noexec none '${folder}'`
    if (inside(mount).status !== 0) this.skip()
    const path = join(folder, 'linux-x64', 'troupe-launcher')
    const module = join(PROJECT, 'dist/src/executors/launcher/native-binary.js')
    const program = `import { nativeLauncher } from '${module}'; try { nativeLauncher('${folder}', 'linux-x64') } catch ({ message }) { console.log(message) }`
    const { stdout } = inside(
      `${mount} && mkdir '${dirname(path)}' && : > '${path}' && chmod 755 '${path}' && exec '${process.execPath}' --input-type=module -e "${program}"`
    )
    const noexec = 'permission denied, or its file system is mounted noexec: install Troupe where programs may run'
    expect(stdout).to.equal(`${NONE}${path} cannot be executed: ${noexec}\n`)
  })
  it('is looked for in dist/launcher', () => {
    expect(dirname(dirname(nativeLauncher()))).to.equal(join(PROJECT, 'dist/launcher'))
  })
})

describe('troupe-launcher › in the package', function () {
  this.timeout(60_000)
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync('npm', [...args, '--ignore-scripts', '--offline'], { cwd, encoding: 'utf8', stdio: 'pipe' })

  /** Packed by the rules of the project, without anything else of it. */
  function packed(files: string[]): { folder: string; paths: string[] } {
    const folder = temporaryFolder()
    const { name, version, files: included } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, files: included }))
    for (const file of files) put(join(folder, 'dist/launcher', file))
    const [{ files: all }] = JSON.parse(npm(folder, 'pack', '--json'))
    const paths = all.map(({ path }: { path: string }) => path)
    return { folder, paths: paths.filter((path: string) => path !== 'package.json').sort() }
  }

  it('are the static ones with their checksums; they can be executed where it is installed', () => {
    const files = ['NOTICE.txt', 'SHA256SUMS', 'linux-arm64/troupe-launcher', 'linux-x64/troupe-launcher']
    const { folder, paths } = packed(files)
    expect(paths).to.deep.equal(files.map((file) => `dist/launcher/${file}`))
    const user = mkdtempSync(join(temporaryFolder(), 'user-'))
    writeFileSync(join(user, 'package.json'), '{}')
    const [tarball = ''] = execFileSync('sh', ['-c', 'ls "$PWD"/*.tgz'], { cwd: folder, encoding: 'utf8' }).split('\n')
    npm(user, 'install', tarball)
    const installed = join(user, 'node_modules/troupe/dist/launcher')
    const path = join(installed, 'linux-arm64/troupe-launcher')
    expect(statSync(path).mode & 0o777).to.equal(0o755)
    expect(nativeLauncher(installed, 'linux-arm64')).to.equal(path)
  })
  it('of a clean checkout has that of this machine', () => {
    const own = `local-${PLATFORM}/troupe-launcher`
    expect(packed([own]).paths).to.deep.equal([`dist/launcher/${own}`])
  })
  it('nothing runs when it is installed, and none is published without them', () => {
    const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
    expect(scripts).to.not.have.any.keys('preinstall', 'install', 'postinstall', 'prepare')
    expect(scripts.prepublishOnly).to.equal('make -B launchers')
  })
})
