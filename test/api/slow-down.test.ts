/** Guessing credentials is slowed down. Source: reliability 5.1 "Credential guessing". */
import { expect } from 'chai'
import { slowDown } from '../../src/api/auth/slow-down.ts'
import { handClock, settled } from '../support/fake-cli-engine.ts'

describe('API › slow-down after 10 failures per address', () => {
  const scene = () => {
    const clock = handClock()
    const limit = slowDown(clock)
    const fail = (address: string, times: number) => {
      for (let i = 0; i < times; i++) limit.failed(address)
    }
    const tryNow = async (address: string) => {
      let verdict: boolean | 'waiting' = 'waiting'
      void limit.turn(address).then((may) => {
        verdict = may
      })
      await settled()
      return () => verdict
    }
    return { clock, limit, fail, tryNow }
  }

  it('10 tries are free; after them one try a second', async () => {
    const { clock, fail, tryNow } = scene()
    fail('10.0.0.1', 9)
    expect((await tryNow('10.0.0.1'))()).to.equal(true)
    fail('10.0.0.1', 1)
    const first = await tryNow('10.0.0.1')
    const second = await tryNow('10.0.0.1')
    expect([first(), second()]).to.deep.equal(['waiting', 'waiting'])
    clock.pass(1_000)
    await settled()
    expect([first(), second()]).to.deep.equal([true, 'waiting'])
    clock.pass(1_000)
    await settled()
    expect(second()).to.equal(true)
  })

  it('who would wait longer than 10 s is turned away', async () => {
    const { fail, tryNow } = scene()
    fail('10.0.0.1', 10)
    const tries = []
    for (let i = 0; i < 12; i++) tries.push(await tryNow('10.0.0.1'))
    expect(tries.map((verdict) => verdict())).to.deep.equal([...Array(10).fill('waiting'), false, false])
  })

  it('other addresses are not slowed; of IPv6 the first half counts', async () => {
    const { fail, tryNow } = scene()
    fail('10.0.0.1', 10)
    fail('2001:db8:1:2:3:4:5:6', 10)
    fail('::1', 10)
    expect((await tryNow('10.0.0.2'))()).to.equal(true)
    expect((await tryNow('::ffff:10.0.0.1'))()).to.equal('waiting')
    expect((await tryNow('2001:db8:1:2::9'))()).to.equal('waiting')
    expect((await tryNow('2001:db8:1:3::9'))()).to.equal(true)
    expect((await tryNow('fe80::1%eth0'))()).to.equal(true)
  })

  it('failures are forgotten 5 minutes after the last', async () => {
    const { clock, fail, tryNow } = scene()
    fail('10.0.0.1', 20)
    clock.pass(5 * 60_000)
    expect((await tryNow('10.0.0.1'))()).to.equal(true)
  })
})
