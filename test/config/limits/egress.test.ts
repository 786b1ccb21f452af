/** Egress rules in the configuration. Source: docs/operating/limits.md "Where http steps may go". */
import { expect } from 'chai'
import { problemsOf, read } from '../reading.ts'

const egress = (text: string) => read(`executors: {http: {egress: ${text}}}`).egress

describe('configuration › executors.http.egress', () => {
  it('nothing is said: everywhere', () => {
    expect(read('').egress).to.equal(undefined)
  })
  it('private, allow and deny; what is not said is as open as before', () => {
    expect(egress('{private: false, allow: 10.0.0.7, deny: ["2001:db8::/32", 192.0.2.0/24]}')).to.deep.equal({
      private: false,
      allow: [{ address: '10.0.0.7', version: 4, prefix: 32 }],
      deny: [
        { address: '2001:db8::', version: 6, prefix: 32 },
        { address: '192.0.2.0', version: 4, prefix: 24 }
      ]
    })
    expect(egress('{deny: 192.0.2.1}')).to.deep.include({ private: true, allow: [] })
  })
  it('what says nothing is refused, all at once', () => {
    expect(problemsOf(() => egress('{private: maybe, allow: intranet.example, forbid: 10.0.0.0/8}'))).to.deep.equal([
      'executors.http.egress: unknown member forbid, wanted private, allow, deny',
      'executors.http.egress.private: wanted true or false, found "maybe"',
      'executors.http.egress.allow: wanted a list of addresses or networks such as 192.0.2.7 or 10.0.0.0/8, not all of them (/0), found "intranet.example"'
    ])
  })
})
