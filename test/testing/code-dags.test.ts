/** DAGs of code in an engine for tests: typed runs, mocks of their functions, waits of days, crashes. Source: embedding 2.8. */
import { expect } from 'chai'
import { z } from 'zod'
import { defineDag } from '../../src/builder/define-dag.ts'
import { defineFunction, NonRetryable } from '../../src/index.ts'
import { testEngine } from '../../src/testing/index.ts'

describe('troupe/testing › DAGs of code', () => {
  const charge = defineFunction({ name: 'charge', params: z.object({ amount: z.number() }) }, () => {
    throw new Error('the bank is never asked')
  })
  const order = defineDag(
    { name: 'order', params: z.object({ amount: z.number() }), signals: { paid: z.object({ ref: z.string() }) } },
    (d) => {
      const charged = d.use('charge', charge, {
        params: ({ params }) => ({ amount: params.amount }),
        retryPolicy: { limit: 2, intervalSec: 60 }
      })
      const paid = d.signal('paid', { depends: [charged], timeoutSec: 7 * 86_400 })
      const receipt = d.step('receipt', { depends: [paid] }, ({ results }) => `receipt ${results.paid.payload.ref}`)
      return { receipt }
    }
  )
  async function withEngine(work: (engine: Awaited<ReturnType<typeof testEngine>>) => Promise<void>) {
    const engine = await testEngine({ dags: [order] })
    try {
      await work(engine)
    } finally {
      await engine.close()
    }
  }

  it('are started with typed params; functions are mocked, signals are given, results are typed', () =>
    withEngine(async (engine) => {
      engine.mock(charge, [new Error('busy'), { receipt: 1 } as never])
      engine.passThrough('order/receipt')
      const run = await engine.start(order, { amount: 3 })
      await engine.advance('2m')
      expect(engine.calls('order/charge').map(({ params }) => params)).to.deep.equal([{ amount: 3 }, { amount: 3 }])
      await engine.advance('6d')
      await run.signal('paid', { ref: 'r1' })
      await engine.idle()
      expect(await run.result()).to.deep.equal({ receipt: 'receipt r1' })
    }))

  it('a mock of a step has the params of its run, as its function has; so has one that passes through', async () => {
    const greet = defineDag({ name: 'greet', params: z.object({ who: z.string(), times: z.number() }) }, (d) => {
      const mocked = d.step('mocked', {}, () => 'never')
      const real = d.step('real', {}, ({ params }) => params.who.repeat(params.times))
      return { mocked, real }
    })
    const engine = await testEngine({ dags: [greet] })
    try {
      engine.mock('greet/mocked', ({ params }) => params)
      engine.passThrough('greet/real')
      const run = await engine.start(greet, { who: 'ab', times: 2 })
      await engine.idle()
      expect(await run.result()).to.deep.equal({ mocked: { who: 'ab', times: 2 }, real: 'abab' })
      const params = { who: 'ab', times: 2 }
      expect(engine.calls('greet/mocked').map(({ params }) => params)).to.deep.equal([params])
      expect(engine.calls('greet/real').map(({ params }) => params)).to.deep.equal([params])
    } finally {
      await engine.close()
    }
  })

  it('a result is null where its step failed or was skipped and others go on; a dependent of a skipped step is skipped with it', async () => {
    const read: unknown[] = []
    const nulls = defineDag({ name: 'nulls' }, (d) => {
      const failing = d.step('failing', { continueOn: { failure: true } }, () => ({ n: 1 }))
      const passing = d.step('passing', { preconditions: () => false, continueOn: { skipped: true } }, () => 'run')
      const skipped = d.step('skipped', { preconditions: () => false }, () => 'run')
      const late = d.approval('late', { timeoutSec: 1, continueOn: { failure: true } })
      const after = d.step('after', { depends: [skipped] }, ({ results }) => results.skipped.length)
      const reads = d.step('reads', { depends: [failing, passing, late] }, ({ results }) => {
        read.push(results.failing, results.passing, results.late)
        return results.failing?.n ?? 0
      })
      return { failing, passing, skipped, after, reads }
    })
    const engine = await testEngine({ dags: [nulls] })
    try {
      engine.mock('nulls/failing', new Error('no'))
      engine.passThrough('nulls/reads')
      const run = await engine.start(nulls, {})
      await engine.advance('2s')
      expect(await run.result()).to.deep.equal({ failing: null, passing: null, skipped: null, after: null, reads: 0 })
      expect(read).to.deep.equal([null, null, null])
      expect(engine.run(run)?.nodes.map(({ node }) => node.status)).to.deep.equal([
        'failed',
        'skipped',
        'skipped',
        'failed',
        'skipped',
        'succeeded'
      ])
    } finally {
      await engine.close()
    }
  })
  it('a signal that does not come for a week fails its step; a crash meanwhile changes nothing', () =>
    withEngine(async (engine) => {
      engine.mock(charge, { receipt: 1 } as never)
      const { name, dagRunId } = await engine.start(order, { amount: 3 })
      await engine.advance('3d')
      await engine.crash()
      await engine.advance('5d')
      expect(engine.record({ name, dagRunId })?.status).to.equal('failed')
      expect(engine.path({ name, dagRunId }, 'paid').at(-1)).to.equal('failed')
      expect(engine.calls('order/charge')).to.have.length(1)
    }))

  it('params and payloads that do not fit are refused, and errors that cannot be retried are not', () =>
    withEngine(async (engine) => {
      engine.mock(charge, new NonRetryable('stolen card'))
      const refused = await engine.start(order, { amount: 'three' as never }).catch((error) => error)
      expect(refused).to.include({ code: 'bad_request' })
      expect(engine.runs()).to.deep.equal([])
      const run = await engine.start(order, { amount: 3 })
      await engine.idle()
      expect(run.view().run.status).to.equal('failed')
      expect(engine.calls('order/charge')).to.have.length(1)
    }))
})
