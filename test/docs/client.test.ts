/** The programs of the manual's page on the client work when pasted. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { liveApi } from '../support/api/live-api.ts'
import { fencesIn } from '../support/docs/fences.ts'
import { PROJECT } from '../support/project.ts'

const [first = '', credentials = '', ...others] = fencesIn(
  '',
  readFileSync(join(PROJECT, 'docs', 'client.md'), 'utf8')
).flatMap(({ language, text }) => (language === 'js' ? [text] : []))

describe('docs/client.md', () => {
  const printed = async (program: string, environment: Record<string, string> = {}) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: PROJECT,
      env: { ...process.env, ...environment },
      timeout: 15_000
    })
    return stdout
  }
  describe('without credentials', () => {
    const api = liveApi()
    it('the first program', async () => {
      const here = first.replace('127.0.0.1:8080', `127.0.0.1:${api.port}`)
      expect(here).not.to.equal(first)
      expect(await printed(here)).to.equal('succeeded\n404 not_found\n')
      expect(others).to.deep.equal([])
    })
  })
  describe('with credentials', () => {
    const token = 'one-of-32-random-bytes'
    const api = liveApi({
      settings: {
        'auth.token.value': token,
        'auth.basic.username': 'admin',
        'auth.basic.password': 'secret'
      }
    })
    it('both ways to show them let in', async () => {
      const program = `import { createClient } from 'troupe/client'
        const baseUrl = 'http://127.0.0.1:${api.port}/api/v2'
        ${credentials}
        for (const client of [byToken, byPassword, createClient({ baseUrl })])
          console.log(await client.listDags({}).then(({ dags }) => dags.length, ({ code }) => code))`
      expect(await printed(program, { TROUPE_TOKEN: token })).to.equal('0\n0\nunauthorized\n')
    })
  })
})
