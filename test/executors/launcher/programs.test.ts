/** The shell programs of the portable launcher: found wherever Troupe is installed, and correct. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readPrograms } from '../../../src/executors/launcher/portable/programs.ts'
import { PROJECT } from '../../support/project.ts'

const FOLDER = 'src/executors/launcher/portable'
const files = readdirSync(join(PROJECT, FOLDER)).filter((file) => file.endsWith('.sh'))
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0

describe('programs of the portable launcher', function () {
  this.timeout(60_000)

  it('are read from files of their own', () => {
    expect(files).to.deep.equal(['spawner.sh', 'supervisor.sh'])
    const texts = files.map((file) => readFileSync(join(PROJECT, FOLDER, file), 'utf8'))
    const { spawner, supervisor } = readPrograms()
    expect([spawner, supervisor]).to.deep.equal(texts)
  })
  it('are in the package', () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline']
    const [packed] = JSON.parse(execFileSync('npm', args, { cwd: PROJECT, encoding: 'utf8', stdio: 'pipe' }))
    const paths = packed.files.map(({ path }: { path: string }) => path)
    expect(paths).to.include.members(files.map((file) => `dist/${FOLDER}/${file}`))
  })
  for (const file of files)
    it(`${file} is a shell program without a complaint`, () => {
      expect(spawnSync('sh', ['-n', file], { cwd: join(PROJECT, FOLDER) }).status).to.equal(0)
      if (isThere('shellcheck'))
        expect(spawnSync('shellcheck', [file], { cwd: join(PROJECT, FOLDER) }).stdout.toString()).to.equal('')
    })
})
