/** Programs of `fixtures/hosts/types` as the compiler sees them: with every construct, and misuses that must not compile. Source: embedding 1. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { compiledTypes } from '../support/hosts/compiled-types.ts'
import { PROJECT } from '../support/project.ts'

describe('types of definitions in code', () => {
  it('programs with every construct and every mock compile with zod and valibot; each misuse does not, and nothing beside it', function () {
    this.timeout(60_000)
    const folder = temporaryFolder()
    cpSync(join(PROJECT, 'fixtures/hosts/types'), folder, { recursive: true })
    mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
    symlinkSync(PROJECT, join(folder, 'node_modules', 'troupe'))
    for (const name of ['zod', 'valibot', '@types/node'])
      symlinkSync(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name))
    const { refused, wanted, printed } = compiledTypes(join(PROJECT, 'node_modules/typescript/bin/tsc'), folder)
    expect(wanted).to.have.length(34)
    expect(refused, printed).to.deep.equal(wanted)
  })
})
