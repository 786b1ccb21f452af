/** A few seeds of `make sim`, and bugs that it must find: all kinds of them in `make test-long`. Source: reliability T3. */
import { expect } from 'chai'
import { ofAll, oneIn } from '../support/long.ts'
import { BUGS } from './bugs.ts'
import { play } from './play.ts'

/** Most are found by one of the first three. */
const SEEDS_FOR_A_BUG = 15

describe('simulation › scheduler, queues and retention on a virtual clock', function () {
  this.timeout(300_000)
  it('no promise is broken by starts, stops, crashes, outages, full disks and clocks', async () => {
    for (let seed = 1; seed <= ofAll(2, 6); seed++)
      expect((await play(seed)).findings, `SEED=${seed}`).to.deep.equal([])
  })
  it('D140 the judge knows that a singleton is refused while it would have to wait for a worker beside another one', async () => {
    expect((await play(30)).findings).to.deep.equal([])
  })
  it('equal seed, equal journal', async () => {
    const [one, other, another] = [await play(7), await play(7), await play(8)]
    expect(other.digest).to.equal(one.digest)
    expect(another.digest).not.to.equal(one.digest)
  })
})

describe('simulation › finds a planted bug', function () {
  this.timeout(300_000)
  for (const bug of oneIn(4, BUGS))
    it(bug.name, async () => {
      const { from = 1 } = bug
      for (let seed = from; seed < from + SEEDS_FOR_A_BUG; seed++) {
        const { findings, digest } = await play(seed, bug)
        if (findings.length > 0) return
        if (bug.repeats === false && (await play(seed, bug)).digest !== digest) return
      }
      throw new Error(`no rule was broken in ${SEEDS_FOR_A_BUG} seeds`)
    })
})
