/** Programs with tools of their own, on the package as it is published: vitest, jest, TypeScript 5.9. Source: embedding 1, 4 (programs 8 and 9). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compiledTypes } from '../../support/hosts/compiled-types.ts'
import { type Hosts, INSTALLING_MS, installedHosts, isOffline } from '../../support/hosts/packed.ts'
import { describeLong } from '../../support/long.ts'
import { PROJECT } from '../../support/project.ts'

const PROGRAMS = { vitest: 'vitest-month', jest: 'jest-cjs' }
const manifestOf = (program: string) =>
  JSON.parse(readFileSync(join(PROJECT, 'fixtures/hosts', program, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }

// What these programs do is proved by the tests of `troupe/testing`, of CommonJS hosts and of types, with the tools of this project.
describeLong('host applications › tools of their own', () => {
  let hosts: Hosts
  before(async function () {
    this.timeout(INSTALLING_MS)
    try {
      hosts = await installedHosts({
        tools: Object.keys(manifestOf('').devDependencies),
        more: ['zod', 'valibot', '@types/node']
      })
    } catch (error) {
      if (isOffline(error)) return this.skip()
      throw error
    }
  })

  it('vitest: a month with a retry each night, an approval that times out, a crash at every event', async () => {
    const { out } = await hosts.test(PROGRAMS.vitest)
    expect(out).to.match(/Tests +3 passed \(3\)/)
  })
  it('jest, by require: the same, and no handle keeps it open', async () => {
    const { out, err } = await hosts.test(PROGRAMS.jest)
    expect(out + err)
      .to.match(/Tests: +3 passed, 3 total/)
      .and.not.match(/open handle|did not exit/)
  })
  it('TypeScript 5.9: what must compile does, and each misuse does not', function () {
    this.timeout(120_000)
    const compiler = join(hosts.folder, 'node_modules/typescript-5.9/bin/tsc')
    const { refused, wanted, printed } = compiledTypes(compiler, join(hosts.folder, 'types'))
    expect(wanted).not.to.deep.equal([])
    expect(refused, printed).to.deep.equal(wanted)
  })
})

describe('host applications › versions of tools', () => {
  it('are those that the programs name', () => {
    const { devDependencies } = manifestOf('')
    for (const [name, program] of Object.entries(PROGRAMS))
      expect(manifestOf(program).devDependencies[name], name).to.equal(devDependencies[name])
  })
})
