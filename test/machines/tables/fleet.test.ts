/** Which worker a run is placed on. Source: distribution 1; api-semantics 7.2 (selector match, choice among matches). */
import { expect } from 'chai'
import fc from 'fast-check'
import { dropWorker, holdOn, noteWorker, openFleet, placeOn, release, takenOf } from '../../../machines/tables/fleet.ts'
import { fleetWorker } from '../../support/charts/engine-chart.ts'
import { key } from '../../support/charts/plans.ts'
import { someOf } from '../../support/walks.ts'

const zone = (zone: string, executors = ['shell']) => ({ labels: { zone }, executors })

/** Workers in zone a by id, with their slots. */
function fleetOf(slots: Record<string, number>) {
  const fleet = openFleet(0)
  for (const [id, own] of Object.entries(slots)) noteWorker(fleet, fleetWorker(id, { slots: own }))
  return fleet
}

describe('fleet › D1 a run is placed on a worker that has every label with the equal value', () => {
  it('other labels of the worker do not matter; one that lacks a label or has another value does not fit', () => {
    const fleet = openFleet(0)
    noteWorker(fleet, fleetWorker('wa', { labels: { zone: 'b', gpu: 'true' } }))
    noteWorker(fleet, fleetWorker('wb', { labels: { zone: 'a' } }))
    noteWorker(fleet, fleetWorker('wc', { labels: { zone: 'a', gpu: 'true', disk: 'ssd' } }))
    const needs = { labels: { gpu: 'true', zone: 'a' }, executors: ['shell'] }
    expect(placeOn(fleet, key('r1'), needs)).to.deep.equal({ home: 'home-wc', id: 'wc', lease: 1 })
    expect(placeOn(fleet, key('r2'), needs)).to.equal(undefined)
  })
  it('it can run every type of step', () => {
    const fleet = fleetOf({ wa: 1 })
    expect(placeOn(fleet, key('r1'), zone('a', ['docker', 'shell']))).to.equal(undefined)
    noteWorker(fleet, fleetWorker('wb', { executors: ['http', 'docker', 'shell'] }))
    expect(placeOn(fleet, key('r1'), zone('a', ['docker', 'shell']))?.id).to.equal('wb')
  })
  it('one that is not healthy, or drains, or is gone, is given nothing', () => {
    const fleet = fleetOf({ wa: 1, wb: 1 })
    noteWorker(fleet, fleetWorker('wa', { isTaking: false }))
    dropWorker(fleet, 'home-wb')
    expect(placeOn(fleet, key('r1'), zone('a'))).to.equal(undefined)
  })
  it('D16 one that drains is given what its own runs call, and nothing else', () => {
    const fleet = fleetOf({ wa: 2 })
    placeOn(fleet, key('caller'), zone('a'))
    noteWorker(fleet, fleetWorker('wa', { isTaking: false, takesSubRuns: true }))
    expect(placeOn(fleet, key('other'), zone('a'))).to.equal(undefined)
    expect(placeOn(fleet, key('sub'), { ...zone('a'), around: ['home-wa'] })?.id).to.equal('wa')
    expect(placeOn(fleet, key('far'), { ...zone('a'), around: ['home-wb'] })).to.equal(undefined)
  })
  it('the one with the fewest runs, then by id', () => {
    const fleet = fleetOf({ wb: 2, wa: 2 })
    const ids = ['r1', 'r2', 'r3', 'r4', 'r5'].map((id) => placeOn(fleet, key(id), zone('a'))?.id)
    expect(ids).to.deep.equal(['wa', 'wb', 'wa', 'wb', undefined])
  })
})

describe('fleet › D14 slots', () => {
  it('a run holds its slot until it is released, also on a worker that is not known', () => {
    const fleet = openFleet(0)
    holdOn(fleet, key('r1'), { home: 'home-wa', lease: 7 })
    noteWorker(fleet, fleetWorker('wa'))
    expect(placeOn(fleet, key('r2'), zone('a'))).to.equal(undefined)
    expect(release(fleet, key('r1'))).to.equal('home-wa')
    expect(placeOn(fleet, key('r2'), zone('a'))).to.deep.equal({ home: 'home-wa', id: 'wa', lease: 8 })
    expect(release(fleet, key('r1'))).to.equal(undefined)
  })
  it('a nested call on the worker of one that calls it uses its slot, so it does not wait for itself', () => {
    const fleet = fleetOf({ wa: 1 })
    placeOn(fleet, key('caller'), zone('a'))
    expect(placeOn(fleet, key('other'), zone('a'))).to.equal(undefined)
    expect(placeOn(fleet, key('sub'), { ...zone('a'), around: ['home-wa'] })?.id).to.equal('wa')
    expect([takenOf(fleet, 'home-wa'), release(fleet, key('sub'))]).to.deep.equal([1, undefined])
  })
  it('whatever comes and goes, no worker has more runs than slots, and each lease is greater than those before', () => {
    const move = fc.record({ what: fc.constantFrom('place', 'release', 'drain', 'serve', 'go'), pick: fc.nat(9) })
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        const fleet = fleetOf({ wa: 1, wb: 2, wc: 3 })
        let lease = 0
        for (const { what, pick } of moves) {
          const id = ['wa', 'wb', 'wc'][pick % 3] ?? ''
          const worker = fleetWorker(id, { slots: 1 + (pick % 3) })
          if (what === 'release') release(fleet, key(`r${pick}`))
          else if (what === 'drain') noteWorker(fleet, { ...worker, isTaking: false })
          else if (what === 'serve') noteWorker(fleet, worker)
          else if (what === 'go') dropWorker(fleet, worker.home)
          else {
            release(fleet, key(`r${pick}`))
            const placed = placeOn(fleet, key(`r${pick}`), zone('a'))
            if (!placed) continue
            expect(placed.lease).to.be.greaterThan(lease)
            lease = placed.lease
          }
          for (const { home, slots } of fleet.workers.values()) expect(takenOf(fleet, home)).to.be.at.most(slots)
        }
      }),
      { numRuns: someOf(300) }
    )
  })
})
