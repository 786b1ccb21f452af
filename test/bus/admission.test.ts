/** Who may connect to a broker, before it starts. Source: distribution 6; api-semantics 7.2. */
import { expect } from 'chai'
import { type Admission, refuseOpen } from '../../src/bus/admission.ts'

describe('bus › admission', () => {
  const refusal = (given: Partial<Admission>): string => {
    try {
      refuseOpen({ host: '127.0.0.1', token: '', hasKeys: false, certFile: '', insecure: undefined, ...given })
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  it('on loopback nothing is needed, unless TLS is asked for', () => {
    for (const host of ['127.0.0.1', '::1', 'localhost']) expect(refusal({ host }), host).to.equal('')
    expect(refusal({ insecure: true })).to.equal('')
    expect(refusal({ insecure: false })).to.match(/^peer\.insecure is false: set peer\.certFile and peer\.keyFile/)
    expect(refusal({ insecure: false, certFile: '/c' })).to.equal('')
  })
  it('beyond it a token or keys, and TLS unless peer.insecure is written out', () => {
    const far = { host: '0.0.0.0', token: 'x' }
    expect(refusal({ host: '0.0.0.0' })).to.match(
      /^other machines can reach a coordinator on 0\.0\.0\.0: give each worker a key \(troupe worker enroll\), or set peer\.token.*; set peer\.certFile.*--peer\.insecure/
    )
    expect(refusal({ ...far, token: '', insecure: true })).to.match(
      /, or set peer\.token \(ENGINE_PEER_TOKEN\), [^;]+$/
    )
    expect(refusal(far)).to.match(/: set peer\.certFile and peer\.keyFile for TLS, or write peer\.insecure: true/)
    expect(refusal({ ...far, insecure: false })).to.contain('set peer.certFile')
    expect([refusal({ ...far, insecure: true }), refusal({ ...far, certFile: '/c' })]).to.deep.equal(['', ''])
    expect(refusal({ ...far, token: '', hasKeys: true, certFile: '/c' })).to.equal('')
  })
})
