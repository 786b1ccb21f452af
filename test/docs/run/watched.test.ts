/** docs/operating/watching.md and audit.md: a server is started as they say, asked as Prometheus asks, and its audit log is looked at. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { blocksOf, blockWith } from '../../support/docs/blocks.ts'
import { type Pasted, type Shell, shellIn } from '../../support/docs/pasting.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'
import { eventually } from '../../support/waiting.ts'

const WATCHING = 'docs/operating/watching.md'
const AUDIT = 'docs/operating/audit.md'
/** An administrator's, for another machine. */
const ADMIN = 'of-an-administrator'
/** Of the one that audit.md looks for. */
const CI = 'of-continuous-integration'

describe('docs/operating: a server that is watched', function () {
  this.timeout(90_000)
  const home = temporaryFolder()
  const ending = new AbortController()
  let server: Promise<Pasted>
  let shell: Shell
  let address = ''
  let token = ''
  let log = ''

  before(async () => {
    mkdirSync(join(home, 'dags'))
    writeFileSync(join(home, 'dags/etl.yaml'), 'steps: [true]\n')
    const settings = [...blocksOf(AUDIT, 'yaml'), blockWith(WATCHING, 'yaml', 'auth:')].join('')
    const ci = `    - { name: ci, value: ${CI}, permissions: [read] }\n`
    writeFileSync(join(home, 'config.yaml'), settings + ci, { mode: 0o600 })
    const [secret = ''] = blocksOf(WATCHING, 'sh')
    server = shellIn(home).paste(`${secret}echo "token $METRICS_TOKEN"\nexec troupe start-all --port 0 --json`, {
      environment: { ENGINE_AUTH_TOKEN: ADMIN, ENGINE_LOG_FORMAT: 'json' },
      ending: ending.signal,
      until: (out) => {
        log = out
        return false
      }
    })
    void server.then(({ out }) => {
      log = `ended: ${out}`
    })
    address = await eventually('a server', () => {
      if (log.startsWith('ended: ')) throw new Error(log)
      return /"address":"([^"]+)"/.exec(log)?.[1]
    })
    token = /^token (\w+)$/m.exec(log)?.[1] ?? ''
    // Who asks from elsewhere has a token in the environment, as docs/cli.md says.
    const environment = { ENGINE_AUTH_TOKEN: ADMIN, METRICS_TOKEN: token }
    shell = shellIn(home, [['https://troupe.example.org', address]], environment)
  })
  after(async () => {
    ending.abort()
    await server
  })
  const asked = (path: string, bearer: string, more: RequestInit = {}, headers: Record<string, string> = {}) =>
    fetch(address + path, { ...more, headers: { Authorization: `Bearer ${bearer}`, ...headers } })

  it('the token of the configuration reads the metrics, and may do no more', async () => {
    expect(token).to.match(/^\w{64}$/)
    expect(log).not.to.contain('"WARN"')
    const scrape = parse(blockWith(WATCHING, 'yaml', 'scrape_configs')).scrape_configs[0]
    const scraped = await asked(scrape.metrics_path, token)
    expect([scraped.status, (await scraped.text()).includes('engine_ready')]).to.deep.equal([200, true])
    expect((await asked('/api/v2/metrics', 'another')).status).to.equal(401)
    for (const reader of [token, CI])
      expect((await asked('/api/v2/dags/etl/start', reader, { method: 'POST', body: '{}' })).status).to.equal(403)
  })

  it('Prometheus reads prometheus.yml, the alerts beside it, and finds the file with the token', function () {
    if (spawnSync('promtool', ['--version']).status !== 0) return this.skip()
    const folder = temporaryFolder()
    cpSync(join(PROJECT, 'docs/operating/alerts.yaml'), join(folder, 'alerts.yaml'))
    const shown = blockWith(WATCHING, 'yaml', 'scrape_configs')
    writeFileSync(join(folder, 'prometheus.yml'), shown.replace('/etc/prometheus/', `${folder}/`))
    const check = () => spawnSync('promtool', ['check', 'config', 'prometheus.yml'], { cwd: folder, encoding: 'utf8' })
    expect(check().stderr, 'the token is not there yet').to.contain('troupe-token')
    writeFileSync(join(folder, 'troupe-token'), token, { mode: 0o600 })
    const { status, stdout, stderr } = check()
    expect([status, stdout.includes('rules found')], stdout + stderr).to.deep.equal([0, true])
  })

  it('a request with an id of its own is found in the log, in a line like the one that is shown', async () => {
    const [shown = ''] = blocksOf(WATCHING, 'json')
    const line: Record<string, string> = JSON.parse(shown)
    const headers = { 'X-Request-Id': line.requestId ?? '', 'Content-Type': 'application/json' }
    const answer = await asked(`/api/v2/dags/${line.name}/start`, ADMIN, { method: 'POST', body: '{}' }, headers)
    expect([answer.status, answer.headers.get('X-Request-Id')]).to.deep.equal([200, line.requestId])
    const { dagRunId } = (await answer.json()) as { dagRunId: string }
    const written = await eventually('the line', () =>
      log.split('\n').find((one) => one.includes(line.msg ?? '') && one.includes(dagRunId))
    )
    const found = JSON.parse(written)
    expect(Object.keys(found)).to.deep.equal(Object.keys(line))
    expect(found).to.include({ level: line.level, msg: line.msg, name: line.name, requestId: line.requestId })
  })

  it('the audit log has who did it and who was refused; it is listed, exported and verified', async () => {
    const { dagRuns } = (await (await asked('/api/v2/dag-runs', ADMIN)).json()) as { dagRuns: { dagRunId: string }[] }
    const [verifying = '', looking = '', following = ''] = blocksOf(AUDIT, 'sh')
    const [run] = dagRuns
    const looked = await shell.paste(looking.replace(/(?<=--run )\S+/, run?.dagRunId ?? ''))
    expect(looked.code, looked.out).to.equal(0)
    expect(looked.out).to.match(/^4 .* token:ci .* startDag .* forbidden/m)
    const [line = ''] = /^\{.*/m.exec(looked.out) ?? []
    expect(JSON.parse(line)).to.include({ operation: 'startDag', outcome: 'done', requestId: 'deploy-17' })
    const exported = readFileSync(join(home, 'exported.jsonl'), 'utf8').trim().split('\n')
    expect(exported.map((one) => JSON.parse(one).seq)).to.deep.equal(exported.map((_, index) => index + 1))
    const verified = await shell.paste(verifying)
    expect([verified.code, verified.out.match(/ 5 entries, 1 to 5, as they were written$/gm)?.length]).to.deep.equal([
      0, 3
    ])
    writeFileSync(join(home, 'exported.jsonl'), exported.toSpliced(1, 1).join('\n'))
    expect((await shell.paste(verifying)).code, 'a line is gone').to.equal(2)
    let isAsked = false
    const { out } = await shell.paste(following, {
      until(shown) {
        if (!isAsked && shown.includes('startDag')) {
          isAsked = true
          void asked('/api/v2/dags/etl/enqueue', CI, { method: 'POST', body: '{}' })
        }
        return shown.includes('enqueueDag')
      }
    })
    expect(out).to.match(/token:ci .* startDag .*token:ci .* enqueueDag .* forbidden/s)
  })
})
