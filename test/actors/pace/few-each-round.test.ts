/** Work of which there may be thousands at once. */
import { expect } from 'chai'
import { fewEachRound } from '../../../src/actors/pace/few-each-round.ts'

describe('actors › few each round', () => {
  it('at most so many in a round of the event loop, in the order of the calls, with other work in between', async () => {
    const rounds: (() => void)[] = []
    const turn = fewEachRound({ soon: (next) => void rounds.push(next) }, 2)
    const begun: number[] = []
    for (const piece of [0, 1, 2, 3, 4]) void turn().then(() => begun.push(piece))
    const next = async () => {
      rounds.shift()?.()
      await Promise.resolve()
      return [...begun]
    }
    expect(begun).to.deep.equal([])
    expect(await next()).to.deep.equal([0, 1])
    expect(await next()).to.deep.equal([0, 1, 2, 3])
    expect(await next()).to.deep.equal([0, 1, 2, 3, 4])
    expect(rounds).to.deep.equal([])
    void turn().then(() => begun.push(5))
    expect(await next()).to.include(5)
  })
})
