/** Clients that may only read cannot make the engine look at files or wait. Source: reliability P17, P21, R3; execution-semantics 2.3.5. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Permission } from '../../../src/config.ts'
import { type Json, liveApi } from '../../support/api/live-api.ts'
import { temporaryFolder } from '../../support/homes.ts'

const TOKENS: Record<string, Permission[]> = {
  reads: ['read'],
  runs: ['read', 'run'],
  writes: ['read', 'run', 'write']
}

describe('API › a caller without the permission write', () => {
  const tokens = Object.entries(TOKENS).map(([name, permissions]) => ({ name, value: `sesame-${name}`, permissions }))
  const live = liveApi({ settings: { 'auth.tokens': tokens } })
  const folder = temporaryFolder()
  const sent = (who: string, body: object) => ({ body, headers: { Authorization: `Bearer sesame-${who}` } })
  const validate = async (who: string, spec: string): Promise<Json> => {
    const { status, json } = await live.call('POST', '/dags/validate', sent(who, { spec }))
    expect(status).to.equal(200)
    return json
  }
  const withSchema = (path: string) => `params:\n  schema: ${path}\n  values: {A: 1}\nsteps:\n  - echo hi\n`
  const path = (name: string) => join(folder, name)
  before(() => {
    writeFileSync(path('schema.json'), '{"properties": {"A": {"type": "integer"}}}')
    writeFileSync(path('strict.json'), '{"properties": {"A": {"minimum": 2}}}')
    writeFileSync(path('text'), 'no JSON')
    writeFileSync(path('closed'), '{}')
    chmodSync(path('closed'), 0)
    mkdirSync(path('folder'))
    execFileSync('mkfifo', [path('pipe')])
    writeFileSync(path('sparse'), '')
    truncateSync(path('sparse'), 64 * 1024 ** 3)
  })

  it('gets the same answer for every path, also within the definitions folder: no file is opened', async () => {
    const inside = join(live.engine.config.dagsDir, 'schema.json')
    mkdirSync(live.engine.config.dagsDir, { recursive: true })
    writeFileSync(inside, '{}')
    const paths = [
      'schema.json',
      'strict.json',
      'text',
      'closed',
      'folder',
      'pipe',
      'sparse',
      'none',
      'none/below'
    ].map(path)
    for (const who of ['reads', 'runs'])
      for (const place of [
        ...paths,
        inside,
        '~/.ssh/id_rsa',
        '/proc/kmsg',
        '/proc/self/environ',
        '/dev/zero',
        '/etc/passwd'
      ])
        expect(await validate(who, withSchema(place)), place).to.deep.include({
          valid: false,
          errors: ['failed to get JSON schema: no file is read for a caller without the permission write']
        })
  })

  it('gets the same answer as everybody for a text that names no file', async () => {
    for (const spec of [
      'steps: [echo hi]\n',
      'params: {schema: "https://example.org/s.json", values: {A: 1}}\nsteps: [a]\n'
    ])
      expect((await validate('reads', spec)).errors, spec).to.deep.equal((await validate('writes', spec)).errors)
  })

  it('who may write learns what is wrong with a file, and none of them is waited for', async () => {
    const errors = async (place: string) => (await validate('writes', withSchema(place))).errors.join()
    expect(await errors(path('schema.json'))).to.equal('')
    expect(await errors(path('strict.json'))).to.contain('/A: must be >= 2')
    expect(await errors(path('text'))).to.contain('it is not valid JSON')
    expect(await errors(path('none'))).to.contain('there is no file')
    expect(await errors(path('folder'))).to.contain('there is no file')
    expect(await errors(path('pipe'))).to.contain('it is no file')
    expect(await errors(path('sparse'))).to.contain('wanted at most 1048576 bytes')
    for (const place of ['/proc/kmsg', '/proc/self/environ', '/dev/zero', '/dev/stdin', '/proc/self/fd/0'])
      expect(await errors(place), place).to.match(/it is no file|there is no file/)
  })

  it('a start, and a saved text, look at no file of the kernel either', async () => {
    const body = { spec: withSchema('/proc/kmsg'), name: 'kernel' }
    const start = await live.call('POST', '/dag-runs', sent('writes', body))
    expect([start.status, start.json.message]).to.deep.equal([
      400,
      'failed to get JSON schema: the file /proc/kmsg cannot be read (it is no file: nothing below /proc, /sys or /dev is one)'
    ])
    const created = await live.call('POST', '/dags', sent('writes', body))
    expect([created.status, created.json.message]).to.deep.equal([400, `invalid spec: ${start.json.message}`])
  })

  it('too many params are refused with the limit, wherever they are: never an internal error', async () => {
    const words = 'A=1 '.repeat(200_000)
    const steps = 'steps:\n  - echo hi\n'
    const wanted = 'must be at most 1000 parameters, found 200000'
    for (const spec of [
      `params: "${words}"\n${steps}`,
      `params: ["${words}"]\n${steps}`,
      `params: {schema: /none, values: "${words}"}\n${steps}`,
      `steps:\n  - call: other\n    params: "${words}"\n`,
      `steps:\n  - call: other\n    params: '["${words}"]'\n`
    ])
      expect((await validate('reads', spec)).errors.join(), spec.slice(0, 40)).to.contain(wanted)
    live.write('plain', steps)
    const start = await live.call('POST', '/dags/plain/start', sent('runs', { params: 'A=1 '.repeat(1_001) }))
    expect([start.status, start.json.message]).to.deep.equal([400, 'params: wanted at most 1000, found 1001'])
    expect(
      (await live.call('POST', '/dags/plain/start', sent('runs', { params: 'A=1 '.repeat(1_000) }))).status
    ).to.equal(200)
    expect(live.faults).to.deep.equal([])
  })

  it('20,000 variables, each of the one before, are read', async () => {
    const env = Array.from({ length: 20_000 }, (_, at) => `  - E${at}: \${E${at - 1}}x\n`).join('')
    expect(await validate('reads', `env:\n${env}steps: [echo hi]\n`)).to.deep.include({ valid: true, errors: [] })
  })

  it('60,000 schedules are one sentence', async () => {
    const spec = `schedule:\n${'- 0 0 30 2 *\n'.repeat(60_000)}steps: [echo hi]\n`
    expect((await validate('reads', spec)).errors).to.deep.equal([
      "field 'schedule': must be at most 100 expressions, found 60000 (line 2, column 1)"
    ])
  })

  it('long texts of one caller are read one after another, and nobody else waits for them', async () => {
    const text = (steps: number) =>
      `steps:\n${Array.from({ length: steps }, (_, at) => `  - name: s${at}\n    command: "true"\n`).join('')}`
    const order: string[] = []
    const ask = async (by: string, name: string, spec: string) => {
      expect((await live.engine.validate(spec, 'x', { by })).problems).to.deep.equal([])
      order.push(name)
    }
    await Promise.all([
      ask('a', 'long', text(8_000)),
      ask('a', 'after it', text(200)),
      ask('b', 'of another', text(200))
    ])
    expect(order).to.deep.equal(['of another', 'long', 'after it'])
  })

  it('patterns in a run are matched in linear time, while the API answers', async () => {
    const slow = `${'a'.repeat(30_000)}!`
    const spec = `params:\n  schema: ${path('pattern.json')}\n  values: {A: ${slow}}\npreconditions:\n  - condition: "${slow}"\n    expected: "re:^(a+)+!$"\nsteps:\n  - name: fails\n    command: echo ${slow}; exit 1\n    continueOn: {output: "re:^(a|a)+b$", failure: true}\n  - echo on\n`
    writeFileSync(path('pattern.json'), '{"properties": {"A": {"pattern": "^(a+)+!$"}}}')
    const start = await live.call('POST', '/dag-runs', sent('writes', { spec, name: 'patterns', dagRunId: 'p-1' }))
    expect(start.json).to.deep.equal({ dagRunId: 'p-1' })
    const { run } = await live.engine.result({ name: 'patterns', dagRunId: 'p-1' })
    expect(run.status).to.equal('partially_succeeded')
  })
})
