/** Workers that drain: real programs, a real broker. Source: distribution 1 (D16), 8. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { called } from '../../support/cli/called.ts'
import { openPlacing, type Placing } from '../../support/cli/placing.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { needsNats } from '../../support/nats.ts'
import { eventually } from '../../support/waiting.ts'

describe('workers › D16 drain', function () {
  this.timeout(120_000)
  needsNats()
  let placing: Placing
  let shared: string
  beforeEach(async () => {
    placing = await openPlacing()
    shared = temporaryFolder()
  })
  afterEach(() => placing?.close())

  const worker = async (id: string, ...argv: string[]) => {
    const one = placing.worker(id, ['-l', 'zone=a', ...argv])
    await placing.healthy(id)
    return one
  }
  /** A run whose step waits for `go`, on the worker that is there. */
  async function begun(name: string, more = '') {
    const begin = join(shared, `${name}-begun`)
    const go = join(shared, `${name}-go`)
    const id = await placing.start(`
name: ${name}
workerSelector: {zone: a}
steps:
  - {name: one, script: "echo x >>${begin}; while [ ! -e ${go} ]; do sleep 0.1; done"}
  - {name: two, call: below, depends: one}
${more}
---
name: below
workerSelector: {zone: a}
steps: [{name: b, command: 'true'}]
`)
    await eventually('its beginning', () => existsSync(begin) || undefined)
    return {
      id,
      count: () => readFileSync(begin, 'utf8').length / 2,
      go: () => writeFileSync(go, ''),
      ended: () => placing.ended(name, id)
    }
  }
  const small = () => placing.start('name: small\nworkerSelector: {zone: a}\nsteps: [{name: s, command: "true"}]')
  const drain = (id: string, body: object = { drain: true }) => placing.ask(`/workers/${id}/drain`, 'POST', body)
  const statusOf = async (id: string) => {
    const { json } = await placing.ask('/workers')
    const { workers = [] } = json as { workers?: { id: string; status: string }[] } // 503 until the server has found the coordinator
    return workers.find((one) => one.id === id)?.status
  }

  it('a run that is there ends, its sub runs too; others wait or go elsewhere; then the worker leaves with 0', async () => {
    const one = await worker('wa')
    const run = await begun('first')
    expect(await drain('wa')).to.nested.include({ status: 200, 'json.status': 'draining' })
    const later = await small()
    expect((await placing.run('small', later)).statusLabel).to.equal('queued')
    const { json } = await placing.ask(`/dag-runs/small/${later}/explain`)
    expect(JSON.stringify(json)).to.contain('wa fits but drains and takes no more runs')
    await eventually('it says so', () => /draining/.test(one.written.err) || undefined)
    await worker('wb')
    expect((await placing.ended('small', later)).workerId).to.equal('wb')
    run.go()
    const { statusLabel, workerId } = await run.ended()
    expect([statusLabel, workerId, run.count()]).to.deep.equal(['succeeded', 'wa', 1])
    expect(await one.code).to.equal(0)
  })
  it('taken back, it takes runs again; unknown workers and wrong bodies are refused', async () => {
    const one = await worker('wa')
    const run = await begun('first')
    await drain('wa')
    const waits = await small()
    expect(await drain('wa', { drain: false })).to.nested.include({ status: 200, 'json.status': 'serving' })
    expect((await placing.ended('small', waits)).statusLabel).to.equal('succeeded')
    run.go()
    await run.ended()
    expect(one.child.exitCode).to.equal(null)
    expect((await drain('wz')).status).to.equal(404)
    const { status, json } = await drain('wa', { drain: 'yes', timeoutSec: 0 })
    expect([status, (json as { details: { errors: string[] } }).details.errors.length]).to.deep.equal([400, 2])
  })
  it('on the command line; the engine is killed meanwhile: it drains as before', async () => {
    const cli = async (...words: string[]) => {
      const { code, out, err } = await called(placing.home, { ENGINE_HOME: placing.home }, 'worker', ...words)
      return [code, out + err]
    }
    const one = await worker('wa')
    const run = await begun('first')
    const away = temporaryFolder()
    const elsewhere = async (...words: string[]) => {
      const url = ['--url', placing.server.address]
      const { code, out, err } = await called(away, { ENGINE_HOME: away }, ...words, ...url)
      return [code, out + err]
    }
    expect(await elsewhere('worker', 'drain', 'wa')).to.deep.equal([
      0,
      'wa takes no more runs: it leaves when its run has ended\n'
    ])
    const [, listed = ''] = await elsewhere('workers')
    expect(listed)
      .to.match(/^wa +draining +1\/100 /m)
      .and.match(/└─ first +\S+ +run /)
    expect(await elsewhere('worker', 'undrain', 'wa')).to.deep.equal([0, 'wa takes runs again\n'])
    expect((await elsewhere('worker', 'drain', 'wb'))[1]).to.contain('there is no worker wb')
    const shown = JSON.parse((await elsewhere('workers', '--json'))[1] as string).workers[0]
    expect(shown).to.deep.include({ id: 'wa', status: 'serving', labels: { zone: 'a' }, slots: 100 })
    expect(await cli('drain', 'wa')).to.deep.equal([0, 'wa takes no more runs: it leaves when its run has ended\n'])
    expect(await cli('undrain', 'wa')).to.deep.equal([0, 'wa takes runs again\n'])
    expect(await cli('drain', 'wb')).to.deep.equal([
      1,
      'Error: there is no worker wb: none of that name is connected\n'
    ])
    expect((await cli('drian', 'wa', '-m', '3'))[1]).to.equal(
      'Error: worker: wanted drain, undrain, enroll or revoke, found "drian"; --worker.max-active-runs does not belong to drian\n'
    )
    await drain('wa')
    await placing.killServer()
    await placing.startServer()
    await eventually('it is listed', async () => ((await statusOf('wa')) === 'draining' ? true : undefined))
    const waits = await small()
    run.go()
    expect((await run.ended()).statusLabel).to.equal('succeeded')
    expect(await one.code).to.equal(0)
    await worker('wb')
    expect((await placing.ended('small', waits)).workerId).to.equal('wb')
  })
  it('when its time is over what it has is stopped, handlers run, and it leaves with 0', async () => {
    const one = await worker('wa')
    const file = join(shared, 'canceled')
    const run = await begun('first', `handlerOn: {cancel: {command: 'echo x >${file}'}}`)
    await drain('wa', { drain: true, timeoutSec: 1 })
    expect((await run.ended()).statusLabel).to.equal('canceled')
    expect(await one.code).to.equal(0)
    expect(existsSync(file)).to.equal(true)
  })
  it('SIGTERM drains: it leaves with 0 when its run has ended, and cannot be kept', async () => {
    const one = await worker('wa')
    const run = await begun('first')
    one.child.kill('SIGTERM')
    await eventually('it drains', async () => ((await statusOf('wa')) === 'draining' ? true : undefined))
    expect(await drain('wa', { drain: false })).to.nested.include({ status: 409, 'json.code': 'already_leaving' })
    run.go()
    expect((await run.ended()).statusLabel).to.equal('succeeded')
    expect(await one.code).to.equal(0)
  })
  it('SIGTERM twice, or once with --leave-running: it leaves at once, and its successor goes on with the step', async () => {
    const one = await worker('wa')
    const run = await begun('first')
    one.child.kill('SIGTERM')
    await eventually('it drains', () => /draining: no more runs/.test(one.written.err) || undefined)
    await new Promise((resolve) => setTimeout(resolve, 400))
    one.child.kill('SIGTERM')
    expect(await one.code).to.equal(0)
    const next = await worker('wa', '--leave-running')
    await eventually('it serves', () => /serving the engine/.test(next.written.err) || undefined)
    next.child.kill('SIGTERM')
    expect(await next.code).to.equal(0)
    await worker('wa')
    run.go()
    expect((await run.ended()).statusLabel).to.equal('succeeded')
    expect(run.count()).to.equal(1)
  })
  itLong('SIGTERM with --timeout: what it has by then is stopped', async () => {
    const one = await worker('wa', '--timeout', '1')
    const run = await begun('first')
    one.child.kill('SIGTERM')
    expect((await run.ended()).statusLabel).to.equal('canceled')
    expect(await one.code).to.equal(0)
  })
})
