/** Where settings come from, and which source wins. Source: api-semantics 10.2. */
import { inspect } from 'node:util'
import { expect } from 'chai'
import { KEYS, type Key, rowOf } from '../../src/config/table.ts'
import { explainConfig, readConfig, type Settings } from '../../src/config.ts'
import { temporaryFolder } from '../support/homes.ts'
import { type Environment, homeWith, problemsOf, read, shown } from './reading.ts'

/** The line as the file would have it, nested. */
function yamlFor(key: string, value: unknown): string {
  const parts = key.split('.')
  return parts
    .map((part, depth) => `${'  '.repeat(depth)}${part}:`)
    .join('\n')
    .concat(` ${JSON.stringify(value)}\n`)
}

describe('configuration › every row of the table', () => {
  /** Three values that differ, for each kind of setting. */
  const samples = (key: Key): [unknown, unknown, unknown] => {
    const { type, standard } = rowOf(key)
    if (key === 'tz') return ['Europe/Berlin', 'Asia/Tokyo', 'America/Lima']
    if (key === 'auth.basic.passwordHash') {
      const hash = (salt: string) => `$scrypt$ln=4,r=8,p=1$${salt.repeat(16)}$${'A'.repeat(43)}`
      return [hash('a'), hash('b'), hash('c')]
    }
    const named = (name: string) => ({ name, maxConcurrency: 1 })
    if (key === 'queues.config') return [[named('a')], [named('b')], [named('c')]]
    const token = (name: string) => ({ name, value: 'x', permissions: ['read'] })
    if (key === 'auth.tokens') return [[token('a')], [token('b')], [token('c')]]
    if (key === 'access.roles') return [{ everyone: 'viewer' }, { anyone: 'runner' }, { everyone: 'none' }]
    const rule = (dag: string) => ({ who: 'everyone', may: 'none', dags: [dag] })
    if (key === 'access.rules') return [[rule('a')], [rule('b')], [rule('c')]]
    if (key === 'limits.callers') return [{ everyone: { runs: 1 } }, {}, { anyone: { requests: '1/s' } }]
    if (key === 'executors.http.egress') return [{ private: false }, {}, { deny: ['10.0.0.0/8'] }]
    if (key === 'steps.limits') return [{ memory: '1GiB' }, {}, { pids: 5 }]
    const ofGroup = (groups: string, what: object) => [{ groups, ...what }]
    if (key === 'executors.rules')
      return [ofGroup('a', { allow: ['http'] }), [], ofGroup('b', { allow: ['shell', 'jq'] })]
    if (key === 'steps.rules') return [ofGroup('a', { runAs: 'x' }), [], ofGroup('b', { limits: { cpu: 1 } })]
    if (key === 'remoteNodes')
      return ['a', 'b', 'c'].map((name) => [{ name, apiBaseURL: 'http://h/api/v2' }]) as [unknown, unknown, unknown]
    if (key === 'server.publicUrl') return ['https://a', 'https://b', 'https://c']
    if (key === 'notify')
      return ['a', 'b', 'c'].map((name) => [{ name, url: 'http://h', events: ['*'] }]) as [unknown, unknown, unknown]
    if (/^(coordinator\.nats|worker\.coordinators)$/.test(key)) return [['a:1'], ['b:1', 'c:1'], ['d:1']]
    if (key === 'worker.fenceAfter') return [51_000, 52_000, 53_000]
    if (/^worker\..*After$/.test(key)) return [21_000, 22_000, 23_000]
    if (key === 'coordinator.enabled') return ['true', 'false', 'true']
    if (key === 'worker.labels') return [{ a: '1' }, { b: '1' }, { c: '1' }]
    if (key === 'ui.logEncodingCharset') return ['shift_jis', 'windows-1252', 'gbk']
    if (type.isPath) return ['/one', '/two', '/three']
    if (typeof standard === 'boolean') return [!standard, standard, !standard]
    if (typeof standard === 'number' || key === 'maxProcesses')
      return /^(port|maxP|ui|coord|worker|scheduler.port)/.test(key) ? [11, 12, 13] : [1_000, 2_000, 3_000]
    if (key === 'cors.allowedOrigins') return [['https://a'], ['https://b', 'http://c:81'], ['https://d']]
    if (key === 'server.trustedProxies') return [['10.0.0.1'], ['::1', '10.0.0.0/8'], ['192.0.2.7']]
    if (Array.isArray(standard)) return [['a'], ['b', 'c'], ['d']]
    const words = [
      'name',
      'nextRun',
      'asc',
      'desc',
      'text',
      'json',
      'private',
      'public',
      'commit',
      'strict',
      'leave',
      'stop'
    ]
    const own = words.filter((word) => type.wanted.split(' or ').includes(word))
    if (own.length > 1) return [own[1], own[0], own[1]]
    if (/basePath/i.test(key)) return ['/one', '/two', '/three']
    return ['one', 'two', 'three']
  }
  const asText = (key: Key, value: unknown): string => {
    if (Array.isArray(value)) return value.join(', ')
    if (key === 'worker.labels')
      return Object.entries(value as object)
        .map((pair) => pair.join('='))
        .join(',')
    return /^(scheduler\.(lock|zombie)|monitoring|api\.defaultRun|worker\..*After)/.test(key)
      ? `${Number(value) / 1_000}s`
      : String(value)
  }
  /** What makes the rest of a group whole, so that one of its settings can be tried. */
  const company: [RegExp, Environment][] = [
    [/^auth\.basic\.username/, { ENGINE_AUTH_BASIC_PASSWORD: 'p' }],
    [/^auth\.basic\./, { ENGINE_AUTH_BASIC_USERNAME: 'u' }],
    [
      /^auth\.oidc\.roleClaim/,
      {
        ENGINE_AUTH_OIDC_CLIENT_ID: 'c',
        ENGINE_AUTH_OIDC_CLIENT_SECRET: 's',
        ENGINE_AUTH_OIDC_CLIENT_URL: 'https://t.example',
        ENGINE_AUTH_OIDC_ISSUER: 'https://idp.example'
      }
    ],
    [/^tls\./, { ENGINE_CERT_FILE: '/c', ENGINE_KEY_FILE: '/k' }],
    [/^peer\.(cert|key)File/, { ENGINE_PEER_CERT_FILE: '/c', ENGINE_PEER_KEY_FILE: '/k' }]
  ]
  const around = (key: Key): Environment => {
    const own = `ENGINE_${rowOf(key).env}`
    const [, env = {}] = company.find(([pattern]) => pattern.test(key)) ?? []
    return Object.fromEntries(Object.entries(env).filter(([name]) => name !== own))
  }

  for (const key of KEYS.filter(
    (key) => !rowOf(key).outside && !/oidc\.(clientId|clientSecret|clientUrl|issuer)/.test(key)
  ))
    it(`${key}: flag > environment > file > default`, () => {
      const { env, secret, standard, type } = rowOf(key)
      const [first, second, third] = samples(key)
      const home = homeWith(
        yamlFor(
          key,
          /^(scheduler\.(lock|zombie)|monitoring|api\.defaultRun|worker\..*After)/.test(key)
            ? asText(key, first)
            : first
        )
      )
      const look = (environment: Environment, settings: Settings['settings'] = {}) => {
        const rows = explainConfig({ home, settings }, { ...around(key), ...environment }).shown()
        const row = rows.find((row) => row.key === key)
        return row ?? expect.fail(`no row ${key}`)
      }
      const seen = (value: unknown) => (secret ? '***' : value)
      const inFile = look({})
      expect(inFile.value).to.deep.equal(seen(first))
      expect(inFile.source).to.match(/config\.yaml:\d+:\d+$/)
      if (env) {
        const inEnvironment = look({ [`ENGINE_${env}`]: asText(key, second) })
        expect(inEnvironment.value).to.deep.equal(seen(second))
        expect(inEnvironment.source).to.equal(`ENGINE_${env}`)
        const given = /^(scheduler\.(lock|zombie)|monitoring|api\.defaultRun|worker\..*After)/.test(key)
          ? asText(key, third)
          : third
        expect(look({ [`ENGINE_${env}`]: asText(key, second) }, { [key]: given }).value).to.deep.equal(seen(third))
      }
      const empty = explainConfig({ home: temporaryFolder() }, {})
        .shown()
        .find((row) => row.key === key)
      expect(empty?.source).to.equal('default')
      if (standard !== undefined && !type.isPath) expect(empty?.value).to.deep.equal(standard)
    })

  it('auth.oidc.clientId, clientSecret, clientUrl, issuer: flag > environment > file', () => {
    const file = { clientId: 'a', clientSecret: 'b', clientUrl: 'https://c.example', issuer: 'https://d.example' }
    const home = homeWith(JSON.stringify({ auth: { oidc: file } }))
    const look = (env: Environment, settings: Settings['settings'] = {}) => {
      const { clientSecret, ...rest } = readConfig({ home, settings }, env).auth.oidc ?? expect.fail('it is off')
      return [rest.clientId, clientSecret.reveal(), rest.clientUrl, rest.issuer]
    }
    const env = {
      ENGINE_AUTH_OIDC_CLIENT_ID: 'A',
      ENGINE_AUTH_OIDC_CLIENT_SECRET: 'B',
      ENGINE_AUTH_OIDC_CLIENT_URL: 'https://cc.example',
      ENGINE_AUTH_OIDC_ISSUER: 'https://dd.example'
    }
    expect(look({})).to.deep.equal(Object.values(file))
    expect(look(env)).to.deep.equal(Object.values(env))
    const flags = { 'auth.oidc.clientId': 'x', 'auth.oidc.issuer': 'https://y.example' }
    expect(look(env, flags)).to.deep.equal(['x', 'B', 'https://cc.example', 'https://y.example'])
  })

  it('only what holds credentials is masked, and of those all', () => {
    expect(KEYS.filter((key) => rowOf(key).secret)).to.deep.equal([
      'auth.basic.password',
      'auth.basic.passwordHash',
      'auth.token.value',
      'auth.tokens',
      'auth.oidc.clientSecret',
      'peer.token',
      'notify',
      'remoteNodes'
    ])
  })
})

describe('configuration › the environment', () => {
  it('DAGS is an alias of DAGS_DIR; an empty variable gives nothing', () => {
    expect(read('', { ENGINE_DAGS: '/a' }).dagsDir).to.equal('/a')
    expect(read('', { ENGINE_DAGS: '/a', ENGINE_DAGS_DIR: '/b' }).dagsDir).to.equal('/b')
    expect(read('port: 5', { ENGINE_PORT: '' }).port).to.equal(5)
  })

  it('no DAGU_* names', () => {
    expect(read('', { DAGU_PORT: '5' }).port).to.equal(8080)
  })

  it('a name that was probably meant to be a setting is warned about; others are for steps', () => {
    const { warnings } = read('', { ENGINE_PROT: '1', ENGINE_WAREHOUSE_ADDRESS: 'x' })
    expect(warnings).to.deep.equal(['unknown variable ENGINE_PROT; did you mean ENGINE_PORT?'])
  })

  it('a wrong value names its variable', () => {
    expect(problemsOf(() => read('', { ENGINE_PORT: '70000' }))).to.deep.equal([
      'ENGINE_PORT: wanted an integer from 0 to 65535, found "70000"'
    ])
  })

  it('credentials are not in the environment that definitions see', () => {
    const env = { ENGINE_AUTH_TOKEN: 'a', ENGINE_AUTH_FUTURE: 'b', ENGINE_PEER_TOKEN: 'c', MINE: 'd', OTHER: 'e' }
    const { environment } = read('auth: {basic: {username: "${OTHER}", password: "${MINE}"}}', env)
    expect(environment).to.deep.equal({ OTHER: 'e' })
  })

  it('a secret prints as ***', () => {
    const { auth } = read('', { ENGINE_AUTH_TOKEN: 'sesame' })
    const texts = [JSON.stringify(auth), inspect(auth, { depth: 9, showHidden: true }), `${auth.tokens[0]?.value}`]
    for (const text of texts) expect(text).to.contain('***').and.not.contain('sesame')
    expect(shown('', { ENGINE_AUTH_TOKEN: 'sesame' })['auth.token.value']?.value).to.equal('***')
    expect(shown('')['auth.token.value']?.value).to.equal('')
  })
})
