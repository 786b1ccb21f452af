/** Commands on a server elsewhere: `--url` and a token. Source: docs/cli.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { called } from '../../support/cli/called.ts'
import { program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const ETL = `params: "N=1"
steps:
  - name: greet
    command: sh -c 'echo hello $N; echo oops >&2'
  - name: sub
    call: kid
  - name: check
    command: sh -c 'test -e ok || { echo it breaks >&2; exit 3; }'
---
name: kid
steps:
  - name: k
    command: echo in kid
`
const LONG = 'restartWaitSec: 1\nsteps:\n  - name: wait\n    command: sh -c "echo begun; sleep 60"\n'
const ASKS = 'steps:\n  - name: ask\n    executor: approval\n'

describe('troupe --url', () => {
  const there = temporaryFolder()
  /** Another home, in which nothing has run. */
  const here = temporaryFolder()
  let server: RunningServer
  before(async () => {
    const definitions = { etl: ETL, long: LONG, asks: ASKS }
    for (const [name, text] of Object.entries(definitions)) writeFileSync(join(there, `${name}.yaml`), text)
    const environment = { ENGINE_AUTH_TOKEN: 'sesame', ENGINE_TZ: 'UTC', ENGINE_DAGS_DIR: there }
    server = await runningServer(environment, { folder: there })
  })
  after(() => server.end())

  const environmentOf = (token: string) => ({
    ENGINE_HOME: here,
    ENGINE_TZ: 'UTC',
    ...(token ? { ENGINE_AUTH_TOKEN: token } : {})
  })
  const run = (token: string, ...argv: string[]) => program(here, environmentOf(token), ...argv)
  const done = (...argv: string[]) => called(here, environmentOf('sesame'), '--url', server.address, ...argv)
  const json = async (...argv: string[]) => JSON.parse((await done(...argv, '--json')).out)

  it('start shows the run and what its steps print, those of sub DAG runs too, and ends as the run does', async () => {
    const { code, out, err } = await done('start', 'etl', '-r', 'r1', '--', 'N=7')
    expect(code).to.equal(1)
    expect(out.trimEnd().split('\n').sort()).to.deep.equal([
      'check | it breaks',
      'greet | hello 7',
      'greet | oops',
      'sub/k | in kid'
    ])
    expect(err)
      .to.match(/✓ succeeded +greet/)
      .and.match(/✗ failed +check/)
      .and.contain('✗ failed      run r1')
    expect(err).not.to.contain('logs:')
  })
  it('list, runs, status, queues, diff, open and logs show what is there', async () => {
    expect((await json('list')).dags.map(({ fileName }: { fileName: string }) => fileName)).to.include('etl')
    expect((await json('runs', '--status', 'failed')).dagRuns).to.have.length(1)
    expect((await done('runs', 'etl')).out).to.match(/✗ failed +etl +r1 .* api, the token token/)
    expect((await done('status', 'etl')).out).to.match(/✓ greet +succeeded/)
    expect(await json('status', 'r1')).to.deep.include({ dagRunId: 'r1', params: 'N=7', statusLabel: 'failed' })
    expect((await done('queues')).code).to.equal(0)
    expect((await done('logs', 'etl', 'greet')).out).to.equal('hello 7\noops\n')
    expect((await done('logs', 'etl', 'sub', '--times')).out).to.match(/^\d\d:\d\d:\d\d sub\/k \| in kid\n$/)
    expect((await done('logs', 'etl', '--stderr', '--since', '2099-01-01')).err).to.contain(
      'written nothing since then'
    )
    expect((await done('open', 'etl')).out).to.equal(`${server.address}/#/runs/etl/r1\n`)
  })
  it('retry shows the new attempt alone', async () => {
    const { code, out, err } = await done('retry', 'etl', '-r', 'r1')
    expect(code).to.equal(1)
    expect(out).to.contain('check | it breaks')
    expect(err)
      .to.match(/● running +check/)
      .and.not.match(/● running +greet/)
  })
  it('enqueue, logs --follow and stop: what is followed ends with the run', async () => {
    expect((await done('enqueue', 'long', '-r', 'l1')).out).to.equal('l1\n')
    const followed = run('sesame', 'logs', 'l1', '--follow', '--url', server.address)
    await eventually('its output', () => followed.written.out.includes('begun') || undefined)
    const { out } = await done('stop', 'long')
    expect(out).to.equal('stopping run l1 of long\nrun l1 of long: canceled\n')
    expect(await followed.code).to.equal(0)
  })
  it('waiting and approve', async () => {
    const started = run('sesame', 'start', 'asks', '-r', 'a1', '--url', server.address)
    await eventually('it waits', async () => ((await done('waiting')).out.includes('a1') ? true : undefined))
    expect((await json('waiting')).waiting[0]).to.deep.include({ name: 'asks', step: 'ask' })
    expect((await done('approve', 'asks', 'ask')).code).to.equal(0)
    expect(await started.code).to.equal(0)
  })
  it('a token in a file, a wrong one, none; no server, no address, another server', async () => {
    const outcome = async (token: string, ...argv: string[]) => {
      const { code, err } = await called(here, environmentOf(token), ...argv)
      return [code, err] as const
    }
    writeFileSync(join(here, 'token'), 'sesame\n')
    expect((await outcome('', 'list', '--url', server.address, '--token-file', 'token'))[0]).to.equal(0)
    const wrong = await outcome('bad', 'list', '--url', server.address)
    expect(wrong).to.deep.equal([1, wrong[1]])
    expect(wrong[1]).to.contain('ENGINE_AUTH_TOKEN or --token-file').and.not.contain('bad')
    expect((await outcome('', 'list', '--url', server.address))[0]).to.equal(1)
    const free = `http://127.0.0.1:${await freePort()}`
    expect((await outcome('', 'list', '--url', free))[1]).to.contain(`no server answers at ${free}`)
    expect((await outcome('', 'list', '--url', 'here'))[1]).to.contain('--url: wanted an address')
    expect((await outcome('', 'list', '--url', 'ftp://here'))[1]).to.contain('wanted http or https')
    expect((await outcome('', 'list', '--url', free, '--home', here))[1]).to.contain('found both')
    expect((await outcome('', 'list', '--token-file', 'token'))[1]).to.contain('--token-file is for a server')
  })
  it('files of this machine are refused by name', async () => {
    for (const command of ['start', 'dry', 'validate', 'edit'])
      expect((await done(command, './etl.yaml')).err).to.contain('wanted the name of a definition of that server')
  })
  it('start --from-run-id repeats a run, restart goes on after the wait of its definition', async () => {
    const { code, out } = await done('start', 'etl', '--from-run-id', 'r1', '-r', 'r2')
    expect(code).to.equal(1)
    expect(out).to.contain('greet | hello 7')
    const again = run('sesame', 'start', 'long', '-r', 'l2', '--url', server.address)
    await eventually('it runs', async () => ((await done('status', 'long')).out.includes('l2') ? true : undefined))
    const restarted = run('sesame', 'restart', 'long', '--url', server.address)
    expect(await again.code).to.equal(1)
    const next = await eventually('another one runs', async () => {
      const { dagRuns } = await json('runs', 'long', '--status', 'running')
      return dagRuns.find(({ dagRunId }: { dagRunId: string }) => dagRunId !== 'l2')
    })
    expect(next.trigger).to.deep.include({ type: 'api', again: 'reschedule' })
    expect(restarted.written.err).to.contain('the next one starts in 1.0s')
    await done('stop', 'long')
    expect(await restarted.code).to.equal(1)
  })
  it('names are looked up there: what is unknown is refused', async () => {
    expect((await done('status', 'nobody')).err).to.contain(`nobody has no runs on ${server.address}`)
    expect((await done('start', 'nobody')).code).to.equal(1)
    expect((await done('logs', 'etl', 'gret')).err).to.contain('did you mean greet?')
  })
})
