/** Steps that call a function once for each item. Source: docs/executors/function.md "One call for each item". */
import { expect } from 'chai'
import { calls, functionScene } from './scene.ts'

describe('function steps', () => {
  const { engine, begin, one, refusal, eventually } = functionScene()

  describe('each', () => {
    const spread = (each: string, also = '') => one('{name: item}', '', `each: ${each}, ${also}`)
    it('calls the function once for each item, and its result is the list of results', async () => {
      const { output } = await spread('{items: [{id: 1}, two, 3]}')
      expect(JSON.parse(output ?? '')).to.deep.equal([{ id: 1 }, 'two', 3])
      expect(
        calls.map((call) => [Object(call).index, call.idempotencyKey.split('/').slice(-3).join('/')])
      ).to.deep.equal([
        [0, 'a/0/0'],
        [1, 'a/0/1'],
        [2, 'a/0/2']
      ])
    })
    it('items come from a text with variables, or from a function; none is the empty list', async () => {
      expect((await one('{name: item}', 'params: {LIST: "[4, 5]"}', 'each: {items: "${LIST}"}')).output).to.equal(
        '[4,5]'
      )
      expect((await one('{name: item}', '', 'functions: {items: some}')).output).to.equal('[1,2]')
      expect((await spread('{items: []}')).output).to.equal('[]')
      const { error } = await one('{name: item}', 'params: {LIST: "x"}', 'each: {items: "${LIST}"}')
      expect(error).to.contain('each.items: wanted a list in JSON')
    })
    it('every item is called, however the others end; a retry calls those that failed only', async () => {
      const { status, output } = await spread('{items: [1, bad once, 3]}', 'retryPolicy: {limit: 1, intervalSec: 0}')
      expect([status, output]).to.deep.equal(['succeeded', '[1,"bad once",3]'])
      expect(calls.map((call) => Object(call).item)).to.deep.equal([1, 'bad once', 3, 'bad once'])
    })
    it('a retry of the run keeps the items that succeeded: of 1,000 items one is called again', async () => {
      const items = JSON.stringify(Array.from({ length: 1_000 }, (_, at) => (at === 700 ? 'bad once' : at)))
      const { run, status, error, thrown } = await spread(`{items: ${items}, maxConcurrent: 50}`)
      expect([status, error]).to.deep.equal([
        'failed',
        '1 of 1000 items failed; the first, item 700: failed to execute step "a": Error: bad'
      ])
      expect(thrown).to.include({ name: 'Error', message: 'bad' })
      expect(calls).to.have.length(1_000)
      await engine().retry(run)
      const again = await engine().result(run)
      expect(again.run.status).to.equal('succeeded')
      expect(calls).to.have.length(1_001)
      expect(JSON.parse(again.nodes[0]?.node.output ?? '')).to.have.length(1_000)
      // Asked for again alone, it does all of its work again.
      await engine().retry(run, { stepName: 'a' })
      expect((await engine().result(run)).run.status).to.equal('succeeded')
      expect(calls).to.have.length(2_001)
    })
    it('at most maxConcurrent items are at work, and a stop ends them', async () => {
      const key = await begin(
        '  - {name: a, executor: {type: function, config: {name: waits}}, each: {items: [1, 2, 3], maxConcurrent: 2}}'
      )
      await eventually(() => calls.length === 2)
      await engine().stop(key)
      expect((await engine().result(key)).nodes[0]?.node.status).to.equal('canceled')
      expect(calls.map(({ signal }) => signal.reason.name)).to.deep.equal(['Stopped', 'Stopped'])
    })
    it('results of all items together may not be larger than maxOutputSize', async () => {
      const { status, error } = await one(
        '{name: large, params: {length: 60}}',
        'maxOutputSize: 100',
        'each: {items: [1, 2], maxConcurrent: 1}'
      )
      expect([status, error]).to.deep.equal([
        'failed',
        '1 of 2 items failed; the first, item 1: ResultTooLarge: the results of all items are larger than maxOutputSize'
      ])
    })
    it('belongs to function steps, with items from one place', async () => {
      expect(await refusal(begin('  - {name: a, command: x, each: {items: [1]}}'))).to.contain(
        'each belongs to a step of the type function'
      )
      const both = 'functions: {items: some}, each: {items: [1]}'
      expect(
        await refusal(begin(`  - {name: a, executor: {type: function, config: {name: item}}, ${both}}`))
      ).to.contain('exclusive')
    })
  })
})
