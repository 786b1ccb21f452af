/** A home of Dagu comes into a home: what a real `dagu` 1.30.2 has left (fixtures/import). Source: docs/operating/coming-from-dagu.md. */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { examine } from '../../src/doctor/doctor.ts'
import { createEngine } from '../../src/index.ts'
import { nodesOf, runRecord } from '../../src/store/history.ts'
import { temporaryFolder } from '../support/homes.ts'
import { contentsOf, daguHome, errorOf, importInto, said, statusOf, storeIn } from './scene.ts'

describe('import › a home of Dagu', () => {
  it('definitions of 1.x come over byte for byte; base file, settings and flags with them', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    const done = await importInto(to, from)
    const names = ['broken.yaml', 'flaky.yaml', 'long.yaml', 'ok.yaml', 'parent.yaml', 'sched.yaml']
    expect(readdirSync(join(to, 'dags'))).to.deep.equal(names)
    for (const name of names)
      expect(readFileSync(join(to, 'dags', name)).equals(readFileSync(join(from, 'dags', name))), name).to.equal(true)
    expect(readFileSync(join(to, 'base.yaml'), 'utf8')).to.equal(readFileSync(join(from, 'base.yaml'), 'utf8'))
    expect(readdirSync(join(to, 'suspend'))).to.have.members(['broken.suspend', 'sched.suspend'])
    const config = readConfig({ home: to }, {})
    expect([config.port, config.tz, config.queues.config]).to.deep.equal([
      8191,
      'Europe/Berlin',
      [{ name: 'batch', maxConcurrency: 1 }]
    ])
    expect(said(done, 'configuration', 'left')).to.deep.equal(['config.yaml:11: ui.navbarTitle has no effect here yet'])
    expect(said(done, 'definitions', 'note')).to.deep.equal([
      'flaky.yaml:4: DAGU_HOME is a variable of Dagu, which nothing sets here',
      'parent.yaml:1: nothing tells its release: its steps run one after another here, as before 2.7; since then each waits for its depends only'
    ])
    const told = await importInto(temporaryFolder(), daguHome(), { from: '1.30', dryRun: true })
    expect(said(told, 'definitions', 'note')).to.have.length(1)
  })

  it('runs come over with status, params, times, attempts, nodes, outputs and errors; the trigger is import', async () => {
    const to = temporaryFolder()
    const done = await importInto(to, daguHome())
    expect(said(done, 'history', 'taken')).to.deep.equal([
      'broken: 1 run: 1 failed',
      'flaky: 1 run: 1 partially_succeeded',
      'long: 2 runs: 1 canceled, 1 failed',
      'ok: 2 runs: 2 succeeded',
      'parent: 1 run: 1 succeeded; 3 sub DAG runs'
    ])
    await storeIn(to, (store) => {
      const ok = runRecord(store, { name: 'ok', dagRunId: 'ok-1' })
      expect(ok).to.deep.include({
        status: 'succeeded',
        attempt: 1,
        queue: 'ok',
        trigger: { type: 'import' },
        params: [
          { name: 'WHO', value: 'you' },
          { name: 'COUNT', value: '2' }
        ]
      })
      expect(new Date(ok?.startedAt ?? 0).toISOString()).to.match(/^2026-11-28T10:15:1\d\.000Z$/)
      const outputs = [...nodesOf(store, { name: 'ok', dagRunId: 'ok-1' })].map(([place, { record }]) => [
        place,
        record.step,
        record.status,
        record.output,
        record.exitCode
      ])
      expect(outputs).to.deep.equal([
        [0, 'greet', 'succeeded', 'hello you', 0],
        [1, 'second', 'succeeded', undefined, 0],
        ['onExit', 'onExit', 'succeeded', undefined, 0]
      ])
      const broken = nodesOf(store, { name: 'broken', dagRunId: 'broken-1' })
      expect(broken.get(1)?.record).to.deep.include({ status: 'failed', exitCode: 4 })
      expect(broken.get(1)?.record.error).to.match(/exit status 4\nrecent stderr \(tail\):\noh no/)
      expect(broken.get(2)?.record).to.deep.include({ status: 'canceled', error: 'upstream failed' })
      expect(broken.get('onFailure')?.record.status).to.equal('succeeded')
      expect(runRecord(store, { name: 'flaky', dagRunId: 'flaky-1' })).to.deep.include({ attempt: 2 })
      const first = store.attempts.get(['flaky', 'flaky-1', 1])
      expect([first?.record.status, first?.nodes.get(0)?.status]).to.deep.equal(['failed', 'failed'])
      const flaky = nodesOf(store, { name: 'flaky', dagRunId: 'flaky-1' })
      expect(flaky.get(1)?.record).to.deep.include({ status: 'failed', retryCount: 2 })
      expect(flaky.get(2)?.record.conditions).to.deep.equal([
        { matched: false, error: 'condition was not met: expected "2", got "1"' }
      ])
      expect(runRecord(store, { name: 'long', dagRunId: 'long-1' })?.status).to.equal('canceled')
    })
  })

  it('a run that is running there comes over as failed, with a sentence; when it has ended, the next import says how', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    const sentence = 'it was running in Dagu when it was imported: how it ended is not known here'
    const key = { name: 'long', dagRunId: 'long-2' }
    const done = await importInto(to, from)
    expect(said(done, 'history', 'note')).to.deep.equal([
      'run long-2 of long: is running there: it comes over as failed, with a sentence'
    ])
    await storeIn(to, (store) => {
      expect(runRecord(store, key)).to.deep.include({ status: 'failed', error: sentence })
      expect(nodesOf(store, key).get(0)?.record).to.deep.include({ status: 'failed', error: sentence })
    })
    const file = statusOf(from, 'long-2')
    const last = JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '')
    const ended = { ...last, status: 4, finishedAt: '2026-11-28T11:20:00+01:00' }
    ended.nodes = [{ ...last.nodes[0], status: 4, finishedAt: '2026-11-28T11:20:00+01:00' }]
    writeFileSync(file, `${JSON.stringify(ended)}\n`, { flag: 'a' })
    expect(said(await importInto(to, from), 'history', 'taken')).to.deep.equal(['long: 1 run: 1 succeeded'])
    await storeIn(to, (store) => {
      expect(runRecord(store, key)?.status).to.equal('succeeded')
      expect(runRecord(store, key)?.error).to.equal(undefined)
      expect([...store.byStatus.getKeys()].filter(([, , , id]) => id === 'long-2')).to.have.length(1)
    })
    const { findings } = await examine(readConfig({ home: to }, {}), systemClock)
    expect(findings.map(({ message }) => message)).to.deep.equal([])
  })

  it('logs are copied to where this engine writes them, and the doctor finds nothing', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    await importInto(to, from)
    const folder = join(to, 'logs', 'ok', 'ok-1')
    expect(readFileSync(join(folder, '1', 'greet.out'), 'utf8')).to.equal('hello you\n')
    expect(statSync(join(folder, '1', 'greet.out')).mode & 0o777).to.equal(0o600)
    expect(readFileSync(join(folder, '1', 'second.err'), 'utf8')).to.equal('again hello you\n')
    expect(readFileSync(join(folder, 'run.log'), 'utf8')).to.contain('DAG run finished')
    expect(existsSync(join(to, 'logs', 'flaky', 'flaky-1', '2', 'patient.out'))).to.equal(true)
    const { findings } = await examine(readConfig({ home: to }, {}), systemClock)
    expect(findings.map(({ message }) => message)).to.deep.equal([])
  })

  it('nothing is written on the side of Dagu: a tree that cannot be written is imported, and is the same afterwards', async () => {
    const from = daguHome()
    for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) chmodSync(join(from, name), 0o555)
    const before = contentsOf(from)
    await importInto(temporaryFolder(), from)
    expect(contentsOf(from)).to.deep.equal(before)
    for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) chmodSync(join(from, name), 0o755)
  })

  it('a second import adds only what is new; what is here and differs stays, unless it may be replaced', async () => {
    const [from, to] = [daguHome(), temporaryFolder()]
    await importInto(to, from)
    writeFileSync(join(to, 'dags', 'ok.yaml'), 'steps: [echo mine]\n')
    writeFileSync(join(from, 'dags', 'new.yaml'), 'steps: [echo new]\n')
    const again = await importInto(to, from)
    expect([again.files, again.runs]).to.deep.equal([[join(to, 'dags', 'new.yaml')], 0])
    expect(said(again, 'definitions', 'left')).to.deep.equal([
      `ok.yaml: ${join(to, 'dags', 'ok.yaml')} is here already, and differs`
    ])
    expect(said(again, 'history', 'there')).to.have.length(5)
    const over = await importInto(to, from, { overwrite: true })
    expect(over.files).to.deep.equal([join(to, 'dags', 'ok.yaml')])
    expect(readFileSync(join(to, 'dags', 'ok.yaml'), 'utf8')).to.equal(
      readFileSync(join(from, 'dags', 'ok.yaml'), 'utf8')
    )
  })

  it('a dry run says the same and writes nothing', async () => {
    const [from, to] = [daguHome(), join(temporaryFolder(), 'home')]
    const dry = await importInto(to, from, { dryRun: true })
    expect(existsSync(to)).to.equal(false)
    const real = await importInto(to, from)
    expect(dry.report.entries).to.deep.equal(real.report.entries)
    expect(dry.waiting.map(({ dagRunId, params }) => [dagRunId, params])).to.deep.equal([
      ['long-q1', []],
      ['ok-q1', ['WHO=queue', 'COUNT=2']]
    ])
  })

  it('only the parts that were asked for come over', async () => {
    const to = temporaryFolder()
    const done = await importInto(to, daguHome(), { only: new Set(['history'] as const) })
    expect(done.files).to.deep.equal([])
    expect(done.runs).to.equal(7)
    expect(existsSync(join(to, 'dags'))).to.equal(false)
    expect(readdirSync(join(to, 'logs', 'ok', 'ok-1'))).to.deep.equal(['run.log'])
    expect(readFileSync(join(to, 'logs', 'ok', 'ok-1', 'run.log'), 'utf8')).to.contain('without its log')
    const { findings } = await examine(readConfig({ home: to }, {}), systemClock)
    expect(findings.map(({ message }) => message)).to.deep.equal([])
  })

  it('a home that an engine is running on is refused, and so is the home itself', async () => {
    const home = temporaryFolder()
    const engine = await createEngine({ home })
    try {
      const error = await errorOf(importInto(home, daguHome()))
      expect(error).to.deep.include({ code: 'service_unavailable' })
      expect(existsSync(join(home, 'base.yaml'))).to.equal(false)
    } finally {
      await engine.close()
    }
    expect(await errorOf(importInto(home, home))).to.deep.include({ code: 'bad_request' })
    expect(await errorOf(importInto(home, join(home, 'nowhere')))).to.deep.include({ code: 'not_found' })
  })
})
