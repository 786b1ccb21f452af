/** A step with `each` whose engine closes while items are at work. Source: docs/executors/function.md "One call for each item". */
import { expect } from 'chai'
import { z } from 'zod'
import { createEngine, defineFunction } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('each › a restart', () => {
  it('calls only the items that have not succeeded, with the same keys; a foreign engine leaves the step', async () => {
    const calls: [item: number, key: string][] = []
    let isOpen = false
    const opened = (functions: ReturnType<typeof made>[]) => createEngine({ home, functions })
    const made = () =>
      defineFunction({ name: 'item', params: z.any() }, async (call) => {
        const { item } = call as unknown as { item: number }
        calls.push([item, call.idempotencyKey])
        if (item < 3 || isOpen) return item
        return new Promise<number>(() => {})
      })
    const home = temporaryFolder()
    const first = await opened([made()])
    const key = await first.start({
      name: 'spread',
      spec: 'steps: [{name: a, executor: {type: function, config: {name: item}}, each: {items: [1, 2, 3, 4, 5], maxConcurrent: 2}}]'
    })
    while (calls.length < 4) await new Promise((resolve) => setImmediate(resolve))
    await first.close({ runs: 'leave' })
    const foreign = await opened([])
    let explained = await foreign.facts.explain(key)
    while (!explained?.reasons.some(({ cause }) => cause === 'executor_missing')) {
      await new Promise((resolve) => setImmediate(resolve))
      explained = await foreign.facts.explain(key)
    }
    await foreign.close({ runs: 'leave' })
    isOpen = true
    const back = await opened([made()])
    const { run, nodes } = await back.result(key)
    await back.close()
    expect([run.status, nodes[0]?.node.output, nodes[0]?.node.retryCount]).to.deep.equal([
      'succeeded',
      '[1,2,3,4,5]',
      0
    ])
    expect(calls.map(([item]) => item)).to.deep.equal([1, 2, 3, 4, 3, 4, 5])
    expect([calls[2]?.[1] === calls[4]?.[1], calls[3]?.[1] === calls[5]?.[1]]).to.deep.equal([true, true])
  })
})
