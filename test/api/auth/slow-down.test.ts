/** Guessing credentials is slowed down. Source: reliability 5.1 "Credential guessing". */
import { expect } from 'chai'
import { slowDown } from '../../../src/api/auth/slow-down.ts'
import { handClock } from '../../support/cli/fake-cli-engine.ts'

describe('API › slow-down after 10 failures per address', () => {
  const scene = () => {
    const clock = handClock()
    const { failed } = slowDown(clock)
    const fail = (address: string, times: number) => Array.from({ length: times }, () => failed(address))
    return { clock, failed, fail }
  }

  it('10 failures are free; after them an address may fail once a second, and gets the wait', () => {
    const { clock, failed, fail } = scene()
    expect(fail('10.0.0.1', 10)).to.deep.equal(Array(10).fill(0))
    expect(fail('10.0.0.1', 3)).to.deep.equal([1, 1, 1])
    clock.pass(999)
    expect(failed('10.0.0.1')).to.equal(1)
    clock.pass(1)
    expect(fail('10.0.0.1', 2)).to.deep.equal([0, 1])
  })

  it('other addresses are not slowed; of IPv6 the first half counts', () => {
    const { fail, failed } = scene()
    for (const address of ['10.0.0.1', '2001:db8:1:2:3:4:5:6', '::1']) fail(address, 10)
    expect(failed('10.0.0.2')).to.equal(0)
    expect(failed('::ffff:10.0.0.1')).to.equal(1)
    expect(failed('2001:db8:1:2::9')).to.equal(1)
    expect(failed('2001:db8:1:3::9')).to.equal(0)
    expect(failed('fe80::1%eth0')).to.equal(0)
  })

  it('failures are forgotten 5 minutes after the last', () => {
    const { clock, fail } = scene()
    fail('10.0.0.1', 20)
    clock.pass(5 * 60_000)
    expect(fail('10.0.0.1', 10)).to.deep.equal(Array(10).fill(0))
  })

  it('at most 10,000 addresses are known: the one that failed longest ago is forgotten', () => {
    const { fail, failed } = scene()
    fail('10.9.9.9', 10)
    for (let at = 0; at < 10_000; at++) failed(`10.0.${at >> 8}.${at & 255}`)
    expect(failed('10.9.9.9')).to.equal(0)
  })
})
