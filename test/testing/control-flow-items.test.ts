/** Control flow of DAGs in code: runs and pages of items. Source: docs/embedding/flow.md. */
import { expect } from 'chai'
import { z } from 'zod'
import { defineDag } from '../../src/builder/define-dag.ts'
import { later } from '../../src/testing/index.ts'
import { type Tested, withEngine } from '../support/testing/with-engine.ts'

describe('control flow › a sub DAG for each item', () => {
  const part = defineDag({ name: 'part', params: z.object({ size: z.number(), at: z.number() }) }, (d) =>
    d.step('cut', {}, ({ params }) => {
      if (params.size < 0) throw new Error('too small')
      return { cut: params.size * 2 }
    })
  )
  const whole = defineDag({ name: 'whole', params: z.object({ sizes: z.array(z.number()) }) }, (d) => {
    const sized = d.step('sized', {}, ({ params }) => params.sizes)
    const parts = d.callEach('parts', part, {
      depends: [sized],
      items: ({ results }) => results.sized,
      params: ({ item }) => ({ size: item, at: 0 }),
      maxConcurrent: 2,
      continueOn: { failure: true }
    })
    return d.step('sum', { depends: [parts] }, ({ results, errors }) => ({
      cuts: results.parts?.map((one) => one?.cut ?? null) ?? null,
      failed: errors.parts?.message ?? null
    }))
  })
  const ends = (sizes: number[], wanted: unknown) =>
    withEngine([whole, part] as never, async (engine) => {
      for (const step of ['whole/sized', 'whole/sum', 'part/cut'] as const) engine.passThrough(step)
      const run = await engine.start(whole, { sizes })
      await engine.idle()
      expect(await run.result()).to.deep.equal(wanted)
    })

  it('the result is the list of results in the order of the items, equal ones included', () =>
    ends([3, 1, 3, 2, 3], { cuts: [6, 2, 6, 4, 6], failed: null }))
  it('where continueOn lets others go on, one that failed is null in the list', () =>
    ends([3, -1, 2], { cuts: [6, null, 4], failed: 'parallel execution failed: 1 of 3 child run(s) failed' }))
  it('a retry starts those alone that have failed, and the list is whole then', () => {
    const cuts: number[] = []
    let isBroken = true
    const bit = defineDag({ name: 'bit', params: z.object({ size: z.number() }) }, (d) =>
      d.step('cut', {}, ({ params }) => {
        cuts.push(params.size)
        if (params.size === 2 && isBroken) throw new Error('no saw')
        return params.size
      })
    )
    const bits = defineDag({ name: 'bits' }, (d) =>
      d.callEach('all', bit, { items: () => [1, 2, 1, 2], params: ({ item }) => ({ size: item }), maxConcurrent: 1 })
    )
    return withEngine([bits, bit] as never, async (engine) => {
      engine.passThrough('bit/cut')
      const run = await engine.start(bits, {})
      await engine.idle()
      expect([run.view().run.status, cuts]).to.deep.equal(['failed', [1, 2, 1, 2]]) // as numbers, which the schema wants
      isBroken = false
      await engine.retry(run)
      await engine.idle()
      expect([await run.result(), cuts]).to.deep.equal([
        [1, 2, 1, 2],
        [1, 2, 1, 2, 2, 2]
      ])
    })
  })
  it('no items: an empty list', () => ends([], { cuts: [], failed: null }))
})

describe('control flow › pages of items', () => {
  const ROWS = 50
  const PAGE = 20
  const called = new Map<number, number>()
  const asked: number[] = []
  let failsAt = -1
  const rows = (page: number) =>
    Array.from({ length: Math.max(0, Math.min(PAGE, ROWS - page * PAGE)) }, (_, at) => page * PAGE + at)
  const load = defineDag({ name: 'load' }, (d) => {
    const loaded = d.eachPage(
      'rows',
      {
        items: async ({ page }) => {
          asked.push(page)
          return rows(page)
        },
        maxConcurrent: 10,
        continueOn: { failure: true }
      },
      ({ item }) => {
        called.set(item, (called.get(item) ?? 0) + 1)
        if (item === failsAt) throw new Error('no such row')
        return `row ${item}`
      }
    )
    return d.step('after', { depends: [loaded] }, ({ results, errors }) => results.rows ?? errors.rows?.message ?? null)
  })
  const begun = (engine: Tested, also = () => {}) => {
    for (const step of ['rows', 'after'] as const) engine.passThrough(`load/${step}`)
    also()
    called.clear()
    asked.length = 0
    return engine.start(load, {}, { dagRunId: 'one' })
  }

  it('one page after the other is asked for and called, until one is empty; the result is how many there were, and no record has them all', () =>
    withEngine([load], async (engine) => {
      failsAt = -1
      const run = await begun(engine)
      await engine.advance('1m')
      expect(await run.result()).to.deep.equal({ pages: 3, items: ROWS })
      expect(asked).to.deep.equal([0, 1, 2, 3])
      expect([called.size, Math.max(...called.values())]).to.deep.equal([ROWS, 1])
      const { node } = run.view().nodes[0] ?? {}
      expect(node).to.include({ status: 'succeeded', doneCount: 4, output: `{"pages":3,"items":${ROWS}}` })
    }))
  it('a crash at any event goes on with the page: it ends alike, and no page that is stored is asked for again', async () => {
    failsAt = -1
    let events = 0
    await withEngine([load], async (engine) => {
      await begun(engine)
      await engine.advance('1m')
      events = engine.events()
    })
    for (let event = 2; event <= events; event++)
      await withEngine([load], async (engine) => {
        await engine.crash({ event })
        await begun(engine).catch(() => {}) // it may die before it answers
        await engine.untilEnded({ name: 'load', dagRunId: 'one' })
        expect(await engine.handle(load, 'one').result(), `crash at ${event}`).to.deep.equal({ pages: 3, items: ROWS })
        expect(asked, `crash at ${event}`).to.deep.equal([...asked].sort())
        expect(asked.length, `crash at ${event}`).to.be.at.most(5)
        expect(called.size, `crash at ${event}`).to.equal(ROWS)
      })
  })
  it('a crash while an item is at work: that one is called again, and its page is not asked for again', () =>
    withEngine([load], async (engine) => {
      let calls = 0
      const run = await begun(engine, () =>
        engine.mock('load/rows', () => (++calls === 26 ? later('1h', 'late') : 'row'))
      )
      await engine.advance('1m')
      expect(calls).to.equal(2 * PAGE)
      await engine.crash()
      await engine.untilEnded(run)
      expect(await engine.handle(load, 'one').result()).to.deep.equal({ pages: 3, items: ROWS })
      expect([calls, asked]).to.deep.equal([ROWS + 1, [0, 1, 2, 3]])
    }))
  it('an item that fails ends the step with its page; a retry of the run asks for no complete page, and calls only what has not succeeded', () =>
    withEngine([load], async (engine) => {
      failsAt = 34
      const run = await begun(engine)
      await engine.advance('1m')
      expect(await run.result()).to.equal('no such row')
      expect(run.view().nodes[0]?.node.error).to.match(/^1 of 20 items failed; the first, item 14: /)
      expect(asked).to.deep.equal([0, 1])
      failsAt = -1
      called.clear()
      await engine.retry(run)
      await engine.advance('1m')
      expect(engine.record(run)?.status).to.equal('succeeded')
      expect(asked).to.deep.equal([0, 1, 2, 3])
      expect([called.size, called.has(34)]).to.deep.equal([11, true])
    }))
  it('collect makes the result of the first value and the results of each page, through crashes, a retry and without any page', async () => {
    let bad = -1
    const dag = defineDag({ name: 'sums', params: z.object({ rows: z.number() }) }, (d) =>
      d.eachPage(
        'rows',
        { items: ({ page, params }) => rows(page).slice(0, params.rows - page * PAGE), maxConcurrent: 5 },
        ({ item }) => {
          if (item === bad) throw new Error('no such row')
          return item % 2
        },
        {
          first: { odd: 0, pages: [] as number[] },
          collect: ({ last, results, page }) => ({
            odd: last.odd + results.reduce((sum, one) => sum + one, 0),
            pages: [...last.pages, page]
          })
        }
      )
    )
    const played = async (size: number, event?: number) => {
      let events = 0
      await withEngine([dag], async (engine) => {
        engine.passThrough('sums/rows')
        if (event !== undefined) await engine.crash({ event })
        await engine.start(dag, { rows: size }, { dagRunId: 'one' }).catch(() => {})
        const { run } = await engine.untilEnded({ name: 'sums', dagRunId: 'one' })
        if (run.status === 'failed') {
          bad = -1
          await engine.retry(run)
          await engine.untilEnded(run)
        }
        const wanted = { odd: size / 2, pages: [0, 1, 2].slice(0, Math.max(1, Math.ceil(size / PAGE))) }
        expect(await engine.handle(dag, 'one').result(), `crash at ${event}`).to.deep.equal(wanted)
        events = engine.events()
      })
      return events
    }
    await played(0)
    const events = await played(ROWS)
    for (let event = 2; event <= events; event++) await played(ROWS, event)
    bad = 34
    await played(ROWS)
  })
  it('more pages than the step allows fail it', () => {
    const dag = defineDag({ name: 'endless' }, (d) => {
      d.eachPage('rows', { items: ({ page }) => [page], pages: 2 }, ({ item }) => item)
    })
    return withEngine([dag], async (engine) => {
      engine.passThrough('endless/rows')
      const run = await engine.start(dag, {})
      await engine.advance('1m')
      const { node } = run.view().nodes[0] ?? {}
      expect(node).to.include({
        status: 'failed',
        error: 'failed to execute step "rows": RangeError: each.pages: wanted at most 2, found more'
      })
    })
  })
})
