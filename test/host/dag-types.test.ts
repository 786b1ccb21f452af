/** Programs of `fixtures/hosts/types` as the compiler sees them: with every construct, and misuses that must not compile. Source: embedding 1. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { compiledTypes } from '../support/hosts/compiled-types.ts'
import { PROJECT } from '../support/project.ts'

/** Steps in a line: the compiler goes no deeper than 100. */
function chain(steps: number): string {
  const lines = Array.from({ length: steps }, (_, at) => {
    const [depends, n] = at === 0 ? ['', '1'] : [`depends: [s${at - 1}]`, `results.s${at - 1}.n + 1`]
    return `  const s${at} = d.step('s${at}', { ${depends} }, ({ results }) => ({ n: Number(${n}), of: typeof results }))\n`
  })
  return `import { defineDag } from 'troupe'\nexport const dag = defineDag({ name: 'chain' }, (d) => {\n${lines.join('')}  return s${steps - 1}\n})\n`
}

describe('types of definitions in code', () => {
  it('programs with a long chain of steps, with every construct and every mock compile with zod and valibot; each misuse does not, and nothing beside it', function () {
    this.timeout(60_000)
    const folder = temporaryFolder()
    cpSync(join(PROJECT, 'fixtures/hosts/types'), folder, { recursive: true })
    writeFileSync(join(folder, 'chain.ts'), chain(120))
    mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
    symlinkSync(PROJECT, join(folder, 'node_modules', 'troupe'))
    for (const name of ['zod', 'valibot', '@types/node'])
      symlinkSync(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name))
    const { refused, wanted, printed } = compiledTypes(join(PROJECT, 'node_modules/typescript/bin/tsc'), folder)
    expect(wanted).to.have.length(34)
    expect(refused, printed).to.deep.equal(wanted)
  })
})
