/** A home in which something else is in the place of a folder or file is refused with what was found, where, and how to fix it. Source: reliability P6, P22. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { served } from '../api/client.ts'
import { homeIn, outcomeOf } from '../support/cli/used-homes.ts'
import { temporaryFolder } from '../support/homes.ts'

const pipeAt = (path: string): void => void execFileSync('mkfifo', [path])
const linkAt = (path: string): void => symlinkSync('/nonexistent/place', path)

describe('home › a file in its place', () => {
  it('is named, by commands and by createEngine', async () => {
    const { folder } = await homeIn()
    const file = join(folder, 'file')
    writeFileSync(file, '')
    for (const home of [file, join(file, 'below')]) {
      const found = new RegExp(`wanted a folder at ${home}, found a file( in its way)?; give another --home`)
      const said = await Promise.all(
        [['queues'], ['start', 'a.yaml']].map((argv) => outcomeOf(folder, undefined, ...argv, '--home', home))
      )
      for (const { code, text } of said) {
        expect(code).to.equal(1)
        expect(text).to.match(found)
      }
      const refusal = await createEngine({ home }).then(
        () => undefined,
        (error) => error
      )
      expect(refusal).to.include({ name: 'TroupeError', code: 'bad_request' })
      expect(refusal.message).to.match(found)
    }
    const doctor = await outcomeOf(folder, undefined, 'doctor', '--home', file)
    expect(doctor.code).to.equal(2)
    expect(doctor.text).to.match(/^error .*found a file$/m)
    expect((await outcomeOf(folder, undefined, 'dry', 'a.yaml', '--home', file)).text).to.contain(
      'definitions folder: wanted'
    )
  })
})

describe('home › a part of it that is something else', () => {
  const parts: [what: string, place: string, make: (path: string) => void, found: RegExp][] = [
    [
      'the write-ahead file',
      'data/write-ahead',
      (path) => mkdirSync(path),
      /wanted a write-ahead file at \S+, found a folder; move it away/
    ],
    [
      'the write-ahead file',
      'data/write-ahead',
      pipeAt,
      /wanted a write-ahead file at \S+, found something that is no file; move it away/
    ],
    [
      'the write-ahead file',
      'data/write-ahead',
      linkAt,
      /wanted a write-ahead file at \S+, found a link to nothing; move it away/
    ],
    [
      'the socket',
      'data/troupe.sock',
      (path) => mkdirSync(path),
      /wanted a socket at \S+, found a folder; move it away/
    ],
    ['the data folder', 'data', linkAt, /wanted a folder at \S+, found a link to nothing; give another --home/],
    ['the log folder', 'logs', linkAt, /wanted a folder at \S+, found a link to nothing; give another paths\.logDir/]
  ]
  for (const [what, place, make, found] of parts)
    it(`${what}: a server names it and does not start, nor wait for ever`, async () => {
      const { folder, home } = await homeIn()
      const path = join(home, place)
      rmSync(path, { recursive: true, force: true })
      make(path)
      const { code, text } = await outcomeOf(folder, undefined, 'start-all', '--port', '0', '--home', home)
      expect(text).to.match(found)
      expect(text).to.not.contain('unexpected')
      expect(code).to.equal(1)
      if (what !== 'the write-ahead file') return
      const doctor = await outcomeOf(folder, undefined, 'doctor', '--home', home)
      expect(doctor.text).to.match(/^error .*wanted a write-ahead file/m)
      expect(doctor.code).to.equal(2)
    })
})

describe('home › one that cannot be opened', () => {
  it('is given back: the same process opens it when what was in the way has gone', async () => {
    const home = temporaryFolder()
    const ahead = join(home, 'data', 'write-ahead')
    await (await createEngine({ home })).close()
    rmSync(ahead)
    mkdirSync(ahead)
    for (const _ of [1, 2]) {
      const error = await createEngine({ home }).catch((error: unknown) => error)
      expect(error).to.include({ code: 'internal_error' })
    }
    rmdirSync(ahead)
    const engine = await createEngine({ home })
    expect(engine.runs()).to.deep.equal([])
    await engine.close()
  })
})

describe('home › a file where logs or suspend flags belong', () => {
  it('is named, with the setting that says so; reading goes on, and the doctor does not take it for a damaged store', async () => {
    for (const [key, name] of [
      ['paths.logDir', 'logs'],
      ['paths.suspendFlagsDir', 'suspend']
    ] as const) {
      const { folder, home } = await homeIn()
      const path = join(home, name)
      rmSync(path, { recursive: true, force: true })
      writeFileSync(path, '', { mode: 0o644 })
      const found = `wanted a folder at ${path}, found a file`
      const refused = await outcomeOf(folder, undefined, 'start', 'a.yaml', '--home', home)
      expect(refused).to.deep.equal({ code: 1, text: `Error: ${found}; give another ${key}\n` })
      expect((await outcomeOf(folder, undefined, 'queues', '--home', home)).code).to.equal(0)
      const doctor = await outcomeOf(folder, undefined, 'doctor', '--json', '--home', home)
      expect(doctor.code).to.equal(2)
      const { findings } = JSON.parse(doctor.text)
      expect(findings.filter(({ check }: { check: string }) => check !== 'disk')).to.deep.equal([
        { check: 'permissions', severity: 'error', message: found, mending: `give another ${key}`, fixable: false }
      ])
    }
  })
})

describe('home › a definitions folder that is none any more', () => {
  it('F8 is named with 503 while a server is at work, and is read again when it is back', async () => {
    const { home } = await homeIn()
    const dags = join(home, 'dags')
    mkdirSync(dags, { recursive: true })
    const engine = await createEngine({ home })
    const server = await served(engine)
    try {
      rmSync(dags, { recursive: true })
      writeFileSync(dags, '')
      const { status, json } = await server.call('GET', '/dags')
      expect([status, json.code]).to.deep.equal([503, 'service_unavailable'])
      expect(json.message).to.equal(`the definitions folder ${dags} cannot be read: it is no folder`)
      const created = await server.call('POST', '/dags', { body: { name: 'a' } })
      expect([created.status, created.json.code]).to.deep.equal([503, 'service_unavailable'])
      expect(created.json.message).to.equal(`the definitions folder ${dags} cannot be written: it is no folder`)
      rmSync(dags)
      mkdirSync(dags)
      expect((await server.call('GET', '/dags')).status).to.equal(200)
    } finally {
      await server.close()
      await engine.close()
    }
  })
})
