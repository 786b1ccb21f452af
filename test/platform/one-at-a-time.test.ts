/** Changes of one thing do not meet. Source: architecture 1 (check and reservation). */
import { expect } from 'chai'
import { oneAtATime } from '../../src/platform/one-at-a-time.ts'

describe('one at a time', () => {
  it('changes of one thing follow each other, also after one that failed; others go on meanwhile', async () => {
    const inTurn = oneAtATime()
    const said: string[] = []
    const gates: (() => void)[] = []
    const work =
      (name: string, fails = false) =>
      async () => {
        said.push(`${name} begins`)
        await new Promise<void>((resolve) => gates.push(resolve))
        said.push(`${name} ends`)
        if (fails) throw new Error(name)
        return name
      }
    const first = inTurn.take('a', work('1', true)).catch((error: Error) => error.message)
    const second = inTurn.take('a', work('2'))
    const other = inTurn.take('b', work('3'))
    await Promise.resolve()
    expect(said).to.deep.equal(['1 begins', '3 begins'])
    for (const open of gates.splice(0)) open()
    expect([await first, await other]).to.deep.equal(['1', '3'])
    while (gates.length === 0) await Promise.resolve()
    const settled = inTurn.settled()
    for (const open of gates.splice(0)) open()
    expect(await second).to.equal('2')
    await settled
    expect(said.slice(2)).to.deep.equal(['1 ends', '3 ends', '2 begins', '2 ends'])
  })
})
