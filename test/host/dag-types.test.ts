/** Programs of `fixtures/hosts/types` as the compiler sees them: one with every construct, and misuses that must not compile. Source: embedding 1. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { PROJECT } from '../support/project.ts'

const MISUSES = 'misuses.ts'

describe('types of definitions in code', () => {
  it('a program with every construct compiles with zod and valibot; each misuse does not, and nothing beside it', function () {
    this.timeout(60_000)
    const folder = temporaryFolder()
    cpSync(join(PROJECT, 'fixtures/hosts/types'), folder, { recursive: true })
    mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
    symlinkSync(PROJECT, join(folder, 'node_modules', 'troupe'))
    for (const name of ['zod', 'valibot', '@types/node'])
      symlinkSync(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name))
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2022',
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      types: ['node']
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['order.ts', MISUSES] }))
    const compiler = join(PROJECT, 'node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8', cwd: folder })
    const refused = [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error/gm)].map(([, file, line]) => `${file}:${line}`)
    const lines = readFileSync(join(folder, MISUSES), 'utf8').split('\n')
    const wanted = lines.flatMap((line, index) => (line.includes('// misuse: ') ? [`${MISUSES}:${index + 2}`] : []))
    expect(wanted).to.have.length(13)
    expect([...new Set(refused)], stdout).to.deep.equal(wanted)
  })
})
