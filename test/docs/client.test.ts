/** The first program of the manual's page on the client works when pasted. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { liveApi } from '../support/api/live-api.ts'
import { PROJECT } from '../support/project.ts'

describe('docs/client.md', () => {
  const api = liveApi()
  it('the program', async () => {
    const [, program = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(PROJECT, 'docs', 'client.md'), 'utf8')) ?? []
    const here = program.replace('127.0.0.1:8080', `127.0.0.1:${api.port}`)
    expect(here).not.to.equal(program)
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', here], {
      cwd: PROJECT,
      timeout: 15_000
    })
    expect(stdout).to.equal('succeeded\n404 not_found\n')
  })
})
