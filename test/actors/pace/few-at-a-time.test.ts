/** Background work. */
import { expect } from 'chai'
import { fewAtATime } from '../../../src/actors/pace/few-at-a-time.ts'

describe('actors › few at a time', () => {
  /** Pieces of work that end on demand. */
  function pieces(most: number) {
    const few = fewAtATime(most)
    const begun: number[] = []
    const ends: ((error?: Error) => void)[] = []
    const take = (piece: number) =>
      few.take(
        () =>
          new Promise<number>((resolve, reject) => {
            begun.push(piece)
            ends[piece] = (error) => (error ? reject(error) : resolve(piece))
          })
      )
    return { few, begun, take, end: (piece: number, error?: Error) => ends[piece]?.(error) }
  }
  const soon = () => new Promise((resolve) => setImmediate(resolve))

  it('at most so many at a time, the others in the order of the calls', async () => {
    const { begun, take, end } = pieces(2)
    const all = [0, 1, 2, 3].map(take)
    await soon()
    expect(begun).to.deep.equal([0, 1])
    end(1)
    await soon()
    expect(begun).to.deep.equal([0, 1, 2])
    for (const piece of [0, 2]) end(piece)
    await soon()
    end(3)
    expect(await Promise.all(all)).to.deep.equal([0, 1, 2, 3])
  })
  it('one that fails rejects, and does not block the others', async () => {
    const { few, begun, take, end } = pieces(1)
    const first = take(0).catch((error: Error) => error.message)
    const second = take(1)
    end(0, new Error('full'))
    expect(await first).to.equal('full')
    await soon()
    end(1)
    expect(await second).to.equal(1)
    await few.settled()
    expect(begun).to.deep.equal([0, 1])
  })
  it('settled waits until no work is left', async () => {
    const { few, take, end } = pieces(1)
    await few.settled()
    const both = [take(0), take(1)]
    let isSettled = false
    void few.settled().then(() => {
      isSettled = true
    })
    end(0)
    await soon()
    expect(isSettled).to.equal(false)
    end(1)
    await Promise.all(both)
    await soon()
    expect(isSettled).to.equal(true)
  })
})
