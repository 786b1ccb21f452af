/** The settings of remote nodes. Source: api-semantics 8, 10.2. */
import { writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { explainConfig, readConfig } from '../../src/config.ts'
import { TroupeError } from '../../src/errors.ts'
import { temporaryFolder } from '../support/homes.ts'

const address = 'https://st.example.com/api/v2'
const read = (...remoteNodes: unknown[]) => readConfig({ home: '/nowhere', settings: { remoteNodes } }, {})
const nodeOf = (node: object) => read({ name: 'staging', apiBaseURL: address, ...node }).remoteNodes[0]

function problemsOf(...remoteNodes: unknown[]): unknown {
  try {
    read(...remoteNodes)
  } catch (error) {
    if (error instanceof TroupeError) return error.details?.errors
    throw error
  }
  return expect.fail('it was accepted')
}

function shownCredentials(node: object): unknown {
  const { credentials } = nodeOf(node) ?? expect.fail('no node')
  if (!credentials) return undefined
  return 'token' in credentials ? credentials.token.reveal() : [credentials.username, credentials.password.reveal()]
}

describe('configuration › remoteNodes[]', () => {
  it('default [], and of a node: 30 s, certificates verified, no credentials', () => {
    expect(read().remoteNodes).to.deep.equal([])
    expect(nodeOf({})).to.deep.equal({ name: 'staging', url: address, timeoutMs: 30_000, tls: { verify: true } })
  })

  it('R10 ${VAR} in strings is expanded from the environment at load time, and is no longer there for definitions', () => {
    const home = temporaryFolder()
    const text = `remoteNodes:
  - name: staging
    apiBaseUrl: http://127.0.0.1:\${ST_PORT}/api/v2/
    ISBASICAUTH: true
    basicAuthUsername: ops
    basicAuthPassword: \${ST_PASSWORD}
    authToken:
    skipTLSVerify: false
    timeout: 1.5s
    tlsConfig: {certFile: client.pem, keyFile: ~/client.key, caFile: ""}
`
    writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 })
    const config = readConfig({ home }, { ST_PASSWORD: 'p$ {x}', ST_PORT: '81', OTHER: 'o' })
    const [node] = config.remoteNodes
    expect(node).to.deep.include({ name: 'staging', url: 'http://127.0.0.1:81/api/v2', timeoutMs: 1_500 })
    expect(node?.tls).to.deep.equal({
      verify: true,
      certFile: join(home, 'client.pem'),
      keyFile: join(homedir(), 'client.key')
    })
    expect(node?.credentials && 'username' in node.credentials && node.credentials.password.reveal()).to.equal('p$ {x}')
    expect(config.environment).to.deep.equal({ OTHER: 'o' })
    expect([config.unsupported, config.warnings]).to.deep.equal([[], []])
  })

  it('R2 Basic credentials win over token if both flags are set; an absent flag follows from the credentials', () => {
    const both = { basicAuthUsername: 'u', basicAuthPassword: 'p', authToken: 't' }
    expect(shownCredentials({ ...both, isBasicAuth: true, isAuthToken: true })).to.deep.equal(['u', 'p'])
    expect(shownCredentials({ ...both, isBasicAuth: false })).to.equal('t')
    expect(shownCredentials({ ...both, isBasicAuth: false, isAuthToken: true })).to.equal('t')
    expect(shownCredentials({ ...both, isBasicAuth: false, isAuthToken: false })).to.equal(undefined)
    expect(shownCredentials({ authToken: 't' })).to.equal('t')
    expect(shownCredentials({ basicAuthUsername: '', basicAuthPassword: '', authToken: '' })).to.equal(undefined)
  })

  it('a name is not "local", unique, of DAG-name characters', () => {
    const wanted = 'wanted 1 to 40 of the characters A-Z a-z 0-9 _ . - and not local'
    for (const name of ['local', '', 'a b', 'x'.repeat(41), '..', 'ü'])
      expect(problemsOf({ name, apiBaseURL: address })).to.deep.equal([
        `remoteNodes[0].name: ${wanted}, found ${JSON.stringify(name)}`
      ])
    const twice = [
      { name: 'a', apiBaseURL: address },
      { name: 'b', apiBaseURL: address },
      { name: 'a', apiBaseURL: address }
    ]
    expect(problemsOf(...twice)).to.deep.equal(['remoteNodes: wanted different names, found "a" twice'])
    expect(read({ name: 'x.Y_-1', apiBaseURL: address }).remoteNodes).to.have.length(1)
  })

  it('an address is http or https, without user, query and fragment, and is not shown', () => {
    for (const apiBaseURL of [
      '',
      'ftp://h/x',
      'h/api/v2',
      'http://u:geheim@h/',
      'http://h/?a=1',
      'http://h/#a',
      'http://',
      7
    ]) {
      const [problem, ...others] = problemsOf({ name: 'a', apiBaseURL }) as string[]
      expect(problem, String(apiBaseURL)).to.match(/^remoteNodes\[0\]\.apiBaseURL: wanted /)
      expect([problem, ...others].join()).not.to.contain('geheim')
    }
  })

  it('all that is wrong is said at once, by entry and member, with its place in the file, and without secrets', () => {
    const bad = { isBasicAuth: true, basicAuthUsername: 'a:b', timeout: '2m', tlsConfig: { certFile: 'x' } }
    expect(problemsOf({ name: 'a', apiBaseURL: address, ...bad })).to.deep.equal([
      'remoteNodes[0].timeout: wanted more than 0 and at most 60000 ms',
      'remoteNodes[0].tlsConfig: wanted certFile and keyFile, found one of them',
      'remoteNodes[0].basicAuthUsername: wanted a name without a colon',
      'remoteNodes[0].basicAuthPassword: wanted a password, found none'
    ])
    for (const odd of [
      { isBasicAuth: 'maybe' },
      { tlsConfig: 'x' },
      { timeout: 5 },
      { timeout: 0 },
      { authToken: 'gehe im' }
    ]) {
      const text = JSON.stringify(problemsOf({ name: 'a', apiBaseURL: address, ...odd }))
      expect(text).to.contain(`remoteNodes[0].${Object.keys(odd)[0]}: wanted`)
      expect(text).not.to.contain('gehe')
    }
    expect(
      problemsOf({ name: 'a', apiBaseURL: address, basicAuthUsername: 'u', basicAuthPassword: 12345 })
    ).to.deep.include(
      'remoteNodes[0].basicAuthPassword: wanted text (in quotes when it looks like something else), found something else'
    )
    const home = temporaryFolder()
    writeFileSync(join(home, 'config.yaml'), 'port: 1\nremoteNodes: [{name: local, apiBaseURL: "http://h"}]\n', {
      mode: 0o600
    })
    expect(() => readConfig({ home }, {})).to.throw(`${home}/config.yaml:2:1: remoteNodes[0].name: wanted`)
    expect(problemsOf('staging')).to.deep.equal([
      'remoteNodes: wanted a list of nodes, each with a name and an apiBaseURL, found something else'
    ])
  })

  it('an unknown member, credentials in clear text and unverified certificates are warned about', () => {
    const token = { authToken: 't' }
    const { warnings } = read(
      { name: 'a', apiBaseURL: 'http://far.example', ...token, skipTlsVerfy: true },
      { name: 'b', apiBaseURL: 'http://127.0.0.1:81', ...token },
      { name: 'c', apiBaseURL: address, ...token, skipTLSVerify: true }
    )
    expect(warnings).to.deep.equal([
      'remoteNodes[0]: unknown setting skipTlsVerfy; did you mean skipTLSVerify?',
      'remoteNodes[0]: the credentials of a travel in clear text: use https',
      'remoteNodes[2]: skipTLSVerify trusts any server that answers for c'
    ])
  })

  it('credentials are masked wherever settings are shown', () => {
    const settings = { remoteNodes: [{ name: 'a', apiBaseURL: address, authToken: 'geheim' }] }
    const { config, shown } = explainConfig({ home: '/nowhere', settings }, {})
    const texts = [inspect(config, { depth: 9 }), JSON.stringify(config), JSON.stringify(shown())]
    for (const text of texts) expect(text).not.to.contain('geheim')
    expect(shown().find(({ key }) => key === 'remoteNodes')?.value).to.equal('***')
  })
})
