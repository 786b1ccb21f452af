/** The home of a server elsewhere as a whole: settings, examination, keys of workers, earlier attempts, no limits. Source: docs/cli.md, docs/authentication.md. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { called } from '../../support/cli/called.ts'
import { program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { oneIn } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

const FLOW = `steps:
  - name: count
    command: sh -c 'echo attempt >> tries; echo "try $(grep -c . tries)"'
  - name: flaky
    command: sh -c 'echo breaks; echo why >&2; exit 1'
handlerOn:
  exit: echo bye
`
const ONE = 'maxActiveRuns: 1\nsteps:\n  - name: wait\n    command: sleep 60\n'
const SETTINGS = `auth:
  tokens:
    - { name: all, value: sesame }
    - { name: reader, value: look, permissions: [read] }
    - { name: runner, value: go, permissions: [read, run] }
    - { name: writer, value: edit, permissions: [read, write] }
  basic: { username: ops, password: a-very-secret-word }
`

describe('troupe --url › the home of that server', function () {
  this.timeout(120_000)
  const there = temporaryFolder()
  const here = temporaryFolder()
  const dags = temporaryFolder()
  let server: RunningServer
  before(async () => {
    for (const [name, text] of Object.entries({ flow: FLOW, one: ONE })) writeFileSync(join(dags, `${name}.yaml`), text)
    server = await runningServer({ ENGINE_TZ: 'UTC', ENGINE_DAGS_DIR: dags }, { folder: there, file: SETTINGS })
  })
  after(() => server.end())

  const environmentOf = (token: string) => ({ ENGINE_HOME: here, ENGINE_TZ: 'UTC', ENGINE_AUTH_TOKEN: token })
  const as = (token: string, ...argv: string[]) => called(here, environmentOf(token), ...argv, '--url', server.address)
  /** One that goes on beside others. */
  const begin = (token: string, ...argv: string[]) =>
    program(here, environmentOf(token), ...argv, '--url', server.address)
  const locally = (...argv: string[]) =>
    called(there, { ENGINE_HOME: there, ENGINE_TZ: 'UTC', ENGINE_DAGS_DIR: dags }, ...argv)

  it('config shows the settings of the server, secrets hidden; a flag that is a setting here is refused', async () => {
    const { settings, file } = JSON.parse((await as('sesame', 'config', '--json')).out)
    expect(file).to.equal(join(there, 'config.yaml'))
    const keys = (shown: { key: string }[]) => shown.map(({ key }) => key)
    const local = JSON.parse((await locally('config', '--json')).out)
    expect(keys(settings)).to.deep.equal(keys(local.settings))
    const shown = (key: string) => settings.find((one: { key: string }) => one.key === key)
    expect(shown('paths.dagsDir')).to.deep.equal({ key: 'paths.dagsDir', value: dags, source: 'ENGINE_DAGS_DIR' })
    expect(shown('auth.tokens').value).to.equal('***')
    expect(shown('auth.basic.password').value).to.equal('***')
    const { out } = await as('sesame', 'config')
    expect(out).to.match(/^auth\.basic\.password +\*\*\* +/m)
    for (const secret of ['sesame', 'look', 'a-very-secret-word']) expect(out).not.to.contain(secret)
    expect((await as('sesame', 'config', '--port', '1')).err).to.equal(
      'Error: config: --port is a setting of this machine, and that server has its own\n'
    )
  })

  it('doctor finds the same as there, with the same exit codes, and says what it could not look at; --fix is refused', async () => {
    const clean = await as('sesame', 'doctor')
    expect(clean.code, clean.out).to.equal(0)
    expect(clean.out).to.match(/ is running\nnot looked at while an engine is running: .*lock.*\nnothing is wrong\n$/)
    writeFileSync(join(dags, 'broken.yaml'), 'steps:\n  - name: a\n    depends: nobody\n')
    const [far, near] = [await as('sesame', 'doctor'), await locally('doctor')]
    expect(far).to.deep.equal(near)
    expect(far.code).to.be.greaterThan(1)
    expect(far.out).to.contain('broken')
    expect(await as('sesame', 'doctor', '--json')).to.deep.equal(await locally('doctor', '--json'))
    const both = [begin('sesame', 'doctor', '--json'), begin('sesame', 'doctor', '--json')]
    const [one, other] = await Promise.all(both.map(async ({ code, written }) => ({ code: await code, ...written })))
    expect(one).to.deep.equal(other)
    const fixed = await as('sesame', 'doctor', '--fix')
    expect(fixed.code).to.equal(1)
    expect(fixed.err).to.contain('--fix needs a home that no engine is running on')
  })

  it('worker enroll shows a key once, revoke takes it away: the secret is in no file of the server', async () => {
    const path = join(here, 'w1.key')
    const given = await as('sesame', 'worker', 'enroll', 'w1', '--out', path)
    expect([given.code, given.err]).to.deep.equal([0, 'it counts as soon as a coordinator of this home runs\n'])
    expect(given.out).to.contain(`w1 has a key: ${path}\n`)
    expect(statSync(path).mode & 0o777).to.equal(0o600)
    const key = JSON.parse(readFileSync(path, 'utf8'))
    expect(key).to.deep.include({ id: 'w1', cluster: 'troupe' })
    const enrolled = readFileSync(join(there, 'data', 'enrolled-workers.json'), 'utf8')
    expect(enrolled).to.contain(key.home).and.not.contain(key.seed)
    expect(server.written.err).not.to.contain(key.seed)

    const second = join(here, 'second.key')
    const again = await as('sesame', 'worker', 'enroll', 'w1', '--out', second)
    expect(again.code).to.equal(1)
    expect(again.err).to.match(/^Error: w1 has had a key since /)
    expect(existsSync(second)).to.equal(false)
    expect((await as('sesame', 'worker', 'enroll', 'w2', '--out', path)).err).to.contain('there is a file already')
    expect((await as('sesame', 'worker', 'revoke', 'w2')).err).to.contain('no worker w2 is enrolled')
    expect(JSON.parse((await as('sesame', 'worker', 'enroll', 'w2')).out)).to.have.property('seed')

    const revoked = JSON.parse((await as('sesame', 'worker', 'revoke', 'w1', '--json')).out)
    expect(revoked).to.deep.include({ id: 'w1', home: key.home })
    expect(revoked.revokedAt).to.be.a('number')
    expect((await as('sesame', 'worker', 'revoke', 'w1')).err).to.contain('w1 was revoked before')
    expect((await as('sesame', 'worker', 'enroll', 'a\nb')).err).to.contain('on one line')
    const enroll = async (name: string) => {
      const headers = { Authorization: 'Bearer sesame' }
      return (await fetch(`${server.address}/api/v2/workers/${name}/enroll`, { method: 'POST', headers })).status
    }
    for (const name of ['a%0ab', 'a%00b', '%e2%80%a8', 'x'.repeat(201)]) expect(await enroll(name), name).to.equal(400)
    const before = readdirSync(there, { recursive: true })
    for (const name of ['..%2f..%2fx', '%2fetc%2fpasswd', '~root']) expect(await enroll(name), name).to.equal(200)
    expect(readdirSync(there, { recursive: true })).to.deep.equal(before)
  })

  it('logs --attempt prints an earlier attempt as on the home', async () => {
    expect((await as('sesame', 'start', 'flow', '-r', 'r1', '-q')).code).to.equal(1)
    expect((await as('sesame', 'retry', 'flow', '-r', 'r1', '-q')).code).to.equal(1)
    for (const argv of [['r1'], ['r1', 'flaky'], ['r1', '--stderr'], ['r1', 'count', '--times'], ['r1', 'onExit']]) {
      const first = await as('sesame', 'logs', ...argv, '--attempt', '1')
      expect(first, argv.join(' ')).to.deep.equal(await locally('logs', ...argv, '--attempt', '1'))
      expect(first.out, argv.join(' ')).not.to.equal('')
    }
    expect((await as('sesame', 'logs', 'r1', 'count', '--attempt', '1')).out).to.equal('try 1\n')
    expect(await as('sesame', 'logs', 'r1', '--attempt', '2')).to.deep.equal(await as('sesame', 'logs', 'r1'))
    expect((await as('sesame', 'logs', 'r1', '--attempt', '3')).err).to.contain('has attempts 1 to 2, found 3')
    const answer = await fetch(`${server.address}/api/v2/dag-runs/flow/r1/log/merged?attempt=first`, {
      headers: { Authorization: 'Bearer sesame' }
    })
    expect(answer.status).to.equal(400)
    expect(await answer.json()).to.include({
      code: 'bad_request',
      message: 'query parameter \'attempt\': wanted an integer, found "first"'
    })
  })

  it('--disable-max-active-runs goes past the limit of the definition, for who may write it', async () => {
    const running = async (count: number) => {
      const { dagRuns } = JSON.parse((await as('sesame', 'runs', 'one', '--status', 'running', '--json')).out)
      return dagRuns.length === count ? true : undefined
    }
    const started = [begin('go', 'start', 'one', '-r', 'o1', '-q').code]
    await eventually('one runs', () => running(1))
    expect((await as('sesame', 'start', 'one', '-r', 'o2')).err).to.contain('--disable-max-active-runs')
    const refused = await as('go', 'start', 'one', '-r', 'o2', '--disable-max-active-runs')
    expect(refused.err).to.equal('Error: the token runner may not write\n')
    started.push(begin('sesame', 'start', 'one', '-r', 'o2', '-q', '--disable-max-active-runs').code)
    await eventually('two run', () => running(2))
    expect((await as('sesame', 'start', 'one', '-r', 'o3', '--from-run-id', 'o1')).code).to.equal(1)
    started.push(
      begin('sesame', 'start', 'one', '-r', 'o3', '-q', '--from-run-id', 'o1', '--disable-max-active-runs').code
    )
    await eventually('three run', () => running(3))
    const stopped = await as('sesame', 'stop', 'one')
    expect(stopped.code, stopped.err).to.equal(0)
    expect(await Promise.all(started)).to.deep.equal([1, 1, 1])

    started.push(begin('sesame', 'start', 'one', '-r', 'o4', '-q').code)
    await eventually('one runs', () => running(1))
    expect((await as('sesame', 'retry', 'one', '-r', 'o1', '-q')).code).to.equal(1)
    started.push(begin('sesame', 'retry', 'one', '-r', 'o1', '-q', '--disable-max-active-runs').code)
    await eventually('two run', () => running(2))
    await as('sesame', 'stop', 'one', '-q')
    await Promise.all(started)
  })

  it('who may not do everything is refused, and so is who shows no key or a wrong one', async () => {
    const calls = [
      ['config'],
      ['doctor'],
      ['backup', 'refused.tar'],
      ['worker', 'enroll', 'w9'],
      ['worker', 'revoke', 'w2']
    ]
    for (const argv of oneIn(2, calls)) {
      const name = argv.join(' ')
      expect((await as('look', ...argv)).err, name).to.match(/^Error: the token reader may not (run|write)\n$/)
      expect((await as('go', ...argv)).err, name).to.equal('Error: the token runner may not write\n')
      expect((await as('edit', ...argv)).err, name).to.equal('Error: the token writer may not run\n')
      expect((await as('wrong', ...argv)).err, name).to.contain('the credentials are wrong')
      const { code, err } = await called(
        here,
        { ENGINE_HOME: here, ENGINE_TZ: 'UTC' },
        ...argv,
        '--url',
        server.address
      )
      expect([code, err], name).to.deep.equal([1, err])
      expect(err, name).to.contain('wanted credentials, found none')
    }
    expect(readFileSync(join(there, 'data', 'enrolled-workers.json'), 'utf8')).not.to.contain('w9')
    expect(readdirSync(here).filter((name) => name.startsWith('refused'))).to.deep.equal([])
  })
})
