/** The audit log of a real server that is killed while it writes, whose disk is full, that is restored; and the command that verifies it. Source: docs/operating/audit.md. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Entry } from '../../../src/audit/entry.ts'
import { called } from '../../support/cli/called.ts'
import { program, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { ofAll } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

const SETTINGS = 'audit: {enabled: true}\nauth: {tokens: [{name: ci, value: a-token-of-ci}]}\n'
const HEADERS = { Authorization: 'Bearer a-token-of-ci' }

const linesOf = (home: string): string[] =>
  readdirSync(join(home, 'audit'))
    .sort()
    .flatMap((name) =>
      readFileSync(join(home, 'audit', name), 'utf8')
        .split('\n')
        .slice(0, -1)
    )
const entriesOf = (home: string): Entry[] => linesOf(home).map((line) => JSON.parse(line))

function run(home: string, ...argv: string[]) {
  return called(home, { ENGINE_HOME: home }, ...argv)
}
const verify = async (home: string, ...argv: string[]) => run(home, 'audit', 'verify', ...argv)

/** Of a server that is killed at the end of each. */
const LIVES = ofAll(2, 4)

function home(): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'config.yaml'), SETTINGS, { mode: 0o600 })
  return folder
}

describe('audit › a server that is killed', () => {
  it('what was acknowledged is in the log, however often it is killed while it writes; the log is whole, and restarts are in it', async () => {
    const folder = home()
    const acknowledged: string[] = []
    for (let life = 0; life < LIVES; life++) {
      const server = await runningServer({}, { folder })
      const ask = async (n: number) => {
        const name = `dag-${life}-${n}`
        const body = JSON.stringify({ name, spec: 'steps: [{name: say, command: "true"}]\n' })
        const { status } = await fetch(`${server.address}/api/v2/dags`, { method: 'POST', headers: HEADERS, body })
        if (status === 201) acknowledged.push(name)
      }
      const most = acknowledged.length + 40
      const asking = Array.from({ length: 8 }, async (_, client) => {
        for (let n = client; ; n += 8)
          try {
            await ask(n)
          } catch {
            return // it was killed
          }
      })
      await eventually('some changes', () => acknowledged.length > most || undefined)
      server.child.kill('SIGKILL')
      await Promise.all([server.code, ...asking])
    }
    const { code, out } = await verify(folder)
    expect([code, out]).to.deep.equal([0, out])
    const entries = entriesOf(folder)
    const created = new Set(
      entries.flatMap(({ operation, target }) => (operation === 'createDag' ? [target?.fileName] : []))
    )
    expect(acknowledged.filter((name) => !created.has(name))).to.deep.equal([])
    expect(entries.filter(({ operation }) => operation === 'serverStarted')).to.have.length(LIVES)
    expect(entries.map(({ seq }) => seq)).to.deep.equal(entries.map((_, index) => index + 1))
  })

  it('a disk that takes nothing: changes are refused, reads go on, the server lives, and the log is whole afterwards', async () => {
    const folder = home()
    const server = await runningServer({}, { folder })
    const call = async (method: string, path: string, body?: object) => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      return (await fetch(`${server.address}/api/v2${path}`, { method, headers: HEADERS, ...sent })).status
    }
    const flip = (suspend: boolean) => call('POST', '/dags/open/suspend', { suspend })
    await call('POST', '/dags', { name: 'open' })
    const [file = ''] = readdirSync(join(folder, 'audit')).map((name) => join(folder, 'audit', name))
    // Larger than all else that the server writes, so that nothing else is refused.
    const size = () => statSync(file).size
    const { size: most } = statSync(join(folder, 'data/troupe.mdb'))
    let text = ''
    while (size() < most + 100_000) {
      text = `# ${'x'.repeat(3_500)}${text.length}\nsteps: [{name: say, command: "true"}]\n`
      await call('PUT', '/dags/open/spec', { spec: text })
    }
    execFileSync('prlimit', ['--pid', String(server.child.pid), `--fsize=${size()}:`])
    expect(await flip(true), 'it is done, and not acknowledged').to.equal(503)
    expect(await flip(false), 'nothing is done').to.equal(503)
    expect(await call('GET', '/dags/open')).to.equal(200)
    execFileSync('prlimit', ['--pid', String(server.child.pid), '--fsize=unlimited:'])
    await eventually('a change', async () => ((await flip(true)) === 200 ? true : undefined))
    await server.end()
    expect((await verify(folder)).code).to.equal(0)
    const flips = entriesOf(folder).filter(({ operation, outcome }) => operation === 'suspendDag' && outcome === 'done')
    expect(flips.map(({ before }) => before?.suspended)).to.deep.equal([false, true])
    expect(server.written.err).to.contain('the audit log cannot be written, and changes are refused')
    expect(server.written.err).to.contain('the audit log is written again')
  })
})

describe('audit › the command', () => {
  let folder: string
  let backup: string
  before(async () => {
    folder = home()
    backup = join(temporaryFolder(), 'copy')
    const server = await runningServer({}, { folder })
    const body = JSON.stringify({ name: 'open', spec: 'steps: [{name: say, command: "true"}]\n' })
    await fetch(`${server.address}/api/v2/dags`, { method: 'POST', headers: HEADERS, body })
    await server.end()
  })

  it('without a server, what commands do is entered: a start, an enrolment, a backup', async () => {
    for (const argv of [
      ['start', 'dags/open.yaml', '--quiet'],
      ['worker', 'enroll', 'w1', '--quiet', '--out', join(folder, 'w1.key')],
      ['worker', 'revoke', 'w1', '--quiet'],
      ['backup', backup, '--quiet']
    ]) {
      const { code, err } = await run(folder, ...argv)
      expect([code, err], argv.join(' ')).to.deep.equal([0, err])
    }
    const done = entriesOf(folder).filter(({ door }) => door === 'cli')
    expect(done.map(({ operation, principal }) => [operation, principal.kind])).to.deep.equal(
      ['startDag', 'enrollWorker', 'revokeWorker', 'backUpHome'].map((operation) => [operation, 'owner'])
    )
  })
  it('lists, filters, prints lines of JSON, and exports what verify takes', async () => {
    const listed = await run(folder, 'audit', '--operation', 'createDag')
    expect(listed.out).to.match(/createDag +open +done/)
    const json = await run(folder, 'audit', '--json', '--limit', '2')
    expect(
      json.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).operation)
    ).to.deep.equal(['backUpHome', 'revokeWorker'])
    const file = join(folder, 'exported.jsonl')
    writeFileSync(file, (await run(folder, 'audit', '--all')).out)
    const { code, out } = await verify(folder, file)
    expect([code, out]).to.deep.equal([0, out])
    expect(readFileSync(file, 'utf8')).to.equal(`${linesOf(folder).join('\n')}\n`)
    writeFileSync(file, readFileSync(file, 'utf8').replace('"door":"cli"', '"door":"api"'))
    expect((await verify(folder, file)).code).to.equal(2)
  })
  it('on a server elsewhere it does the same', async () => {
    const server = await runningServer({}, { folder })
    const elsewhere = (...argv: string[]) =>
      program(folder, { ENGINE_AUTH_TOKEN: 'a-token-of-ci' }, 'audit', ...argv, '--url', server.address)
    const verified = elsewhere('verify')
    expect([await verified.code, verified.written.out]).to.deep.equal([0, verified.written.out])
    const all = elsewhere('--all')
    await all.code
    expect(all.written.out).to.equal(`${linesOf(folder).join('\n')}\n`)
    const listed = elsewhere('--principal', 'owner', '--operation', 'startDag')
    await listed.code
    expect(listed.written.out).to.contain('owner:')
    await server.end()
  })
  it('a line that was changed is named, and the exit code says so; the doctor says it, too', async () => {
    const [name = ''] = readdirSync(join(folder, 'audit')).sort()
    const file = join(folder, 'audit', name)
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('"operation":"createDag"', '"operation":"deleteDag"'))
    const found = await verify(folder)
    expect([found.code, found.out]).to.deep.equal([2, found.out])
    expect(found.out).to.contain(`${name}:2: entry 2 was changed`)
    const json = await verify(folder, '--json')
    expect(JSON.parse(json.out)).to.deep.include({ valid: false, count: 1 })
    expect((await run(folder, 'doctor')).out).to.contain('the audit log was tampered with')
    writeFileSync(file, text)
    expect((await verify(folder)).code).to.equal(0)
  })
  it('a restore is entered, and the log of the home that is replaced goes on', async () => {
    const before = linesOf(folder).length
    const { code, err } = await run(folder, 'restore', backup, '--replace', '--quiet')
    expect([code, err]).to.deep.equal([0, err])
    const entries = entriesOf(folder)
    expect(entries).to.have.length(before + 1)
    expect(entries.at(-1)).to.deep.include({ operation: 'restoreHome', outcome: 'done' })
    expect((await verify(folder)).code).to.equal(0)
    const other = temporaryFolder()
    appendFileSync(join(other, 'config.yaml'), SETTINGS)
    expect((await run(other, 'restore', backup, '--quiet')).code).to.equal(0)
    expect((await verify(other)).code, 'elsewhere it has the log of the backup').to.equal(0)
    expect(entriesOf(other).at(-1)?.operation).to.equal('restoreHome')
  })
})
