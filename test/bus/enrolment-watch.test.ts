/** How an engine or a coordinator follows which workers have a key. Source: distribution 6. */
import { join } from 'node:path'
import { expect } from 'chai'
import { changeEnrolment, type Enrolment } from '../../src/bus/enrolment.ts'
import { watchEnrolment } from '../../src/bus/enrolment-watch.ts'
import { temporaryFolder } from '../support/homes.ts'
import { simulatedClock } from '../support/simulated/simulated-clock.ts'

describe('bus › the enrolment that is followed', () => {
  it('a change is seen by the next look, whether that is asked for or due, and told once', () => {
    const clock = simulatedClock()
    const path = join(temporaryFolder(), 'enrolled-workers.json')
    const told: (Enrolment | undefined)[] = []
    const watch = watchEnrolment(
      path,
      clock,
      (found) => told.push(found),
      (error) => {
        throw error
      }
    )
    const publicKey = `U${'A'.repeat(55)}`
    const enrol = (id: string) =>
      changeEnrolment(path, clock.now(), (workers) => [
        ...workers,
        { id, home: id.repeat(16), publicKey, enrolledAt: 1 }
      ])
    enrol('a')
    expect(watch.now()).to.equal(undefined)
    watch.look()
    expect(watch.now()?.workers.map(({ id }) => id)).to.deep.equal(['a'])
    enrol('b')
    clock.goTo(clock.now() + 500)
    expect(watch.now()?.revision).to.equal(2)
    watch.look()
    clock.goTo(clock.now() + 5_000)
    expect(told.map((found) => found?.revision)).to.deep.equal([1, 2])
    watch.close()
    enrol('c')
    clock.goTo(clock.now() + 5_000)
    expect(told).to.have.length(2)
  })
})
