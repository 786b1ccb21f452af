/** The shell and Perl programs of the launcher: found wherever Troupe is installed, and correct. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readPrograms } from '../../../src/executors/launcher/programs.ts'
import { PROJECT } from '../../support/project.ts'

const FOLDER = 'src/executors/launcher'
const files = readdirSync(join(PROJECT, FOLDER)).filter((file) => /\.(?:sh|pl)$/.test(file))
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0

describe('programs of the launcher', function () {
  this.timeout(60_000)

  it('are read from files of their own', () => {
    expect(files).to.deep.equal(['keeper.sh', 'mother.sh', 'warden.pl'])
    const texts = files.map((file) => readFileSync(join(PROJECT, FOLDER, file), 'utf8'))
    const { keeper, mother, warden } = readPrograms()
    expect([keeper, mother, warden]).to.deep.equal(texts)
  })
  it('are in the package', () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline']
    const [packed] = JSON.parse(execFileSync('npm', args, { cwd: PROJECT, encoding: 'utf8', stdio: 'pipe' }))
    const paths = packed.files.map(({ path }: { path: string }) => path)
    expect(paths).to.include.members(files.map((file) => `dist/${FOLDER}/${file}`))
  })
  for (const file of files.filter((name) => name.endsWith('.sh')))
    it(`${file} is a shell program without a complaint`, () => {
      expect(spawnSync('sh', ['-n', file], { cwd: join(PROJECT, FOLDER) }).status).to.equal(0)
      if (isThere('shellcheck'))
        expect(spawnSync('shellcheck', [file], { cwd: join(PROJECT, FOLDER) }).stdout.toString()).to.equal('')
    })
  it('warden.pl is a Perl program', function () {
    if (!isThere('perl')) this.skip()
    const { stderr } = spawnSync('perl', ['-f', '-c', 'warden.pl'], { cwd: join(PROJECT, FOLDER) })
    expect(stderr.toString()).to.equal('warden.pl syntax OK\n')
  })
})
