/** The list of definitions over HTTP: pages, filters, order, the members of each. Source: http-api "Definitions", api-semantics 3.2, 3.3; acceptance 1-7. */
import { expect } from 'chai'
import type { DagListItem } from '../../../src/client/shapes.ts'
import { type FakeEngine, fakeEngine, planOf } from '../../support/engine/fake-engine.ts'
import { eachServed } from '../client.ts'

describe('API › definitions', () => {
  const { serving, call } = eachServed()

  describe('GET /dags', () => {
    const fileNames = async (query: string) => {
      const { json } = await call('GET', `/dags${query}`)
      return json.dags.map(({ fileName }: { fileName: string }) => fileName)
    }

    it('on an empty directory', async () => {
      await serving()
      expect((await call('GET', '/dags')).json).to.deep.equal({
        dags: [],
        errors: [],
        pagination: { totalRecords: 0, currentPage: 1, totalPages: 1, nextPage: null, prevPage: null }
      })
    })

    it('3 DAGs, perPage 2: page 1 next 2 prev null; page 2 next null prev 1; page 9 empty', async () => {
      await serving(fakeEngine({}, { a: planOf('a'), b: planOf('b'), c: planOf('c') }))
      const pagination = async (page: number) => {
        const { json } = await call('GET', `/dags?perPage=2&page=${page}`)
        return [json.dags.length, json.pagination]
      }
      const all = { totalRecords: 3, totalPages: 2 }
      expect(await pagination(1)).to.deep.equal([2, { ...all, currentPage: 1, nextPage: 2, prevPage: null }])
      expect(await pagination(2)).to.deep.equal([1, { ...all, currentPage: 2, nextPage: null, prevPage: 1 }])
      expect(await pagination(9)).to.deep.equal([0, { ...all, currentPage: 9, nextPage: null, prevPage: 2 }])
    })

    it('page < 1 or absent -> 1; perPage absent or < 1 -> 50, > 1000 -> 1000', async () => {
      const plans = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`d${at}`, planOf(`d${at}`)]))
      await serving(fakeEngine({}, plans))
      const shown = async (query: string) => {
        const { dags, pagination } = (await call('GET', `/dags${query}`)).json
        return [dags.length, pagination.currentPage]
      }
      for (const query of ['', '?page=0', '?page=-1', '?perPage=0', '?perPage=-1']) {
        expect(await shown(query), query).to.deep.equal([50, 1])
      }
      expect(await shown('?perPage=5000')).to.deep.equal([1_000, 1])
      expect(await shown('?perPage=5000&page=2')).to.deep.equal([1, 2])
    })

    it('name: case-insensitive substring of the file name', async () => {
      await serving(fakeEngine({}, { nightly: planOf('sales'), daily: planOf('nightly') }))
      expect(await fileNames('?name=IGHT')).to.deep.equal(['nightly'])
      expect(await fileNames('?name=.*')).to.deep.equal([])
    })

    it('tag: case-insensitive equality, a repeated tag = all must match, a comma is not a separator', async () => {
      const tagged = (...tags: string[]) => planOf('x', { tags })
      await serving(fakeEngine({}, { one: tagged('etl'), two: tagged('etl', 'daily'), three: tagged('etl,daily') }))
      expect(await fileNames('?tag=ETL')).to.deep.equal(['one', 'two'])
      expect(await fileNames('?tag=etl&tag=daily')).to.deep.equal(['two'])
      expect(await fileNames('?tag=etl,daily')).to.deep.equal(['three'])
    })

    it('sort name, case-insensitive by DAG name, order asc or desc; an unknown sort is name', async () => {
      await serving(fakeEngine({}, { x: planOf('b'), y: planOf('A'), z: planOf('c') }))
      expect(await fileNames('')).to.deep.equal(['y', 'x', 'z'])
      expect(await fileNames('?sort=name&order=desc')).to.deep.equal(['z', 'x', 'y'])
      expect(await fileNames('?sort=colour&order=up')).to.deep.equal(['y', 'x', 'z'])
    })

    it('sort nextRun: unscheduled among themselves by name in the given order', async () => {
      await serving(fakeEngine({}, { x: planOf('b'), y: planOf('a') }))
      expect(await fileNames('?sort=nextRun')).to.deep.equal(['y', 'x'])
      expect(await fileNames('?sort=nextRun&order=desc')).to.deep.equal(['x', 'y'])
    })

    it('sort latestRun: earlier first; status: what failed first; never run last in either order; equal ones by name', async () => {
      const engine = await serving(fakeEngine({}, { a: planOf('a'), b: planOf('b'), c: planOf('c'), d: planOf('d') }))
      engine.addRun({ name: 'a', dagRunId: 'a1', status: 'succeeded', createdAt: 1, startedAt: 30 })
      engine.addRun({ name: 'b', dagRunId: 'b1', status: 'failed', createdAt: 20, startedAt: 20 })
      engine.addRun({ name: 'd', dagRunId: 'd1', status: 'succeeded', createdAt: 10, startedAt: 10 })
      expect(await fileNames('?sort=latestRun')).to.deep.equal(['d', 'b', 'a', 'c'])
      expect(await fileNames('?sort=latestRun&order=desc')).to.deep.equal(['a', 'b', 'd', 'c'])
      expect(await fileNames('?sort=status')).to.deep.equal(['b', 'a', 'd', 'c'])
      expect(await fileNames('?sort=status&order=desc')).to.deep.equal(['d', 'a', 'b', 'c'])
      expect(await fileNames('?sort=latestRun&order=desc&perPage=2&page=2')).to.deep.equal(['d', 'c'])
    })

    const WEEK_MS = 7 * 86_400_000
    const nowIs = (engine: FakeEngine) => Object.assign(engine, { now: () => Date.parse('2026-11-29T12:00:00Z') })
    /** Five runs of each of two weeks. @param seconds that each of them took: this week, and last week */
    const weeks = (engine: FakeEngine, name: string, seconds: [number, number]) => {
      for (const [week, took] of seconds.entries())
        for (let day = 1; day <= 5; day++) {
          const startedAt = engine.now() - week * WEEK_MS - day * 86_400_000
          const dagRunId = `${name}-${week}-${day}`
          engine.addRun({ name, dagRunId, createdAt: startedAt, startedAt, finishedAt: startedAt + took * 1_000 })
        }
    }

    it('sort trend: by how much longer runs take than last week, in proportion, less than a second is no difference', async () => {
      const names = ['new', 'even', 'slower', 'slowest', 'faster', 'blink']
      const engine = await serving(nowIs(fakeEngine({}, Object.fromEntries(names.map((name) => [name, planOf(name)])))))
      weeks(engine, 'even', [10, 10])
      weeks(engine, 'slower', [120, 100])
      weeks(engine, 'slowest', [20, 10])
      weeks(engine, 'faster', [10, 20])
      weeks(engine, 'blink', [0.5, 0.01])
      const slowestFirst = ['slowest', 'slower', 'even', 'blink', 'faster', 'new']
      expect(await fileNames('?sort=trend&order=desc')).to.deep.equal(slowestFirst)
      expect(await fileNames('?sort=trend')).to.deep.equal(['faster', 'blink', 'even', 'slower', 'slowest', 'new'])
      expect(await fileNames('?sort=trend&order=desc&perPage=2')).to.deep.equal(slowestFirst.slice(0, 2))
    })

    it('trend: the medians of both weeks with their numbers of runs, in the list when it is asked for, and with the definition', async () => {
      const engine = await serving(nowIs(fakeEngine({}, { a: planOf('a'), b: planOf('b') })))
      weeks(engine, 'a', [20, 10])
      const trend = { thisWeek: { runs: 5, p50Ms: 20_000 }, lastWeek: { runs: 5, p50Ms: 10_000 }, percent: 100 }
      const [a, b] = (await call('GET', '/dags?trend=true')).json.dags
      expect([a.trend, b.trend]).to.deep.equal([trend, undefined])
      expect((await call('GET', '/dags')).json.dags[0]).to.not.have.any.keys('trend', 'latestRuns')
      expect((await call('GET', '/dags/a')).json.trend).to.deep.equal(trend)
      expect((await call('GET', '/dags/b')).json).to.not.have.property('trend')
    })

    it('latestRuns: so many of each, the newest first, at most 20; none of those that never ran', async () => {
      const engine = await serving(fakeEngine({}, { a: planOf('a'), b: planOf('b') }))
      for (let at = 0; at < 30; at++)
        engine.addRun({
          name: 'a',
          dagRunId: `r${at}`,
          status: 'failed',
          createdAt: at,
          startedAt: at,
          finishedAt: 2 * at
        })
      engine.addRun({ name: 'a', dagRunId: 'now', status: 'running', createdAt: 99, startedAt: 99 })
      const latest = async (count: number) =>
        (await call('GET', `/dags?latestRuns=${count}`)).json.dags.map(
          ({ latestRuns }: Pick<DagListItem, 'latestRuns'>) => latestRuns
        )
      expect(await latest(2)).to.deep.equal([
        [
          { dagRunId: 'now', status: 1, statusLabel: 'running', createdAtMs: 99 },
          { dagRunId: 'r29', status: 2, statusLabel: 'failed', createdAtMs: 29, ms: 29 }
        ],
        []
      ])
      expect((await latest(500))[0]).to.have.length(20)
      expect(await latest(0)).to.deep.equal([undefined, undefined])
    })

    it('latestDAGRun if never run: empty strings, status 0, name = DAG name', async () => {
      await serving(fakeEngine({}, { file: planOf('other') }))
      expect((await call('GET', '/dags')).json.dags[0].latestDAGRun).to.deep.equal({
        rootDAGRunName: '',
        rootDAGRunId: '',
        parentDAGRunName: '',
        parentDAGRunId: '',
        dagRunId: '',
        name: 'other',
        status: 0,
        statusLabel: 'not_started',
        queuedAt: '',
        startedAt: '',
        finishedAt: '',
        log: '',
        params: '',
        workerId: '',
        attempt: 0
      })
    })

    it('DAGSummary: all members; params are names, defaultParams can be sent back as params', async () => {
      const params = [
        { name: '1', value: 'one', positional: true },
        { name: 'DAY', value: 'a "b" \\', positional: false }
      ]
      await serving(fakeEngine({}, { f: planOf('n', { group: 'g', description: 'd', tags: ['t'], params }) }))
      expect((await call('GET', '/dags')).json.dags[0]).to.deep.include({
        fileName: 'f',
        suspended: false,
        errors: [],
        dag: {
          name: 'n',
          group: 'g',
          description: 'd',
          schedule: [],
          params: ['1', 'DAY'],
          defaultParams: '1="one" DAY="a \\"b\\" \\\\"',
          tags: ['t'],
          queue: '',
          maxActiveRuns: 1,
          nextRun: ''
        }
      })
    })

    it('a definition that fails validation is still listed, with its problems in its own errors', async () => {
      const engine = await serving()
      engine.texts.set('broken', 'name: shown\ntags: etl\nsteps:\n  - a\ndepends: nobody\n')
      const { dags, errors } = (await call('GET', '/dags?tag=etl')).json
      expect([dags[0].dag.name, dags[0].errors, errors]).to.deep.equal(['shown', ['no step nobody'], []])
    })

    it('a file that cannot be parsed at all is listed by file name, with the message in both errors', async () => {
      const engine = await serving()
      engine.texts.set('garbage', '\t')
      const { dags, errors } = (await call('GET', '/dags')).json
      expect([dags[0].dag.name, dags[0].errors]).to.deep.equal(['garbage', ['line 1: found a tab']])
      expect(errors).to.deep.equal(['garbage: line 1: found a tab'])
    })
  })
})
