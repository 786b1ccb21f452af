/** `make test-one`: what was edited is what is tested, and the next build by tsc is right whatever was edited meanwhile. Source: D1651. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from './support/homes.ts'
import { PROJECT } from './support/project.ts'

const TEST = `import { VALUE } from '../src/a.ts'
declare const it: (title: string, test: () => void) => void
it(\`value \${VALUE}, and a text stays: import x from './a.ts'\`, () => {})
`
/** Long before the first build, as that of a file that was put back. */
const LONG_AGO = new Date('2020-01-01T00:00Z')

describe('one file of tests after an edit', () => {
  let folder = ''
  const inProject = (path: string) => join(folder, path)
  const value = (count: number) => writeFileSync(inProject('src/a.ts'), `export const VALUE: number = ${count}\n`)
  const build = () => execFileSync(join(PROJECT, 'node_modules/.bin/tsc'), ['-b'], { cwd: folder })
  const played = (...args: string[]) =>
    spawnSync(process.execPath, ['test/one.mjs', ...args], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1' }, // mocha is colourful where CI is set
      encoding: 'utf8'
    })
  const output = () => readFileSync(inProject('dist/src/a.js'), 'utf8')

  before(() => {
    folder = temporaryFolder()
    for (const name of ['machines', 'src', 'test']) mkdirSync(inProject(name))
    symlinkSync(join(PROJECT, 'node_modules'), inProject('node_modules'))
    for (const name of ['tsconfig.base.json', 'test/one.mjs']) copyFileSync(join(PROJECT, name), inProject(name))
    const compilerOptions = { rootDir: '.', outDir: 'dist', tsBuildInfoFile: 'dist/troupe.tsbuildinfo', types: [] }
    const config = { extends: './tsconfig.base.json', compilerOptions, include: ['src', 'test'] }
    writeFileSync(inProject('tsconfig.json'), JSON.stringify(config))
    writeFileSync(inProject('package.json'), '{"type": "module"}')
    writeFileSync(inProject('test/a.test.ts'), TEST)
    value(1)
  })

  it('there need be no build before; texts are left as they are', () => {
    const { stdout, stderr } = played('test/a.test.ts')
    expect(stdout, stderr).to.contain("✔ value 1, and a text stays: import x from './a.ts'")
  })
  it('what was edited since the build is tested, by a folder as well; mocha gets its options', () => {
    build()
    value(2)
    expect(played('test').stdout).to.contain('✔ value 2')
    expect(played('test/a.test.ts', '-g', 'value 3').stdout).to.contain('0 passing')
  })
  it('an edit that is taken back is no edit for the next build', () => {
    build()
    value(3)
    expect(played('test/a.test.ts').stdout).to.contain('✔ value 3')
    value(2)
    utimesSync(inProject('src/a.ts'), LONG_AGO, LONG_AGO)
    build()
    expect(output()).to.contain('VALUE = 2')
    build()
    expect(played('test/a.test.ts').stdout).to.contain('✔ value 2')
  })
  it('what tsc has written of an earlier text, after a later edit, is not tested', () => {
    value(4)
    expect(played('test/a.test.ts').stdout).to.contain('✔ value 4')
    writeFileSync(inProject('dist/src/a.js'), 'export const VALUE = 3\n')
    expect(played('test/a.test.ts').stdout).to.contain('✔ value 4')
  })
  it('a text that cannot be read is named, and nothing is tested', () => {
    writeFileSync(inProject('src/a.ts'), 'export const VALUE = (\n')
    const { stderr, stdout, status } = played('test/a.test.ts')
    expect([status, stdout]).to.deep.equal([1, ''])
    expect(stderr).to.contain('src/a.ts:2')
  })
})
