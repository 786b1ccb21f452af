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
import { eventually } from '../support/waiting.ts'

const page = readFileSync(join(PROJECT, 'docs', 'authentication.md'), 'utf8')
const [token = '', keys = '', firstKey = '', hash = '', ...others] = fencesIn('', page).flatMap((one) =>
  one.language === 'sh' ? [one.text] : []
)
const KEY = /\btroupe_\w{60}\b/

describe('docs/authentication.md', function () {
  this.timeout(120_000)
  const folder = temporaryFolder()
  let address = ''
  /** Servers of the page listen on all addresses, those of a test on this machine alone. @param then called while they run, when `mark` was printed */
  const pasted = async (block: string, mark: (address: string) => string, then: (out: string) => Promise<void>) => {
    const port = await freePort()
    address = `http://127.0.0.1:${port}`
    const shell = shellIn(folder, [
      ['http://127.0.0.1:8080', address],
      ['0.0.0.0', '127.0.0.1']
    ])
    const ending = new AbortController()
    let so = ''
    const until = (out: string) => {
      so = out
      return false
    }
    const over = shell.paste(block, { environment: { ENGINE_PORT: `${port}` }, until, ending: ending.signal })
    try {
      await eventually(mark(address), () => so.includes(mark(address)) || undefined)
      await then(so)
    } finally {
      ending.abort()
      await over
    }
    return so
  }
  const status = async (headers: Record<string, string> = {}) =>
    (await fetch(`${address}/api/v2/dags`, { headers })).status

  it('has no other commands', () => expect(others).to.deep.equal([]))
  it('a token lets in, and nobody gets in without; keys are made, listed and revoked beside that server', async () => {
    const commands = `${token}echo; ${keys}echo "all is done"`
    const out = await pasted(
      commands,
      () => 'all is done',
      async (out) => {
        expect(await status(), 'without credentials').to.equal(401)
        expect(await status(bearer(KEY.exec(out)?.[0] ?? '')), 'with a key that is revoked').to.equal(401)
      }
    )
    expect(out).to.contain('{"dags":[]')
    expect(out).to.match(/^ci +ends in 89d +none .* runner dags=etl-\*; viewer tags=nightly$/m)
    expect(out).to.contain('ci is revoked: it lets nobody in')
  })
  it('a server that asks for keys alone is entered with the first', async () => {
    await pasted(
      firstKey,
      (address) => address,
      async (out) => {
        expect(await status(bearer(KEY.exec(out)?.[0] ?? ''))).to.equal(200)
        expect(await status()).to.equal(401)
      }
    )
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
