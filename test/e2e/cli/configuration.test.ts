/** Settings take effect in a real server. Source: definition-format "Operational configuration"; api-semantics 10.2, 14.31, 14.32. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Json } from '../../support/api/live-api.ts'
import { program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { textOf } from '../../support/engine/live.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const json = async (url: string, init?: RequestInit): Promise<Json> => (await fetch(url, init)).json()

describe('a server and its environment', () => {
  const place = temporaryFolder()
  let server: RunningServer
  let run: Json
  before(async () => {
    mkdirSync(join(place, 'flows'))
    writeFileSync(
      join(place, 'flows', 'which.yaml'),
      'steps:\n  - name: shell\n    command: echo "$0 ${BASH_VERSION:+bash}"\n'
    )
    server = await runningServer(
      {
        ENGINE_HOST: '127.0.0.2',
        ENGINE_PORT: '0',
        ENGINE_TZ: 'Asia/Tokyo',
        ENGINE_LOG_FORMAT: 'json',
        ENGINE_DEBUG: 'true',
        ENGINE_LOG_DIR: join(place, 'logs'),
        ENGINE_DATA_DIR: join(place, 'data'),
        ENGINE_DAGS_DIR: join(place, 'flows'),
        ENGINE_BASE_PATH: 'eng/',
        ENGINE_DEFAULT_SHELL: 'bash',
        ENGINE_PROT: '1'
      },
      { argv: [] }
    )
    const api = `${server.address}/eng/api/v2`
    const { dagRunId } = await json(`${api}/dags/which/start`, { method: 'POST' })
    run = await eventually('the end of the run', async () => {
      const { dagRun } = await json(`${api}/dag-runs/which/${dagRunId}`)
      return dagRun.finishedAt === '' ? undefined : dagRun
    })
  })
  after(() => server.end())

  it('ENGINE_HOST and ENGINE_PORT: listen address and port', () => {
    expect(server.address).to.match(/^http:\/\/127\.0\.0\.2:[1-9]\d*$/)
  })
  it('ENGINE_TZ: timezone of the times in answers', () => {
    expect(run.startedAt).to.match(/T\d\d:\d\d:\d\d\+09:00$/)
  })
  it('ENGINE_LOG_FORMAT=json: one object a line', () => {
    const lines = server.written.err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ msg }) => msg)).to.include('run succeeded')
  })
  it('ENGINE_DEBUG: debug lines in the log', () => {
    expect(server.written.err).to.match(/"level":"DEBUG","msg":"step succeeded"/)
  })
  it('ENGINE_LOG_DIR: run and step logs are there', () => {
    expect(run.log).to.match(new RegExp(`^${place}/logs/which/`))
    expect(existsSync(run.nodes[0].stdout)).to.equal(true)
  })
  it('ENGINE_DAGS_DIR: definitions are found there', async () => {
    const { dags } = await json(`${server.address}/eng/api/v2/dags`)
    expect(dags.map(({ fileName }: Json) => fileName)).to.deep.equal(['which'])
  })
  it('ENGINE_DATA_DIR and ENGINE_HOME: the store is where they say, with nothing of it in the home', () => {
    expect(existsSync(join(place, 'data', 'troupe.mdb'))).to.equal(true)
    expect(existsSync(join(server.folder, 'data'))).to.equal(false)
  })
  it('ENGINE_DEFAULT_SHELL: steps that name no shell run in it', () => {
    expect(textOf(run.nodes[0].stdout)).to.equal('bash bash\n')
  })
  it('14.32 ENGINE_BASE_PATH=/eng: API answers at /eng/api/v2/health, not at /api/v2/health', async () => {
    expect((await fetch(`${server.address}/eng/api/v2/health`)).status).to.equal(200)
    expect((await fetch(`${server.address}/api/v2/health`)).status).to.equal(404)
  })
  it('warnings stand in the log', () => {
    expect(server.written.err).to.contain('unknown variable ENGINE_PROT; did you mean ENGINE_PORT?')
  })
})

describe('a server and its configuration file', () => {
  it('14.31 ENGINE_PORT=1 troupe server --port 2 listens on 2; file value loses to both', async () => {
    const [inFile, inEnvironment, asFlag] = [await freePort(), await freePort(), await freePort()]
    for (const [environment, argv, port] of [
      [{ ENGINE_PORT: String(inEnvironment) }, ['--port', String(asFlag)], asFlag],
      [{ ENGINE_PORT: String(inEnvironment) }, [], inEnvironment],
      [{}, [], inFile]
    ] as const) {
      const server = await runningServer(environment, { argv: [...argv], file: `port: ${inFile}\n` })
      expect(server.address).to.equal(`http://127.0.0.1:${port}`)
      expect((await fetch(`${server.address}/api/v2/health`)).status).to.equal(200)
      await server.end()
    }
  })

  it('ENGINE_HOME: definitions, logs, store and config.yaml are below it', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'dags'))
    writeFileSync(join(folder, 'dags', 'a.yaml'), 'steps:\n  - echo hello\n')
    const server = await runningServer({}, { folder, file: 'tz: Asia/Kolkata\n' })
    const { dagRunId } = await json(`${server.address}/api/v2/dags/a/start`, { method: 'POST' })
    const { dagRun } = await json(`${server.address}/api/v2/dag-runs/a/${dagRunId}`)
    expect(dagRun.log).to.match(new RegExp(`^${folder}/logs/a/`))
    expect((await json(`${server.address}/api/v2/health`)).timestamp).to.contain('+05:30')
    expect(existsSync(join(folder, 'data', 'troupe.mdb'))).to.equal(true)
    await server.end()
  })

  it('-c/--config names another file, on every command', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'flows'))
    writeFileSync(join(folder, 'other.yaml'), 'paths:\n  dagsDir: flows\n')
    writeFileSync(join(folder, 'flows', 'a.yaml'), 'steps:\n  - echo hello\n')
    const validate = program(folder, {}, '-c', 'other.yaml', 'validate', 'a')
    expect([await validate.code, validate.written.out]).to.deep.equal([0, 'flows/a.yaml is valid: a\n'])
    const missing = program(folder, {}, 'start', 'a', '--config', 'none.yaml')
    expect(await missing.code).to.equal(1)
    expect(missing.written.err).to.equal(`Error: configuration file: wanted ${folder}/none.yaml, found no such file\n`)
  })

  it('what this release does not do is refused by key: start-all and start; looking is not', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'config.yaml'), 'ui: {navbarColor: red, navbarTitle: Mine}\n')
    writeFileSync(join(folder, 'a.yaml'), 'steps:\n  - echo hello\n')
    for (const argv of [
      ['start-all', '--port', '0'],
      ['start', './a.yaml']
    ]) {
      const { code, written } = program(folder, { ENGINE_HOME: folder }, ...argv)
      expect([await code, written.err]).to.deep.equal([1, 'Error: not supported yet: ui.navbarColor, ui.navbarTitle\n'])
    }
    const look = program(folder, { ENGINE_HOME: folder }, 'config')
    expect(await look.code).to.equal(0)
  })

  it('a value of the wrong type ends the start with file, line and what would be right', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'config.yaml'), 'host: localhost\nport: eighty\n')
    const { code, written } = program(folder, { ENGINE_HOME: folder }, 'start-all')
    expect([await code, written.err]).to.deep.equal([
      1,
      `Error: ${folder}/config.yaml:2:1: port: wanted an integer from 0 to 65535, found "eighty"\n`
    ])
  })
})
