/** Which settings do not go together, and which have no effect. Source: api-semantics 10.2. */
import { expect } from 'chai'
import { problemsOf, read } from './reading.ts'

describe('configuration › what must fit together', () => {
  const refused = (text: string) => problemsOf(() => read(text)).join('; ')
  it('basic authentication wants a username and a password', () => {
    expect(refused('auth: {basic: {username: u}}')).to.contain('wanted a username and a password')
    expect(refused('auth: {basic: {password: p}}')).to.contain('wanted a username and a password')
    expect(refused('auth: {basic: {username: "a:b", password: p}}')).to.contain('without a colon')
  })
  it('tls.certFile and tls.keyFile both or neither', () => {
    expect(refused('tls: {certFile: /c}')).to.contain('wanted certFile and keyFile')
    expect(refused('tls: {caFile: /c}')).to.contain('wanted certFile and keyFile')
  })
  it('OpenID Connect wants all four, over https beyond loopback', () => {
    expect(refused('auth: {oidc: {clientId: a, clientSecret: b, clientUrl: https://t.example}}')).to.contain(
      'found no issuer'
    )
    const all = (issuer: string) =>
      `auth: {oidc: {clientId: a, clientSecret: b, clientUrl: https://t.example/eng/, issuer: ${issuer}, whitelist: [A@b.c]}}`
    expect(refused(all('http://idp.example'))).to.contain('auth.oidc.issuer: wanted an https address')
    const { oidc } = read(all('https://idp.example')).auth
    expect(oidc).to.deep.include({ clientUrl: 'https://t.example/eng', whitelist: ['a@b.c'] })
    expect(oidc?.scopes).to.deep.equal(['openid', 'profile', 'email'])
  })
  it('cors.allowedOrigins are origins, and not *', () => {
    for (const wrong of ['*', 'https://*.a.example', 'https://a.example/', 'a.example', 'null', 'file://x'])
      expect(refused(`cors: {allowedOrigins: ["${wrong}"]}`), wrong).to.contain('wanted a list of origins')
  })
  it('basePath is normalised to one leading and no trailing slash', () => {
    for (const given of ['eng', '/eng', 'eng/', '/eng/']) expect(read(`basePath: ${given}`).basePath).to.equal('/eng')
    expect(read('basePath: /').basePath).to.equal('')
    expect(refused('basePath: /a/../b')).to.contain('wanted a path such as /eng')
    expect(refused('apiBasePath: /')).to.contain('apiBasePath')
  })
})

describe('configuration › what is not built', () => {
  const unsupported = (text: string) => read(text).unsupported
  it('other values than the default are listed', () => {
    expect(unsupported('workDir: /k\nui: {navbarTitle: Mine}')).to.have.members(['ui.navbarTitle', 'workDir'])
    expect(unsupported('paths: {adminLogsDir: /elsewhere}')).to.deep.equal(['paths.adminLogsDir'])
  })
  it('the default is accepted', () => {
    expect(
      unsupported('coordinator: {port: 50055}\nmonitoring: {interval: 9s}\nqueues: {enabled: true}')
    ).to.deep.equal([])
    expect(unsupported('scheduler: {port: 0}\nheadless: true')).to.deep.equal([])
  })
  it('what is accepted and unused is warned about', () => {
    expect(read('paths: {procDir: /x}').warnings[0]).to.match(/paths\.procDir has no effect: the store replaces it$/)
    expect(read('', { ENGINE_EXECUTABLE: '/x' }).warnings[0]).to.contain(
      'ENGINE_EXECUTABLE: paths.executable has no effect'
    )
  })
})
