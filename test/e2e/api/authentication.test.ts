/** A real server with authentication: who gets in, and where its credentials are not. Source: api-semantics 9, 14.25; architecture 7; reliability 5.1. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Json } from '../../support/api/live-api.ts'
import { program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const SECRETS = ['basic-9f3c', 'bearer-71ab', 'named-5d02']
const [PASSWORD, TOKEN, NAMED] = SECRETS

describe('a server with authentication', () => {
  const folder = temporaryFolder()
  let server: RunningServer
  before(async () => {
    mkdirSync(join(folder, 'dags'))
    writeFileSync(
      join(folder, 'dags', 'spy.yaml'),
      `env:
  - TAKEN: \${ENGINE_AUTH_TOKEN}\${ENGINE_AUTH_BASIC_PASSWORD}\${CI_TOKEN}
  - RUN: "\`echo [$ENGINE_AUTH_TOKEN$CI_TOKEN]\`"
steps:
  - name: look
    command: |
      echo "<$TAKEN>$RUN"
      env
      tr '\\0' '\\n' < /proc/self/environ
      tr '\\0' '\\n' < /proc/$PPID/environ
      tr '\\0' ' ' < /proc/$PPID/cmdline
`
    )
    server = await runningServer(
      {
        ENGINE_HOST: '0.0.0.0',
        ENGINE_AUTH_BASIC_USERNAME: 'admin',
        ENGINE_AUTH_BASIC_PASSWORD: PASSWORD ?? '',
        ENGINE_AUTH_TOKEN: TOKEN ?? '',
        CI_TOKEN: NAMED ?? '',
        ENGINE_DEBUG: '1'
      },
      { folder, file: 'auth:\n  tokens:\n    - {name: ci, value: "${CI_TOKEN}", permissions: [read]}\n' }
    )
  })
  after(() => server.end())

  const call = (method: string, path: string, authorization?: string) =>
    fetch(`${server.address.replace('0.0.0.0', '127.0.0.1')}/api/v2${path}`, {
      method,
      headers: authorization ? { Authorization: authorization } : {}
    })
  const basic = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`

  it('listens beyond loopback', () => {
    expect(server.address).to.contain('0.0.0.0')
  })

  it('14.25 401 has a JSON body and WWW-Authenticate; /health open', async () => {
    const refused = await call('GET', '/dags')
    expect([refused.status, refused.headers.get('www-authenticate')]).to.deep.equal([401, 'Basic realm="restricted"'])
    expect(await refused.json()).to.have.property('code', 'unauthorized')
    expect((await call('GET', '/health')).status).to.equal(200)
    for (const header of [basic, `Bearer ${TOKEN}`, `Bearer ${NAMED}`])
      expect((await call('GET', '/dags', header)).status).to.equal(200)
    expect((await call('POST', '/dags/spy/start', `Bearer ${NAMED}`)).status).to.equal(403)
  })

  it("the command line reaches its owner's server without credentials, over a socket of mode 0600", async () => {
    expect(statSync(join(folder, 'data', 'troupe.sock')).mode & 0o777).to.equal(0o600)
    const start = program(folder, { ENGINE_HOME: folder, CI_TOKEN: 'other' }, 'start', 'spy', '-r', 'by-cli')
    expect(await start.code, start.written.err).to.equal(0)
  })

  it('credentials are never in logs, answers, step environments, or /proc of steps', async () => {
    const started = await call('POST', '/dags/spy/start', basic)
    const { dagRunId } = (await started.json()) as Json
    const run = await eventually('the end of the run', async () => {
      const text = await (await call('GET', `/dag-runs/spy/${dagRunId}`, basic)).text()
      const { dagRun } = JSON.parse(text)
      return dagRun.finishedAt === '' ? undefined : { text, dagRun }
    })
    const seen = textOf(run.dagRun.nodes[0].stdout)
    expect(seen)
      .to.match(/^<>\[\]\n/)
      .and.to.contain('ENGINE_DEBUG=1')
    const wrong = await call('GET', '/dags', `Bearer ${TOKEN}x`)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
    expect(files.length).to.be.greaterThan(5)
    const texts = [run.text, seen, await wrong.text(), server.written.err, server.written.out]
    for (const path of files) texts.push(readFileSync(path, 'latin1'))
    for (const secret of SECRETS)
      for (const text of texts) expect(text.includes(secret), `${secret} in ${text.slice(0, 200)}`).to.equal(false)
  })
})

describe('a server without authentication', () => {
  it('refuses to listen beyond loopback, and says how to fix it', async () => {
    const folder = temporaryFolder()
    const { code, written } = program(
      folder,
      { ENGINE_HOME: folder, ENGINE_HOST: '0.0.0.0', ENGINE_PORT: '0' },
      'start-all'
    )
    expect(await code).to.equal(1)
    expect(written.err).to.match(
      /^Error: refused to listen on 0\.0\.0\.0: without authentication.*ENGINE_ALLOW_UNAUTHENTICATED=1\n$/
    )
  })

  it('unless ENGINE_ALLOW_UNAUTHENTICATED=1; then a warning is logged', async () => {
    const server = await runningServer({ ENGINE_HOST: '0.0.0.0', ENGINE_ALLOW_UNAUTHENTICATED: '1' })
    expect(server.address).to.contain('0.0.0.0')
    await eventually('the warning', () => server.written.err.includes('WARN no authentication') || undefined)
    await server.end()
  })

  it('half of a method ends the start: nobody should believe it is on', async () => {
    const folder = temporaryFolder()
    const { code, written } = program(folder, { ENGINE_HOME: folder, ENGINE_AUTH_BASIC_USERNAME: 'admin' }, 'start-all')
    expect([await code, written.err]).to.deep.equal([
      1,
      'Error: auth.basic: wanted a username and a password, found one of them\n'
    ])
  })
})
