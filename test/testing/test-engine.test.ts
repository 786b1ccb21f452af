/** `troupe/testing`: one engine with its own clock, a store in memory, and no step that is executed by accident. Source: embedding 2.8. */
import { existsSync, readdirSync } from 'node:fs'
import { expect } from 'chai'
import type { RunKey } from '../../machines/vocabulary.ts'
import { exits, later, type TestEngine, testEngine } from '../../src/testing/index.ts'
import { refusedBy, testEngines } from '../support/engine/test-engines.ts'
import { temporaryFolder } from '../support/homes.ts'

const ETL = `
name: etl
steps:
  - name: extract
    command: curl example.test
    output: ROWS
    retryPolicy: {limit: 2, intervalSec: 60}
  - name: load
    command: load $ROWS
`

describe('troupe/testing', () => {
  const engineOf = testEngines()
  const refused = refusedBy
  const outputs = (engine: TestEngine, key: RunKey) => engine.run(key)?.nodes.map(({ node }) => node.output)

  describe('mock', () => {
    it('a list has an end for each call, a text is printed, an error fails the step', async () => {
      const engine = await engineOf(ETL)
      engine.mock('etl/extract', [new Error('no route'), exits(3, { stderr: 'busy' }), '12'])
      engine.mock('etl/load', ({ command, attempt }) => ({ command: command ?? '', attempt }))
      const key = await engine.start({ fileName: 'etl' })
      await engine.advance('2m')
      const { run } = await engine.result(key)
      expect(run.status).to.equal('succeeded')
      expect(outputs(engine, key)).to.deep.equal(['12', undefined])
      expect(engine.calls('etl/extract').map(({ at, attempt }) => [at - run.createdAt, attempt])).to.deep.equal([
        [0, 1],
        [60_000, 2],
        [120_000, 3]
      ])
      expect(engine.path(key, 'extract')).to.deep.equal([
        'attempting.executing',
        'waiting',
        'attempting.executing',
        'waiting',
        'attempting.executing',
        'succeeded'
      ])
    })
    it('a step has log files where it has printed something, or its output is read', async () => {
      const engine = await engineOf(ETL)
      engine.mock('etl/extract', '')
      engine.mock('etl/load', ['', 'done\n'])
      for (const hasPrinted of [false, true]) {
        const key = await engine.start({ fileName: 'etl' })
        await engine.result(key)
        const files = engine.run(key)?.nodes.flatMap(({ node: { stdout, stderr } }) => [stdout ?? '', stderr ?? ''])
        expect(files?.map((path) => existsSync(path))).to.deep.equal([true, false, hasPrinted, false])
      }
    })
    it('an end may come later', async () => {
      const engine = await engineOf(ETL)
      engine.mock('etl/extract', later('1h30m', '12'))
      engine.mock('etl/load', '')
      const key = await engine.start({ fileName: 'etl' })
      await engine.advance('89m')
      expect(engine.path(key, 'extract').at(-1)).to.equal('attempting.executing')
      await engine.advance('1m')
      expect(engine.record(key)?.status).to.equal('succeeded')
    })
    it('a step that is not mocked is refused by name, and goes on once it is', async () => {
      const engine = await engineOf(ETL)
      engine.mock('etl/extract', '12')
      const key = await engine.start({ fileName: 'etl' })
      const message = "step etl/load is not mocked: mock('etl/load', ...) or passThrough('etl/load')"
      expect(await refused(() => engine.idle())).to.equal(message)
      expect(await refused(() => engine.advance('1s'))).to.equal(message)
      engine.mock('etl/load', '')
      expect((await engine.result(key)).run.status).to.equal('succeeded')
    })
    it('more calls than ends are refused by name', async () => {
      const engine = await engineOf(ETL)
      engine.mock('etl/extract', [new Error('no')])
      await engine.start({ fileName: 'etl' })
      expect(await refused(() => engine.advance('1m'))).to.contain('step etl/extract is mocked for 1 call')
    })
    it('a mock for a step that is not there names DAG, step and near names', async () => {
      const engine = await engineOf(ETL)
      expect(await refused(() => engine.mock('etl/laod', ''))).to.equal(
        'mock "etl/laod": DAG "etl" has no step named "laod"; did you mean load?; it has extract, load'
      )
      expect(await refused(() => engine.mock('elt/load', ''))).to.equal(
        'mock "elt/load": there is no DAG named "elt"; did you mean etl?'
      )
    })
    it('conditions and backticks run no command: they are mocked, or refused by name', async () => {
      const engine = await engineOf(`
name: guarded
params: DAY=\`date +%F\`
preconditions: [{condition: test -f ready}]
steps: [{name: go, command: go $DAY}]
`)
      engine.mock({ command: 'date +%F' }, '2026-01-01\n')
      engine.mock('guarded/go', '')
      const key = await engine.start({ fileName: 'guarded' })
      expect(await refused(() => engine.idle())).to.equal(
        'command "test -f ready" is not mocked: mock({ command: "test -f ready" }, ...)'
      )
      engine.mock({ command: 'test -f ready' }, exits(1))
      expect((await engine.result(key)).run.status).to.equal('canceled')
      expect(engine.calls('guarded/go')).to.deep.equal([])
    })
    it('steps of a type are mocked together, the own mock of a step comes first', async () => {
      const engine = await engineOf(`
name: web
type: graph
steps:
  - {name: a, executor: http, command: GET https://example.test/a, output: A}
  - {name: b, executor: http, command: GET https://example.test/b, output: B}
`)
      engine.mock({ type: 'http' }, 'all')
      engine.mock('web/b', 'own')
      const key = await engine.start({ fileName: 'web' })
      await engine.idle()
      expect(outputs(engine, key)).to.deep.equal(['all', 'own'])
    })
    it('steps of a called workflow run here, and the calling step cannot be mocked', async () => {
      const engine = await engineOf({
        dags: [
          'name: outer\nsteps: [{name: each, run: inner, params: "N=7"}]\n',
          'name: inner\nparams: N=1\nsteps: [{name: s, command: x}]\n'
        ]
      })
      expect(await refused(() => engine.mock('outer/each', ''))).to.contain('mock its steps, inner/STEP')
      engine.mock('inner/s', '')
      const key = await engine.start({ fileName: 'outer' })
      expect((await engine.result(key)).run.status).to.equal('succeeded')
      expect(engine.calls('inner/s').map(({ params }) => params)).to.deep.equal([{ N: '7' }])
    })
    it('passThrough executes a step for real, while the clock stands still', async () => {
      const engine = await engineOf({
        dags: ['name: real\nsteps:\n  - {name: count, executor: jq, command: .n, script: \'{"n":3}\', output: N}\n'],
        now: '2030-01-01'
      })
      engine.passThrough('real/count')
      const key = await engine.start({ fileName: 'real' })
      const { run } = await engine.result(key)
      expect([run.status, run.finishedAt]).to.deep.equal(['succeeded', Date.UTC(2030, 0, 1)])
      expect(outputs(engine, key)).to.deep.equal(['3'])
      expect(engine.calls('real/count')).to.deep.equal([
        {
          run: { name: 'real', dagRunId: key.dagRunId },
          step: 'real/count',
          params: {},
          attempt: 1,
          at: Date.UTC(2030, 0, 1),
          command: '.n',
          script: '{"n":3}',
          config: {}
        }
      ])
    })
    it('passThrough of a step that waits for a mock executes it', async () => {
      const engine = await engineOf(
        'name: real\nsteps:\n  - {name: count, executor: jq, command: .n, script: \'{"n":3}\', output: N}\n'
      )
      const key = await engine.start({ fileName: 'real' })
      expect(await refused(() => engine.idle())).to.contain('step real/count is not mocked')
      engine.passThrough('real/count')
      expect((await engine.result(key)).run.status).to.equal('succeeded')
      expect(outputs(engine, key)).to.deep.equal(['3'])
      expect(engine.calls('real/count')).to.have.length(1)
    })
  })

  describe('the clock', () => {
    const DAILY = 'name: daily\nschedule: "30 2 * * *"\nsteps: [{name: s, command: x}]\n'
    const starts = (engine: TestEngine) =>
      engine
        .runs({})
        .map(({ startedAt }) => new Date(startedAt ?? 0).toISOString().slice(5, 16))
        .toReversed()

    it('stands still: schedules, retention and resources ring only inside advance', async () => {
      const engine = await engineOf({ dags: [DAILY], now: '2026-03-28T02:29:59' })
      engine.mock('daily/s', '')
      await engine.idle()
      expect(engine.now()).to.equal(Date.UTC(2026, 2, 28, 2, 29, 59))
      expect(engine.runs({})).to.deep.equal([])
      await engine.advance('1s')
      expect(starts(engine)).to.deep.equal(['03-28T02:30'])
    })
    it('a night without 02:30 has no run; minutes in which nothing is due cost nothing', async () => {
      const engine = await engineOf({ dags: [DAILY], now: '2026-03-28', timeZone: 'Europe/Berlin' })
      engine.mock('daily/s', '')
      await engine.advance(new Date('2026-03-31T00:00:00Z'))
      expect(starts(engine)).to.deep.equal(['03-28T01:30', '03-30T00:30'])
    })
    it('a suspended, and a new definition count from then on', async () => {
      const engine = await engineOf({ dags: [DAILY], now: '2026-01-01' })
      engine.mock('daily/s', '')
      engine.suspendDefinition('daily', true)
      await engine.advance('1d')
      expect(starts(engine)).to.deep.equal([])
      await engine.createDefinition('other', 'schedule: "0 5 * * *"\nsteps: [{name: s, command: x}]\n')
      engine.mock('other/s', '')
      engine.suspendDefinition('daily', false)
      await engine.advance('1d')
      expect(starts(engine)).to.deep.equal(['01-02T02:30', '01-02T05:00'])
    })
    it('goes back by no means', async () => {
      const engine = await engineOf({ dags: [DAILY], now: '2026-01-01' })
      expect(await refused(() => engine.advance(new Date(0)))).to.contain(
        'wanted an instant from 2026-01-01T00:00:00.000Z on'
      )
      expect(await refused(() => engine.advance('soon'))).to.contain('wanted a duration such as 90s')
    })
    it('result says what a run waits for, instead of waiting for a clock that stands still', async () => {
      const engine = await engineOf(ETL)
      engine.mock('etl/extract', later('1h', ''))
      const key = await engine.start({ fileName: 'etl' })
      expect(await refused(() => engine.result(key))).to.contain('of etl is running, and the clock stands still')
    })
  })

  describe('testEngine', () => {
    it('takes texts, files, and DAGs of code', async () => {
      const code = { name: 'code', toYaml: () => 'name: code\nsteps: [{name: s, command: x}]\n' }
      const engine = await engineOf({ dags: [ETL, 'fixtures/examples/backup.yaml', code] })
      expect(engine.definitions().map(({ fileName }) => fileName)).to.deep.equal(['backup', 'code', 'etl'])
    })
    it('names all problems of all definitions, and unknown options', async () => {
      const message = await refused(() =>
        testEngine({ dags: ['name: a\nstep: []\n', 'name: b\nsteps: [{nme: x}]\n', 'steps: []\n'] })
      )
      expect(message).to.contain('dags[0]').and.contain('dags[1]').and.contain('dags[2]: a text needs a name')
      expect(await refused(() => testEngine({ dags: [], zone: 'UTC' } as never))).to.contain('unknown option zone')
      expect(await refused(() => testEngine({ dags: ['nowhere.yaml'] }))).to.equal(
        'dags[0]: there is no file nowhere.yaml'
      )
    })
    it('close waits for no clock and leaves nothing: no handle, no listener, no file', async () => {
      await null // mocha sets its timer now
      const { TMPDIR } = process.env
      const temporary = temporaryFolder()
      process.env.TMPDIR = temporary
      const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
      const before = {
        timers: timers(),
        listeners: process.eventNames().map((name) => process.listenerCount(name))
      }
      const engine = await engineOf(ETL)
      try {
        engine.mock('etl/extract', later('30d', ''))
        await engine.start({ fileName: 'etl' })
        await engine.idle()
        expect(existsSync(engine.home)).to.equal(true)
        await engine.close()
        await engine.close()
      } finally {
        if (TMPDIR === undefined) delete process.env.TMPDIR
        else process.env.TMPDIR = TMPDIR
      }
      expect(existsSync(engine.home)).to.equal(false)
      expect(readdirSync(temporary)).to.deep.equal([])
      expect(process.eventNames().map((name) => process.listenerCount(name))).to.deep.equal(before.listeners)
      expect(timers()).to.equal(before.timers)
      expect(await refused(() => engine.start({ fileName: 'etl' }))).to.contain('has been closed')
    })
  })
})
