/** Control flow of DAGs in code: loops. Source: docs/embedding/flow.md. */
import { expect } from 'chai'
import { z } from 'zod'
import { defineDag } from '../../src/builder/define-dag.ts'
import { later } from '../../src/testing/index.ts'
import { failing, type Tested, withEngine } from '../support/testing/with-engine.ts'

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
