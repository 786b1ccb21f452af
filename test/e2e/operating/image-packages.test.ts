/** What the Dockerfile installs beside the program: its lines are run in a folder, with npm and its registry. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Lock } from '../../release/release.ts'
import { type Pasted, shellIn } from '../../support/docs/pasting.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { INSTALLING_MS, isOffline, packed } from '../../support/hosts/packed.ts'
import { PROJECT } from '../../support/project.ts'

const LINES = /^RUN (npm pack [\s\S]*?[^\\])$/m.exec(readFileSync(join(PROJECT, 'Dockerfile'), 'utf8'))?.[1] ?? ''
const lockIn = (folder: string, name = 'package-lock.json'): Lock =>
  JSON.parse(readFileSync(join(folder, name), 'utf8'))

describe('container › packages of the image', function () {
  this.timeout(INSTALLING_MS)

  /** @returns the folder that becomes /usr/local */
  async function install(test: Mocha.Context, lock: Lock): Promise<Pasted & { prefix: string }> {
    const { file } = await packed()
    const [checkout, prefix, temporary] = [temporaryFolder(), join(temporaryFolder(), 'troupe'), temporaryFolder()]
    symlinkSync(join(PROJECT, 'dist'), join(checkout, 'dist'))
    writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lock))
    const replaced = [
      ['/tmp', temporary], // first: the other folder is there, too
      ['/opt/troupe', prefix]
    ] as const
    const shell = shellIn(checkout, replaced, { HOME: homedir(), npm_config_prefer_offline: 'true' })
    const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
    shell.install('npm', `case $1 in pack) cp '${file}' '${temporary}' ;; *) exec '${npm}' "$@" ;; esac`)
    const done = await shell.paste(LINES)
    if (done.code !== 0 && isOffline(done.out)) test.skip()
    return { ...done, prefix }
  }

  it('are those of the lock file, each with its integrity', async function () {
    const lock = lockIn(PROJECT)
    const { code, out, prefix } = await install(this, lock)
    expect(code, out).to.equal(0)
    const own = join(prefix, 'lib', 'node_modules', 'troupe')
    const { packages } = lockIn(own, 'node_modules/.package-lock.json')
    for (const [place, { version, integrity }] of Object.entries(packages)) {
      expect(version, place).to.equal(lock.packages[place]?.version)
      expect(integrity, place).to.equal(lock.packages[place]?.integrity)
    }
    expect(packages).to.include.keys('node_modules/lmdb', 'node_modules/msgpackr', 'node_modules/undici')
    expect(packages).not.to.include.keys('node_modules/typescript')
    expect(existsSync(join(own, 'package-lock.json'))).to.equal(false)
    expect(execFileSync(join(prefix, 'bin', 'troupe'), ['version'], { encoding: 'utf8' })).to.match(/\d+\.\d+\.\d+/)
  })

  it('are refused when one of them is not what the lock file names', async function () {
    const lock = lockIn(PROJECT)
    // Of a package that only another package depends on.
    Object.assign(lock.packages['node_modules/ordered-binary'] ?? {}, { integrity: `sha512-${'A'.repeat(86)}==` })
    const { code, out } = await install(this, lock)
    expect(out).to.contain('EINTEGRITY')
    expect(code).not.to.equal(0)
  })

  it('are refused when the lock file is not that of the package', async function () {
    const lock = lockIn(PROJECT)
    delete lock.packages['node_modules/ordered-binary']
    const { code, out } = await install(this, lock)
    expect(out).to.contain('Missing: ordered-binary@')
    expect(code).not.to.equal(0)
  })
})
