/** What a run waits for, of what its nodes wait for. Source: docs/http-api.md "Waiting steps". */
import { expect } from 'chai'
import { runWait, waitIn } from '../../../machines/policy/waits.ts'
import { step } from '../../support/charts/plans.ts'

const approval = { for: 'approval' } as const
const signal = { for: 'signal' } as const
const sleep = { for: 'sleep', until: 900 } as const

describe('policy › waits › what a run waits for', () => {
  it('an approval comes before a signal, and a signal before time', () => {
    expect(runWait([sleep, signal, approval])).to.deep.equal(approval)
    expect(runWait([sleep, signal])).to.deep.equal(signal)
    expect(runWait([sleep])).to.deep.equal(sleep)
  })
  it('a person is waited for whatever else is at work; time only when nothing is', () => {
    expect(runWait([undefined, approval])).to.deep.equal(approval)
    expect(runWait([undefined, sleep])).to.equal(undefined)
    expect(runWait([undefined])).to.equal(undefined)
    expect(runWait([])).to.equal(undefined)
  })
  it('until the first of the limits that there are', () => {
    expect(runWait([{ for: 'approval', until: 7 }, approval, { for: 'approval', until: 5 }, signal])).to.deep.equal({
      for: 'approval',
      until: 5
    })
    expect(runWait([sleep, { for: 'sleep', until: 800 }])).to.deep.equal({ for: 'sleep', until: 800 })
  })
  it('a step waits in the states `awaiting` and `sleeping`, and not while its texts are evaluated', () => {
    const wait = step('a', { wait: { kind: 'approval' } })
    expect(
      ['picked', 'preparing', 'awaiting', { attempting: 'executing' }].map((state) => waitIn(wait, state))
    ).to.deep.equal([undefined, undefined, 'approval', undefined])
    expect(waitIn(step('a', { wait: { kind: 'sleep', for: 'PT1S' } }), 'sleeping')).to.equal('sleep')
    expect(waitIn(step('a'), 'waiting')).to.equal(undefined)
  })
})
