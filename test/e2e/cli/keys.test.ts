/** `troupe keys` and `troupe key`: on a home without a server, beside a running server, and on a server elsewhere. Source: docs/cli.md "API keys". */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { bearer } from '../../support/api/key-calls.ts'
import { called } from '../../support/cli/called.ts'
import { type RunningServer, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'

const FORM = /^troupe_\w{10}_\w{49}\n$/

describe('troupe key › on a home and on a server', () => {
  const folder = temporaryFolder()
  let server: RunningServer | undefined
  after(() => server?.end())
  function troupe(environment: Record<string, string>, ...argv: string[]) {
    return called(folder, environment, ...argv)
  }
  const here = (...argv: string[]) => troupe({ ENGINE_HOME: folder }, ...argv)
  const keyOf = async (...argv: string[]) => {
    const { code, out, err } = await here('key', 'create', ...argv)
    expect([code, FORM.test(out)], err).to.deep.equal([0, true])
    return out.trim()
  }
  const status = async (key: string, path = '/dags', method = 'GET') =>
    (await fetch(`${server?.address}/api/v2${path}`, { method, headers: bearer(key) })).status
  let first = ''

  it('makes the first key of a home before there is a server, which then asks for keys alone', async () => {
    first = await keyOf('root', '--role', 'admin', '--expires', '30d')
    server = await runningServer({ ENGINE_AUTH_KEYS: 'true' }, { folder })
    expect([await status(first), await status('x')]).to.deep.equal([200, 401])
  })

  it('beside a running server: made, listed with its last use, revoked, each at once', async () => {
    const key = await keyOf('ci', '--rule', 'runner dags=etl-*,prod', '--rule', 'viewer tags=nightly')
    expect(await status(key)).to.equal(200)
    const { out } = await here('keys')
    expect(out).to.match(/^key +status +role +used +made +by +rules\n/)
    expect(out).to.match(
      /\nci +active +none +\S+ ago +\S+ ago +.+ on the command line +runner dags=etl-\*,prod; viewer tags=nightly\n/
    )
    expect(out).to.match(/\nroot +ends in 29d.* +admin /)
    const { keys } = JSON.parse((await here('keys', '--json')).out)
    expect(keys.map(({ name }: { name: string }) => name)).to.deep.equal(['ci', 'root'])
    expect((await here('key', 'revoke', 'ci')).out).to.equal('ci is revoked: it lets nobody in\n')
    expect(await status(key)).to.equal(401)
    expect(await here('key', 'revoke', 'ci')).to.deep.include({
      code: 1,
      err: 'Error: there is no active key named ci\n'
    })
  })

  it('with --url and a key: the same on a server elsewhere', async () => {
    const elsewhere = temporaryFolder()
    const tokenFile = join(elsewhere, 'token')
    writeFileSync(tokenFile, `${first}\n`, { mode: 0o600 })
    const there = async (...argv: string[]) => {
      const all = [...argv, '--url', server?.address ?? '', '--token-file', tokenFile]
      return called(elsewhere, {}, ...all)
    }
    const { out, err, code } = await there('key', 'create', 'far', '--role', 'viewer', '--json')
    expect(code, err).to.equal(0)
    const { key, ...about } = JSON.parse(out)
    expect(about).to.deep.include({ name: 'far', role: 'viewer', createdBy: 'the key root' })
    expect(await status(key)).to.equal(200)
    expect((await there('keys')).out).to.match(/\nfar +ends in 29d/)
    expect((await there('key', 'revoke', 'far', '-q')).out).to.equal('')
    expect(await status(key)).to.equal(401)
  })

  it('says all that is wrong at once', async () => {
    for (const [argv, message] of [
      [['create', 'x'], 'key: wanted --role or --rule, found none: a key without them may do nothing'],
      [['make', 'x'], 'key: wanted create or revoke, found "make"'],
      [
        ['revoke', 'x', '--role', 'viewer', '--expires', '1d'],
        'key: --role belongs to create; --expires belongs to create'
      ],
      [['create', 'x', '--rule', 'runner etl'], 'key: --rule: wanted such as \'runner dags=etl-*\', found "etl"']
    ] as const) {
      expect(await here('key', ...argv)).to.deep.include({ code: 1, err: `Error: ${message}\n`, out: '' })
    }
    const { err } = await here('key', 'create', 'x y', '--role', 'boss', '--rule', 'owner dag=x', '--expires', 'never')
    for (const part of [
      "field 'name'",
      "field 'role'",
      'rules[0]: unknown member dag',
      'rules[0].may',
      "field 'expires'"
    ])
      expect(err).to.contain(part)
  })
})
