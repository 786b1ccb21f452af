/** What docs/authentication.md shows works when pasted. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { passwordCheck } from '../../src/api/auth/compare.ts'
import { readConfig } from '../../src/config.ts'
import { PROJECT } from '../support/project.ts'

describe('docs/authentication.md', () => {
  it('the command that makes a hash makes one that the server takes', async () => {
    const page = readFileSync(join(PROJECT, 'docs', 'authentication.md'), 'utf8')
    const command = [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
      .map(([, text = '']) => text)
      .find((text) => text.startsWith('node'))
    const hash = execFileSync('sh', ['-c', command ?? 'false'], { input: 'open sesame\n', encoding: 'utf8' }).trim()
    const settings = { 'auth.basic.username': 'admin', 'auth.basic.passwordHash': hash }
    const { basic } = readConfig({ home: '/nowhere', settings }, {}).auth
    if (!basic) return expect.fail('basic authentication is off')
    const check = passwordCheck(basic)
    expect([await check('admin', 'open sesame'), await check('admin', 'open')]).to.deep.equal([true, false])
  })
})
