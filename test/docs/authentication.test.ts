/** docs/authentication.md: its commands are pasted, and let in those whom the page says they let in. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { passwordCheck } from '../../src/api/auth/compare.ts'
import { readConfig } from '../../src/config.ts'
import { bearer } from '../support/api/key-calls.ts'
import { fencesIn } from '../support/docs/fences.ts'
import { shellIn } from '../support/docs/pasting.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/homes.ts'
import { PROJECT } from '../support/project.ts'

const page = readFileSync(join(PROJECT, 'docs', 'authentication.md'), 'utf8')
const [token = '', keys = '', firstKey = '', hash = '', ...others] = fencesIn('', page).flatMap((one) =>
  one.language === 'sh' ? [one.text] : []
)
const KEY = /\btroupe_\w{60}\b/

describe('docs/authentication.md', function () {
  this.timeout(120_000)
  const folder = temporaryFolder()
  let address = ''
  /** Servers of the page listen on all addresses, those of a test on this machine alone. */
  const pasted = async (block: string, until: (out: string) => boolean | Promise<boolean>) => {
    const port = await freePort()
    address = `http://127.0.0.1:${port}`
    const shell = shellIn(folder, [
      ['http://127.0.0.1:8080', address],
      ['0.0.0.0', '127.0.0.1']
    ])
    return (await shell.paste(block, { environment: { ENGINE_PORT: `${port}` }, until })).out
  }
  const status = async (headers: Record<string, string> = {}) =>
    (await fetch(`${address}/api/v2/dags`, { headers })).status

  it('has no other commands', () => expect(others).to.deep.equal([]))
  it('a token lets in, and nobody gets in without; keys are made, listed and revoked beside that server', async () => {
    const statuses: number[] = []
    const out = await pasted(`${token}echo; ${keys}echo "all is done"`, async (out) => {
      if (!out.includes('all is done')) return false
      statuses.push(await status(), await status(bearer(KEY.exec(out)?.[0] ?? '')))
      return true
    })
    expect(out).to.match(/^\{"dags":\[\]/m)
    expect(out).to.match(/^ci +ends in 89d +none .* runner dags=etl-\*; viewer tags=nightly$/m)
    expect(out).to.contain('ci is revoked: it lets nobody in')
    expect(statuses, 'without a token, and with a key that is revoked').to.deep.equal([401, 401])
  })
  it('a server that asks for keys alone is entered with the first', async () => {
    let statuses: number[] = []
    await pasted(firstKey, async (out) => {
      if (!out.includes(address)) return false
      statuses = [await status(bearer(KEY.exec(out)?.[0] ?? '')), await status()]
      return true
    })
    expect(statuses).to.deep.equal([200, 401])
  })
  it('the command that makes a hash makes one that the server takes', async () => {
    const made = execFileSync('sh', ['-c', hash], { input: 'open sesame\n', encoding: 'utf8' }).trim()
    const settings = { 'auth.basic.username': 'admin', 'auth.basic.passwordHash': made }
    const { basic } = readConfig({ home: '/nowhere', settings }, {}).auth
    if (!basic) return expect.fail('basic authentication is off')
    const check = passwordCheck(basic)
    expect([await check('admin', 'open sesame'), await check('admin', 'open')]).to.deep.equal([true, false])
  })
})
