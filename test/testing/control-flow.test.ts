/** Control flow of DAGs in code: errors, handlers, loops, fan-outs. Source: docs/embedding/flow.md. */
import { expect } from 'chai'
import { z } from 'zod'
import { defineDag } from '../../src/builder/define-dag.ts'
import type { Dag } from '../../src/builder/types.ts'
import { exits, later, testEngine } from '../../src/testing/index.ts'

type Tested = Awaited<ReturnType<typeof testEngine>>

async function withEngine(dags: Dag[], work: (engine: Tested) => Promise<void>): Promise<void> {
  const engine = await testEngine({ dags: dags as readonly Dag[] })
  try {
    await work(engine)
  } finally {
    await engine.close()
  }
}
const failing = (message: string, code?: string) => () => {
  throw Object.assign(new RangeError(message), code === undefined ? {} : { code })
}

describe('control flow › errors', () => {
  it('a step that runs after a failure has null as the result, and in errors the name, message, code and step of what failed', () => {
    const read: unknown[] = []
    const dag = defineDag({ name: 'caught' }, (d) => {
      const bad = d.step('bad', { continueOn: { failure: true } }, failing('no credit', 'E_CREDIT'))
      const good = d.step('good', { continueOn: { failure: true } }, () => 1)
      const late = d.approval('late', { timeoutSec: 1, continueOn: { failure: true } })
      const after = d.step('after', { depends: [bad, good, late] }, ({ results, errors }) => {
        read.push({ ...results }, errors)
        return errors.bad?.code ?? null
      })
      const refund = d.step(
        'refund',
        { depends: [bad], preconditions: ({ errors }) => errors.bad?.code === 'E_CREDIT' },
        () => 'refunded'
      )
      return { after, refund }
    })
    return withEngine([dag], async (engine) => {
      for (const step of ['bad', 'good', 'after', 'refund'] as const) engine.passThrough(`caught/${step}`)
      const run = await engine.start(dag, {})
      await engine.advance('2s')
      expect(await run.result()).to.deep.equal({ after: 'E_CREDIT', refund: 'refunded' })
      expect(read).to.deep.equal([
        { bad: null, good: 1, late: null },
        {
          bad: { step: 'bad', name: 'RangeError', message: 'no credit', code: 'E_CREDIT' },
          late: { step: 'late', name: 'StepFailed', message: 'step timed out: no approval came within 1s' }
        }
      ])
    })
  })
  it('of a command that failed, code is its exit code', () => {
    const dag = defineDag({ name: 'command' }, (d) => {
      const bad = d.shell('bad', 'exit 3', { continueOn: { failure: true } })
      return d.step('after', { depends: [bad] }, ({ errors }) => errors.bad ?? null)
    })
    return withEngine([dag], async (engine) => {
      engine.mock('command/bad', exits(3))
      engine.passThrough('command/after')
      const run = await engine.start(dag, {})
      await engine.idle()
      expect(await run.result()).to.deep.equal({
        step: 'bad',
        name: 'StepFailed',
        message: 'failed to execute step "bad": exit status 3',
        code: '3'
      })
    })
  })
})

describe('control flow › handlers', () => {
  const seen: unknown[] = []
  const saga = defineDag({ name: 'saga', params: z.object({ id: z.string() }) }, (d) => {
    const charged = d.step('charge', {}, ({ params }) => ({ receipt: `R-${params.id}` }))
    const shipped = d.step('ship', { depends: [charged] }, failing('no parcel', 'E_PARCEL'))
    d.handler(
      'failure',
      { reads: [charged, shipped], retryPolicy: { limit: 1, intervalSec: 1 } },
      ({ params, results, errors, run, attempt, idempotencyKey }) => {
        if (attempt === 1) throw new Error('the bank is busy')
        seen.push([params.id, results.charge?.receipt, results.ship, errors, run.status, idempotencyKey])
        return { refunded: results.charge?.receipt ?? null }
      }
    )
    d.handler('exit', { preconditions: ({ errors }) => Object.keys(errors).length === 0 }, () => 'never')
    return charged
  })
  it('a handler in code has the params, the results of the steps that it reads, what has failed, and how the run has ended', () =>
    withEngine([saga], async (engine) => {
      for (const step of ['charge', 'ship', 'onFailure'] as const) engine.passThrough(`saga/${step}`)
      const run = await engine.start(saga, { id: '7' }, { dagRunId: 'one' })
      await engine.advance('2s')
      expect(seen).to.deep.equal([
        [
          '7',
          'R-7',
          null,
          { ship: { step: 'ship', name: 'RangeError', message: 'no parcel', code: 'E_PARCEL' } },
          'failed',
          'saga/one/onFailure/0'
        ]
      ])
      const { run: record, handlers } = run.view()
      expect(record.status).to.equal('failed')
      expect(handlers.onFailure?.node).to.include({ status: 'succeeded', output: '{"refunded":"R-7"}' })
      expect(handlers.onExit?.node.status).to.equal('skipped')
    }))
  it('it is called again after a crash, and a run that was stopped has the handler for that', () => {
    const dag = defineDag({ name: 'stopped' }, (d) => {
      const done = d.step('done', {}, () => 1)
      d.approval('ask', { depends: [done] })
      d.handler('cancel', { reads: [done] }, ({ results }) => results.done ?? 0)
    })
    return withEngine([dag], async (engine) => {
      engine.passThrough('stopped/done')
      engine.mock('stopped/onCancel', [later('1h', 1), 2])
      const run = await engine.start(dag, {}, { dagRunId: 'one' })
      await engine.idle()
      await run.stop()
      await engine.advance('1m')
      await engine.crash()
      await engine.untilEnded(run)
      const { run: record, handlers } = engine.handle(dag, 'one').view()
      expect([record.status, handlers.onCancel?.node.output]).to.deep.equal(['canceled', '2'])
      expect(engine.calls('stopped/onCancel').map(({ attempt }) => attempt)).to.deep.equal([1, 2])
    })
  })
  it('it is a handler of the text, beside those of the fields', () => {
    const dag = defineDag({ name: 'both', handlerOn: { exit: { command: 'echo bye' } } }, (d) => {
      d.handler('success', { description: 'tells', timeoutSec: 5 }, () => null)
      return d.step('a', {}, () => 1)
    })
    expect(dag.toYaml()).to.contain(
      'handlerOn:\n  exit:\n    command: echo bye\n  success:\n    executor:\n      type: function\n      config:\n        name: both/onSuccess\n    description: tells\n    timeoutSec: 5\n'
    )
  })
})

describe('control flow › loops', () => {
  const state = (n: number) => ({ n, done: n === 3 })
  const passes: unknown[] = []
  const asked: unknown[] = []
  const loop = defineDag({ name: 'loop', params: z.object({ by: z.number() }) }, (d) => {
    const counted = d.repeat(
      'count',
      { retryPolicy: { limit: 1, intervalSec: 0 } },
      ({ params, last, pass, attempt, idempotencyKey }) => {
        passes.push([pass, last.n, idempotencyKey.split('/').at(-1)])
        if (pass === 2 && attempt === 2) throw new Error('once')
        return state(last.n + params.by)
      },
      {
        first: state(0),
        until: ({ last, pass, params }) => {
          asked.push([pass, last.n, params.by])
          return last.done
        },
        limit: 10,
        intervalSec: 60,
        backoff: true
      }
    )
    return d.step('after', { depends: [counted] }, ({ results }) => results.count.n)
  })
  const begun = async (engine: Tested, by = 1) => {
    for (const step of ['count', 'after'] as const) engine.passThrough(`loop/${step}`)
    passes.length = 0
    asked.length = 0
    return engine.start(loop, { by }, { dagRunId: 'one' })
  }

  it('until: passes go on until the function says yes; each gets the result of the last, in its retries, too; the result is that of the last pass', () =>
    withEngine([loop], async (engine) => {
      const run = await begun(engine)
      await engine.advance('5m')
      expect(await run.result()).to.equal(3)
      expect(passes).to.deep.equal([
        [1, 0, '0'],
        [2, 1, '1'],
        [2, 1, '1'],
        [3, 2, '2']
      ])
      expect(asked).to.deep.equal([
        [1, 1, 1],
        [2, 2, 1],
        [3, 3, 1]
      ])
      expect(run.view().nodes[0]?.node).to.include({ doneCount: 3, status: 'succeeded' })
    }))
  it('a crash at any event changes neither the passes nor the result, and no answer is asked for again once it is stored', async () => {
    let events = 0
    await withEngine([loop], async (engine) => {
      await begun(engine)
      await engine.advance('5m')
      events = engine.events()
    })
    for (let event = 2; event <= events; event++)
      await withEngine([loop], async (engine) => {
        await engine.crash({ event })
        await begun(engine).catch(() => {}) // it may die before it answers
        await engine.untilEnded({ name: 'loop', dagRunId: 'one' })
        expect(await engine.handle(loop, 'one').result(), `crash at ${event}`).to.equal(3)
        const numbers = asked.map((one) => (one as number[])[0])
        expect(numbers, `crash at ${event}`).to.deep.equal([...numbers].sort())
        expect(asked.length, `crash at ${event}`).to.be.at.most(4)
      })
  })
  it('while its function is asked, its step says so', () =>
    withEngine([loop], async (engine) => {
      engine.mock({ function: 'loop/count#repeat' }, later('1h', true))
      const run = await begun(engine)
      await engine.idle()
      const said = await engine.result(run).catch(({ message }: Error) => message)
      expect(said).to.contain('the function "loop/count#repeat" is asked whether another pass of count follows')
      await engine.advance('2h')
      expect(await run.result()).to.equal(1)
    }))
  it('limit ends it as its last pass has ended; while goes on as long as the answer is true', () => {
    const dag = defineDag({ name: 'limited' }, (d) => {
      const limited = d.repeat('limited', {}, ({ pass }) => pass, { until: () => false, limit: 2 })
      const plain = d.repeat('plain', {}, ({ pass }) => pass, { while: async ({ last }) => last < 4, limit: 9 })
      return { limited, plain }
    })
    return withEngine([dag], async (engine) => {
      for (const step of ['limited', 'plain'] as const) engine.passThrough(`limited/${step}`)
      const run = await engine.start(dag, {})
      await engine.advance('1s')
      expect(await run.result()).to.deep.equal({ limited: 2, plain: 4 })
    })
  })
  it('a pass that fails, its retries included, ends the loop: the step fails, without a result, and nothing is asked', () => {
    let questions = 0
    const dag = defineDag({ name: 'failed' }, (d) => {
      const count = d.repeat(
        'count',
        { continueOn: { failure: true } },
        ({ pass }) => {
          if (pass === 2) throw new Error('gone')
          return pass
        },
        {
          until: () => {
            questions++
            return false
          },
          limit: 5
        }
      )
      return d.step('after', { depends: [count] }, ({ results, errors }) => [
        results.count,
        errors.count?.message ?? ''
      ])
    })
    return withEngine([dag], async (engine) => {
      for (const step of ['count', 'after'] as const) engine.passThrough(`failed/${step}`)
      const run = await engine.start(dag, {})
      await engine.advance('1s')
      expect([await run.result(), questions]).to.deep.equal([[null, 'gone'], 1])
    })
  })
  it('a function that throws instead of an answer, or answers neither yes nor no, fails the step and says why', () => {
    const dag = defineDag({ name: 'unsure' }, (d) => {
      d.repeat('throws', {}, () => 1, { until: failing('who knows') as never, limit: 2 })
      d.repeat('perhaps', {}, () => 1, { until: (() => 'perhaps') as never, limit: 2 })
    })
    return withEngine([dag], async (engine) => {
      for (const step of ['throws', 'perhaps'] as const) engine.passThrough(`unsure/${step}`)
      const run = await engine.start(dag, {})
      await engine.idle()
      expect(run.view().nodes.map(({ node }) => [node.status, node.error])).to.deep.equal([
        ['failed', 'the function "unsure/throws#repeat" gave no answer: RangeError: who knows'],
        [
          'failed',
          'the function "unsure/perhaps#repeat" gave no answer: TypeError: wanted true or false, found a string'
        ]
      ])
    })
  })
})

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
