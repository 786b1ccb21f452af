/** `troupe/testing`: functions of the host application are mocked, and an engine may crash at any event. Source: embedding 2.8. */
import { expect } from 'chai'
import type { RunKey } from '../../machines/vocabulary.ts'
import { defineFunction } from '../../src/executors/function/function.ts'
import { exits, later, type TestEngine } from '../../src/testing/index.ts'
import { refusedBy, testEngines } from '../support/engine/test-engines.ts'

describe('troupe/testing', () => {
  const engineOf = testEngines()
  const refused = refusedBy
  const outputs = (engine: TestEngine, key: RunKey) => engine.run(key)?.nodes.map(({ node }) => node.output)

  describe('functions', () => {
    const SHOP = `
name: order
params: ID=7
type: graph
steps:
  - name: charge
    executor: {type: function, config: {name: charge, params: {id: $ID}}}
    retryPolicy: {limit: 2, intervalSec: 60}
  - name: ship
    executor: {type: function, config: {name: ship}}
    depends: charge
`
    it('are mocked by step or by name: a value is the result, an error is thrown', async () => {
      const engine = await engineOf(SHOP)
      engine.mock('order/charge', [new Error('declined'), { receipt: 'r1' }])
      engine.mock({ function: 'ship' }, null)
      const key = await engine.start({ fileName: 'order' })
      expect((await engine.untilEnded(key)).run.status).to.equal('succeeded')
      expect(outputs(engine, key)).to.deep.equal(['{"receipt":"r1"}', 'null'])
      expect(engine.calls('order/charge').map(({ params, attempt }) => [params, attempt])).to.deep.equal([
        [{ id: '7' }, 1],
        [{ id: '7' }, 2]
      ])
    })
    it('are refused by name, and called for real where they pass through', async () => {
      const called: unknown[] = []
      const schema = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const
      const charge = defineFunction({ name: 'charge', params: schema }, ({ params }) => void called.push(params))
      const engine = await engineOf({ dags: [SHOP], functions: [charge] })
      engine.mock('order/ship', 'sent')
      const key = await engine.start({ fileName: 'order' })
      expect(await refused(() => engine.idle())).to.equal(
        "step order/charge, which calls the function charge, is not mocked: mock('order/charge', ...) or passThrough('order/charge')"
      )
      expect(called).to.deep.equal([])
      engine.mock(charge, undefined as never)
      expect((await engine.result(key)).run.status).to.equal('succeeded')
      engine.passThrough(charge)
      const other = await engine.start({ fileName: 'order', params: 'ID=8' })
      expect((await engine.result(other)).run.status).to.equal('succeeded')
      expect(called).to.deep.equal([{ id: '8' }])
      expect(engine.calls('order/charge').map(({ params }) => params)).to.deep.equal([{ id: '7' }, { id: '8' }])
    })
    it('go on when passThrough is said while they wait', async () => {
      const schema = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const
      const charge = defineFunction({ name: 'charge', params: schema }, () => 'paid')
      const engine = await engineOf({ dags: [SHOP], functions: [charge] })
      engine.mock('order/ship', 'sent')
      const key = await engine.start({ fileName: 'order' })
      expect(await refused(() => engine.idle())).to.contain('is not mocked')
      engine.passThrough('order/charge')
      expect((await engine.result(key)).run.status).to.equal('succeeded')
      expect(engine.calls('order/charge')).to.have.length(1)
    })
    it('run again after a crash', async () => {
      const engine = await engineOf(SHOP)
      engine.mock('order/charge', later('1h', 'r1'))
      engine.mock('order/ship', later('1h', null))
      const key = await engine.start({ fileName: 'order' })
      await engine.advance('30m')
      await engine.crash()
      expect((await engine.untilEnded(key)).run.status).to.equal('succeeded')
      expect(engine.calls('order/charge').length).to.equal(2)
      expect(engine.calls('order/ship').length).to.equal(1)
    })
  })

  describe('crash', () => {
    const TWO = `
name: two
type: graph
steps:
  - {name: slow, command: sleep 100, output: A, retryPolicy: {limit: 1, intervalSec: 5}}
  - {name: call, executor: http, command: GET https://example.test, continueOn: {failure: true}}
  - {name: last, command: "echo $A", depends: [slow, call]}
`
    async function played(event?: number, seed = 1): Promise<{ engine: TestEngine; key: RunKey }> {
      const engine = await engineOf({ dags: [TWO], seed })
      engine.mock('two/slow', [later('10s', exits(1)), later('100s', 'a')])
      engine.mock('two/call', later('30s', 'ok'))
      engine.mock('two/last', '')
      const key = { name: 'two', dagRunId: 'one' }
      if (event !== undefined) await engine.crash({ event })
      await engine.start({ fileName: 'two', dagRunId: 'one' }).catch((error: Error) => {
        if (event === undefined || !error.message.includes('has crashed')) throw error
      })
      await engine.advance('10m')
      return { engine, key }
    }
    it('local commands go on and are found by the next engine, what works inside the engine is interrupted', async () => {
      const engine = await engineOf(TWO)
      engine.mock('two/slow', later('100s', 'a'))
      engine.mock('two/call', later('30s', 'ok'))
      engine.mock('two/last', '')
      const key = await engine.start({ fileName: 'two' })
      await engine.advance('20s')
      await engine.crash()
      await engine.advance('10m')
      const nodes = engine.run(key)?.nodes.map(({ node }) => [node.status, node.error])
      expect(nodes).to.deep.equal([
        ['succeeded', undefined],
        ['failed', 'interrupted: outcome unknown'],
        ['succeeded', undefined]
      ])
      expect(engine.calls('two/slow').length).to.equal(1)
    })
    it('at every event: the run ends, and no step runs again that has succeeded', async () => {
      const { engine: whole } = await played()
      const events = whole.events()
      expect(events).to.be.greaterThan(10)
      for (let event = 1; event <= events; event++) {
        const { engine, key } = await played(event)
        expect(engine.record(key)?.status, `event ${event}`).to.be.oneOf(['succeeded', 'partially_succeeded'])
        expect(engine.calls('two/last').length, `event ${event}`).to.equal(1)
        expect(engine.calls('two/slow').length, `event ${event}`).to.equal(2)
      }
    })
    it('an event that is over is refused', async () => {
      const { engine } = await played()
      expect(await refused(() => engine.crash({ event: 1 }))).to.contain(
        'wanted the number of an event that is to come'
      )
    })
    it('equal seed, equal journal, byte for byte; also through a crash', async () => {
      for (const event of [undefined, 7]) {
        const [one, other, third] = [await played(event), await played(event), await played(event, 2)]
        const text = one.engine.journal(one.key)
        expect(text.split('\n').length).to.be.greaterThan(10)
        expect(other.engine.journal(other.key)).to.equal(text)
        expect(third.engine.journal(third.key)).to.equal(text) // the id was given
      }
      const ids: string[] = []
      for (const seed of [1, 1, 2]) {
        const engine = await engineOf({ dags: [TWO], seed })
        engine.mock({ type: 'shell' }, '')
        engine.mock('two/call', '')
        ids.push((await engine.start({ fileName: 'two' })).dagRunId)
      }
      expect(new Set(ids).size).to.equal(2)
      expect(ids[0]).to.equal(ids[1])
    })
  })
})
