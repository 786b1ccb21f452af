/** Which configuration file is read, and what its text sets. Source: api-semantics 10.2. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { temporaryFolder } from '../support/homes.ts'
import { homeWith, problemsOf, read } from './reading.ts'

describe('configuration › the file', () => {
  it('a missing file is fine; one that was named, or cannot be read, is not', () => {
    expect(readConfig({ home: '/nowhere' }, {}).file).to.equal(undefined)
    expect(problemsOf(() => readConfig({ config: '/nowhere/at-all.yaml' }, {}))).to.deep.equal([
      'configuration file: wanted /nowhere/at-all.yaml, found no such file'
    ])
    const home = temporaryFolder()
    mkdirSync(join(home, 'config.yaml'))
    expect(problemsOf(() => readConfig({ home }, {}))).to.deep.equal([
      `${home}/config.yaml: cannot be read: it is a folder`
    ])
  })

  it('a pipe into which no process writes is refused after 2 s; /dev/null has nothing in it', () => {
    const home = temporaryFolder()
    const pipe = join(home, 'config.yaml')
    execFileSync('mkfifo', [pipe])
    expect(problemsOf(() => readConfig({ home }, {}))).to.deep.equal([
      `${pipe}: wanted a file, found a pipe into which no process writes after 2 s: put a configuration file there, or give another --config`
    ])
    expect(readConfig({ config: '/dev/null' }, {})).to.include({ file: '/dev/null', port: 8080 })
  })

  it('--config: a pipe is read to its end', () => {
    const main = fileURLToPath(new URL('../../bin/troupe.js', import.meta.url))
    const pipe = join(temporaryFolder(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const late = `(sleep 0.2; echo 'port: 4321') > ${pipe} &`
    for (const [before, file] of [
      ['', "<(echo 'port: 4321')"],
      ["echo 'port: 4321' |", '/dev/stdin'],
      [late, pipe]
    ]) {
      const command = `${before} "$0" "$1" config --json --home "$2" --config ${file}`
      const shown = execFileSync('bash', ['-c', command, process.execPath, main, temporaryFolder()], {
        encoding: 'utf8'
      })
      expect(shown, file).to.contain('"key":"port","value":4321')
    }
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

  it('S4 auth.tokens for several: two of one value are refused, all of them are named, and the value is not shown', () => {
    const token = (name: string, value: string) => `{name: ${name}, value: ${value}, permissions: [read]}`
    const tokens = [
      token('a', 'sesame'),
      token('b', 'poppy'),
      token('c', 'sesame'),
      token('d', 'poppy'),
      token('e', 'x')
    ]
    expect(
      problemsOf(() => read(`port: x\nauth: {token: {value: poppy}, tokens: [${tokens}]}`)).slice(1)
    ).to.deep.equal([
      'auth.tokens: wanted a different value for each token, found the same for auth.token.value, "b", "d"',
      'auth.tokens: wanted a different value for each token, found the same for "a", "c"'
    ])
    expect(read(`auth: {token: {value: y}, tokens: [${tokens.slice(3)}]}`).auth.tokens).to.have.length(3)
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
