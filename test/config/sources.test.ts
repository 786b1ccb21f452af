/** Where settings come from, and which source wins. Source: api-semantics 10.2. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { KEYS, type Key, rowOf } from '../../src/config/table.ts'
import { explainConfig, readConfig, type Settings } from '../../src/config.ts'
import { TroupeError } from '../../src/errors.ts'
import { temporaryFolder } from '../support/homes.ts'

type Environment = Record<string, string>

/** A home with this configuration file. */
function homeWith(text: string, name = 'config.yaml'): string {
  const home = temporaryFolder()
  writeFileSync(join(home, name), text, { mode: 0o600 })
  return home
}

const read = (text: string, env: Environment = {}, settings: Settings = {}) =>
  readConfig({ home: homeWith(text), ...settings }, env)

const shown = (text: string, env: Environment = {}, settings: Settings = {}) => {
  const rows = explainConfig({ home: homeWith(text), ...settings }, env).shown()
  return Object.fromEntries(rows.map(({ key, value, source }) => [key, { value, source }]))
}

function problemsOf(work: () => unknown): string[] {
  try {
    work()
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'bad_request') {
      const { errors = [error.message] } = error.details ?? {}
      return errors as string[] // our own details
    }
    throw error
  }
  return expect.fail('it was accepted')
}

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
    if (key === 'remoteNodes')
      return ['a', 'b', 'c'].map((name) => [{ name, apiBaseURL: 'http://h/api/v2' }]) as [unknown, unknown, unknown]
    if (key === 'worker.labels') return [{ a: '1' }, { b: '1' }, { c: '1' }]
    if (key === 'ui.logEncodingCharset') return ['shift_jis', 'windows-1252', 'gbk']
    if (type.isPath) return ['/one', '/two', '/three']
    if (typeof standard === 'boolean') return [!standard, standard, !standard]
    if (typeof standard === 'number' || key === 'maxProcesses')
      return /^(port|maxP|ui|coord|worker|scheduler.port)/.test(key) ? [11, 12, 13] : [1_000, 2_000, 3_000]
    if (key === 'cors.allowedOrigins') return [['https://a'], ['https://b', 'http://c:81'], ['https://d']]
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
    if (own.length === 2) return [own[1], own[0], own[1]]
    if (/basePath/i.test(key)) return ['/one', '/two', '/three']
    return ['one', 'two', 'three']
  }
  const asText = (key: Key, value: unknown): string => {
    if (Array.isArray(value)) return value.join(', ')
    if (key === 'worker.labels')
      return Object.entries(value as object)
        .map((pair) => pair.join('='))
        .join(',')
    return /^(scheduler\.(lock|zombie)|monitoring|api\.defaultRun)/.test(key)
      ? `${Number(value) / 1_000}s`
      : String(value)
  }
  /** What makes the rest of a group whole, so that one of its settings can be tried. */
  const company: [RegExp, Environment][] = [
    [/^auth\.basic\.username/, { ENGINE_AUTH_BASIC_PASSWORD: 'p' }],
    [/^auth\.basic\./, { ENGINE_AUTH_BASIC_USERNAME: 'u' }],
    [/^tls\./, { ENGINE_CERT_FILE: '/c', ENGINE_KEY_FILE: '/k' }]
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
        yamlFor(key, /^(scheduler\.(lock|zombie)|monitoring|api\.defaultRun)/.test(key) ? asText(key, first) : first)
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
        const given = /^(scheduler\.(lock|zombie)|monitoring|api\.defaultRun)/.test(key) ? asText(key, third) : third
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
      'remoteNodes'
    ])
  })
})

describe('configuration › the file', () => {
  it('a missing file is fine; one that was named, or cannot be read, is not', () => {
    expect(readConfig({ home: '/nowhere' }, {}).file).to.equal(undefined)
    expect(problemsOf(() => readConfig({ config: '/nowhere/at-all.yaml' }, {}))).to.deep.equal([
      'configuration file: wanted /nowhere/at-all.yaml, found no such file'
    ])
    const home = temporaryFolder()
    mkdirSync(join(home, 'config.yaml'))
    expect(problemsOf(() => readConfig({ home }, {}))).to.deep.equal([`${home}/config.yaml: cannot be read: EISDIR`])
  })

  it('--config before ENGINE_CONFIG before config.yaml in the home', () => {
    const home = homeWith('port: 1')
    const named = join(homeWith('port: 2', 'named.yaml'), 'named.yaml')
    const flagged = join(homeWith('port: 3', 'flagged.yaml'), 'flagged.yaml')
    expect(readConfig({ home }, {}).port).to.equal(1)
    expect(readConfig({ home }, { ENGINE_CONFIG: named }).port).to.equal(2)
    expect(readConfig({ home, config: flagged }, { ENGINE_CONFIG: named })).to.include({ port: 3, file: flagged })
  })

  it('without a given home: config in XDG_CONFIG_HOME, data in XDG_DATA_HOME', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'troupe'))
    writeFileSync(join(folder, 'troupe', 'config.yaml'), 'port: 7')
    const env = { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: join(folder, 'data') }
    expect(readConfig({}, env)).to.include({ port: 7, home: join(folder, 'data', 'troupe') })
    expect(readConfig({}, { ...env, ENGINE_HOME: temporaryFolder() }).port).to.equal(8080)
  })

  it('an empty HOME is none, as with XDG_DATA_HOME: the home folder is that of the account', () => {
    const before = process.env.HOME
    process.env.HOME = ''
    try {
      const own = userInfo().homedir
      const { home, dagsDir, port } = readConfig({}, { XDG_CONFIG_HOME: temporaryFolder(), ENGINE_DAGS_DIR: '~/flows' })
      expect({ home, dagsDir, port }).to.deep.equal({
        home: join(own, '.local', 'share', 'troupe'),
        dagsDir: join(own, 'flows'),
        port: 8080
      })
    } finally {
      process.env.HOME = before
    }
  })

  it('keys are case-insensitive', () => {
    expect(read('PATHS:\n  DagsDir: /flows\nLOGFORMAT: json')).to.include({ dagsDir: '/flows', logFormat: 'json' })
    expect(problemsOf(() => read('port: 1\nPort: 2'))[0]).to.match(/config\.yaml:2:1: port: given twice$/)
  })

  it('unknown keys warn, with the nearest match', () => {
    const { warnings, port } = read('prot: 99\nauth:\n  basic:\n    usrname: x\n  entirely: different\n')
    expect(port).to.equal(8080)
    expect(warnings.map((text) => text.replace(/^.*config\.yaml:/, ''))).to.deep.equal([
      '1:1: unknown setting prot; did you mean port?',
      '4:5: unknown setting auth.basic.usrname; did you mean auth.basic.username?',
      '5:3: unknown setting auth.entirely'
    ])
  })

  it('values of the wrong type are refused with file, line and what would be right, all at once', () => {
    const problems = problemsOf(() =>
      read(
        'port: eighty\ndebug: maybe\npaths: here\nlogFormat: xml\nhost: 1\ntz: Mars/Base\nqueues:\n  config: [{name: a}]\n'
      )
    ).map((text) => text.replace(/^.*config\.yaml:/, ''))
    expect(problems).to.deep.equal([
      '3:1: paths: wanted a map of settings',
      '5:1: host: wanted text (in quotes when it looks like something else), found 1',
      '1:1: port: wanted an integer from 0 to 65535, found "eighty"',
      '6:1: tz: wanted an IANA time zone such as Europe/Berlin, found "Mars/Base"',
      '2:1: debug: wanted true or false, found "maybe"',
      '4:1: logFormat: wanted text or json, found "xml"',
      '8:3: queues.config: wanted a list such as [{name: etl, maxConcurrency: 2}] with different names, found [{"name":"a"}]'
    ])
  })

  it('what is no YAML, or no map, is refused with its place', () => {
    expect(problemsOf(() => read('port: 1\nhost: [\n'))[0]).to.match(/config\.yaml:\d+:\d+: invalid YAML: /)
    expect(problemsOf(() => read('- a\n- b\n'))[0]).to.match(/config\.yaml:1:1: wanted a map of settings$/)
    expect(read('# nothing\n').port).to.equal(8080)
    expect(read('port:\nauth:\n').port).to.equal(8080)
  })

  it('S4 Authorization: Bearer <token>: a token that no header can hold is refused, and not shown', () => {
    for (const value of ['my secret', 'pässwörd', 'tab\\there', 'line\\n']) {
      const [single = ''] = problemsOf(() => read(`auth: {token: {value: "${value}"}}`))
      expect(single, value).to.match(/auth\.token\.value: wanted text of visible ASCII .*, found something else$/)
      const [several = ''] = problemsOf(() => read(`auth: {tokens: [{name: ci, value: "${value}"}]}`))
      expect(several, value).to.match(
        /auth\.tokens: wanted a list .* values of visible ASCII .*, found something else$/
      )
    }
    expect(problemsOf(() => read('', { ENGINE_AUTH_TOKEN: 'my secret' }))[0]).to.match(
      /^ENGINE_AUTH_TOKEN: wanted text/
    )
  })

  it('what is not UTF-8, or several documents, is refused with its place', () => {
    const home = homeWith('')
    writeFileSync(join(home, 'config.yaml'), Buffer.from('port: 1\nhost: "\xe4"\n', 'latin1'))
    expect(problemsOf(() => readConfig({ home }, {}))[0]).to.match(
      /config\.yaml:2:8: wanted UTF-8, found another byte: save the file as UTF-8$/
    )
    expect(problemsOf(() => read('port: 1\n---\nport: 2\n'))[0]).to.match(
      /config\.yaml:2:1: invalid YAML: wanted one document, found several$/
    )
  })

  it('a secret of the wrong type is not repeated', () => {
    const problems = problemsOf(() => read('auth:\n  token:\n    value: 123456\n'))
    expect(problems.join())
      .to.match(/auth\.token\.value: wanted text .*, found something else$/)
      .and.not.contain('123456')
  })

  it('${VAR} expands from the environment; a variable that is not set is refused', () => {
    const { port, auth } = read('port: ${P}\nauth: {token: {value: "a${T}b$x"}}', { P: '81', T: '-t-' })
    expect([port, auth.tokens[0]?.value.reveal()]).to.deep.equal([81, 'a-t-b$x'])
    expect(problemsOf(() => read('auth: {token: {value: "${NONE}"}}'))[0]).to.match(/: the variable NONE is not set$/)
  })

  it('~ and relative paths resolve, relative to the config file', () => {
    const home = homeWith('paths: {dagsDir: flows, logDir: ~/logs}')
    expect(readConfig({ home }, {})).to.include({ dagsDir: join(home, 'flows'), logDir: join(homedir(), 'logs') })
    expect(readConfig({ home }, { ENGINE_DAGS_DIR: 'flows' }).dagsDir).to.equal(join(process.cwd(), 'flows'))
  })

  it('old spellings are accepted with a warning', () => {
    const { warnings, dagsDir, logDir, dataDir, auth, permissions, apiBasePath } = read(
      `dags: /a\nlogDir: /b\ndataDir: /c\nbasicAuthUsername: u\nbasicAuthPassword: p\nisAuthToken: true\nauthToken: t
permissionWriteDAGs: false\npermissionRunDAGs: false\napiBaseURL: /api/v9\nsuspendFlagsDir: /d\nadminLogsDir: /e
baseConfig: /f\nnavbarColor: red\nnavbarTitle: T\nlogEncodingCharset: gbk\nmaxDashboardPageLimit: 3\n`
    )
    expect({ dagsDir, logDir, dataDir, apiBasePath }).to.deep.equal({
      dagsDir: '/a',
      logDir: '/b',
      dataDir: '/c',
      apiBasePath: '/api/v9'
    })
    expect(permissions).to.deep.equal({ writeDAGs: false, runDAGs: false })
    expect([auth.basic?.username, auth.basic?.password?.reveal(), auth.tokens[0]?.value.reveal()]).to.deep.equal([
      'u',
      'p',
      't'
    ])
    expect(warnings).to.have.length(17)
    expect(warnings[0]).to.match(/config\.yaml:1:1: dags is an old spelling of paths\.dagsDir$/)
    expect(read('dagsDir: /a\npaths: {dagsDir: /b}').dagsDir).to.equal('/b')
    expect(read('authToken: t\nisAuthToken: false').auth.tokens).to.deep.equal([])
  })

  it('of two old spellings of one setting the first holds, and a warning names the other', () => {
    const { warnings, dagsDir } = read('dagsDir: /a\ndags: /b')
    expect(dagsDir).to.equal('/a')
    expect(warnings.map((text) => text.replace(/^.*config\.yaml:/, ''))).to.deep.equal([
      '1:1: dagsDir is an old spelling of paths.dagsDir',
      '2:1: dags is an old spelling of paths.dagsDir',
      '2:1: passed over, paths.dagsDir is given too'
    ])
  })

  it('queues: a maxConcurrency below 1 counts as 1', () => {
    const { queues } = read('queues: {config: [{name: a, maxConcurrency: 0}, {name: b, maxActiveRuns: -3}]}')
    expect(queues.config.map(({ maxConcurrency }) => maxConcurrency)).to.deep.equal([1, 1])
  })

  it('queues: maxActiveRuns is an old name of maxConcurrency', () => {
    const { queues } = read(
      'queues: {enabled: false, config: [{name: a, maxActiveRuns: 2}, {name: b, maxConcurrency: 1}]}'
    )
    expect(queues).to.deep.equal({
      enabled: false,
      config: [
        { name: 'a', maxConcurrency: 2 },
        { name: 'b', maxConcurrency: 1 }
      ]
    })
  })

  it('1.6 queues: of maxConcurrency and its alias maxActiveRuns in one item the alias wins', () => {
    const { queues } = read('queues: {config: [{name: a, maxConcurrency: 2, maxActiveRuns: 3}]}')
    expect(queues.config).to.deep.equal([{ name: 'a', maxConcurrency: 3 }])
  })

  it('a file with credentials that others can read is warned about', () => {
    const home = homeWith('auth: {token: {value: t}}')
    expect(readConfig({ home }, {}).warnings).to.deep.equal([])
    chmodSync(join(home, 'config.yaml'), 0o644)
    expect(readConfig({ home }, {}).warnings[0]).to.match(
      /config\.yaml holds credentials and can be read by others: chmod 600$/
    )
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
    for (const wrong of ['*', 'https://a.example/', 'a.example', 'null', 'file://x'])
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
    expect(
      unsupported('coordinator: {port: 9000}\nworker: {labels: {gpu: "1"}}\nui: {navbarTitle: Mine}')
    ).to.deep.equal(['ui.navbarTitle', 'coordinator.port', 'worker.labels'])
    expect(unsupported('paths: {adminLogsDir: /elsewhere}')).to.deep.equal(['paths.adminLogsDir'])
  })
  it('the default, or what holds already, is accepted', () => {
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
