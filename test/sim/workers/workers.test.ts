/** A few seeds of the workers' part of `make sim`, and bugs that it must find: each of them in `make test-long`. Source: distribution 11. */
import { expect } from 'chai'
import { ofAll, oneIn } from '../../support/long.ts'
import { BUGS } from './bugs.ts'
import { playWorkers } from './play.ts'

const SEEDS_FOR_A_BUG = 40

describe('simulation › an engine and its workers on a bad bus', function () {
  this.timeout(300_000)
  it('no promise is broken by deaths, cuts, power failures, slow and full disks, clocks and lost messages', async () => {
    for (let seed = 1; seed <= ofAll(2, 4); seed++)
      expect((await playWorkers(seed)).findings, `SEED=${seed}`).to.deep.equal([])
  })
  it('equal seed, equal journal', async () => {
    const [one, other, another] = [await playWorkers(5), await playWorkers(5), await playWorkers(8)]
    expect(other.digest).to.equal(one.digest)
    expect(another.digest).not.to.equal(one.digest)
  })
})

describe('simulation › finds a planted bug of workers', function () {
  this.timeout(300_000)
  for (const bug of oneIn(3, BUGS))
    it(bug.name, async () => {
      const { from = 1 } = bug
      for (let seed = from; seed < from + SEEDS_FOR_A_BUG; seed++)
        if ((await playWorkers(seed, bug)).findings.length > 0) return
      throw new Error(`no rule was broken in ${SEEDS_FOR_A_BUG} seeds`)
    })
})
