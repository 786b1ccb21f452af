/** What a server elsewhere does not answer, as errors of the command line. Source: api-semantics 11. */
import { expect } from 'chai'
import { errorOf } from '../../../src/cli/remote/api.ts'

const reset = Object.assign(new Error('read ECONNRESET'), { syscall: 'read' })
const URL = 'http://127.0.0.1:1'

describe('cli › a server elsewhere', () => {
  const broken = {
    'that nobody answers for': new TypeError('fetch failed', { cause: reset }),
    'whose answer breaks off': reset
  }
  for (const [which, cause] of Object.entries(broken))
    it(`one ${which} is out of reach: who follows a run waits for it`, () => {
      expect(errorOf(cause, URL)).to.include({
        code: 'service_unavailable',
        message: `no server answers at ${URL}: read ECONNRESET`
      })
    })

  it('an error that is none of the connection stays what it is', () => {
    for (const cause of [new TypeError('x is not a function'), new Error('no'), 'no'])
      expect(errorOf(cause, URL)).to.equal(cause)
  })
})
