/** The program of the manual's page on waits in a host application works when pasted. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { PROJECT } from '../support/project.ts'

describe('docs/embedding/waits.md', () => {
  it('the program prints what it says', async () => {
    const page = readFileSync(join(PROJECT, 'docs', 'embedding', 'waits.md'), 'utf8')
    const [, program = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? []
    const promised = [...program.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, said]) => said)
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(PROJECT, join(folder, 'node_modules', 'troupe'))
    writeFileSync(join(folder, 'host.mjs'), program)
    const env = { ...process.env, HOME_OF_RUNS: join(folder, 'home') }
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'host.mjs')], { env, timeout: 60_000 })
    expect(stdout.trim().split('\n')).to.deep.equal(promised)
    expect(promised).to.have.length(5)
  })
})
