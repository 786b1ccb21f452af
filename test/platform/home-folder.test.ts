/** Homes that cannot be used are refused with what was found, where, and how to fix it. Source: reliability P6, P22. */
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { served } from '../api/client.ts'
import { PROGRAM } from '../support/cli/program.ts'
import { temporaryFolder } from '../support/homes.ts'

const NOBODY = 65_534

const pipeAt = (path: string): void => void execFileSync('mkfifo', [path])
const linkAt = (path: string): void => symlinkSync('/nonexistent/place', path)

/** Whether everybody may enter a folder, and those that it is in. */
const isOpenToAll = (folder: string): boolean =>
  (statSync(folder).mode & 0o001) !== 0 && (dirname(folder) === folder || isOpenToAll(dirname(folder)))

/** Exit code, and what was written, by a user. */
function told(folder: string, uid: number | undefined, ...argv: string[]): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, HOME: folder, SHELL: '/bin/sh' }
    const child = spawn(process.execPath, [PROGRAM, ...argv], { cwd: folder, env, ...(uid ? { uid, gid: uid } : {}) })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data))
    child.on('close', (code) => resolve({ code: code ?? -1, text }))
  })
}

/** A folder that everybody may enter, with a home in which an engine has been, and a definition beside it. */
async function homeIn(): Promise<{ folder: string; home: string }> {
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  await createEngine({ home }).then((engine) => engine.close())
  writeFileSync(join(folder, 'a.yaml'), 'steps: [{command: echo hi}]\n')
  chmodSync(folder, 0o755)
  return { folder, home }
}

const READING = [['status', 'a'], ['queues'], ['events', 'a'], ['backup', 'b']]
const WRITING = [
  ['start', 'a.yaml'],
  ['enqueue', 'a.yaml'],
  ['start-all', '--port', '0']
]

describe('home › a file in its place', () => {
  it('is named, by commands and by createEngine', async () => {
    const { folder } = await homeIn()
    const file = join(folder, 'file')
    writeFileSync(file, '')
    for (const home of [file, join(file, 'below')]) {
      const found = new RegExp(`wanted a folder at ${home}, found a file( in its way)?; give another --home`)
      const said = await Promise.all(
        [['queues'], ['start', 'a.yaml']].map((argv) => told(folder, undefined, ...argv, '--home', home))
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
    const doctor = await told(folder, undefined, 'doctor', '--home', file)
    expect(doctor.code).to.equal(2)
    expect(doctor.text).to.match(/^error .*found a file$/m)
    expect((await told(folder, undefined, 'dry', 'a.yaml', '--home', file)).text).to.contain(
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
      const { code, text } = await told(folder, undefined, 'start-all', '--port', '0', '--home', home)
      expect(text).to.match(found)
      expect(text).to.not.contain('unexpected')
      expect(code).to.equal(1)
      if (what !== 'the write-ahead file') return
      const doctor = await told(folder, undefined, 'doctor', '--home', home)
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
      const refused = await told(folder, undefined, 'start', 'a.yaml', '--home', home)
      expect(refused).to.deep.equal({ code: 1, text: `Error: ${found}; give another ${key}\n` })
      expect((await told(folder, undefined, 'queues', '--home', home)).code).to.equal(0)
      const doctor = await told(folder, undefined, 'doctor', '--json', '--home', home)
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

describe('home › of another user', () => {
  before(function () {
    if (process.getuid?.() !== 0) this.skip() // only root can become another user
    if (!isOpenToAll(dirname(PROGRAM))) this.skip() // another user could not run the program where it is
  })

  it('a definitions folder that may not be read is a finding of the doctor', async () => {
    const { folder, home } = await homeIn()
    const dags = join(home, 'dags')
    mkdirSync(dags, { recursive: true })
    execFileSync('chown', ['-R', `${NOBODY}`, home])
    chmodSync(dags, 0o000)
    const { code, text } = await told(folder, NOBODY, 'doctor', '--home', home)
    expect(text).to.match(/^error .*the definitions folder \S+ cannot be read: permission denied$/m)
    expect(code).to.equal(2)
  })

  it('one that may not be read is named, and not said to be empty', async () => {
    const { folder, home } = await homeIn()
    const said = await Promise.all(
      [...READING, ...WRITING].map((argv) => told(folder, NOBODY, ...argv, '--home', home))
    )
    for (const { code, text } of said) {
      expect(code).to.equal(1)
      expect(text).to.match(
        /^Error: wanted a folder that you may (read|write) at \S+, found one of the user with id 0, mode 0700, and you are 65534 \(EACCES\); run troupe as its owner, .*\n$/
      )
      expect(text).to.contain(` at ${home}, `)
    }
    const doctor = await told(folder, NOBODY, 'doctor', '--home', home)
    expect(doctor.code).to.equal(2)
    expect(doctor.text).to.contain('wanted a folder that you may read')
  })

  it('one that may only be read can be looked at, and is refused to those who write', async () => {
    const { folder, home } = await homeIn()
    for (const [path, mode] of [
      [home, 0o755],
      [join(home, 'data'), 0o755],
      [join(home, 'data', 'troupe.mdb'), 0o644]
    ] as const)
      chmodSync(path, mode)
    expect(await told(folder, NOBODY, 'queues', '--home', home)).to.include({ code: 0 })
    const said = await Promise.all(WRITING.map((argv) => told(folder, NOBODY, ...argv, '--home', home)))
    for (const { code, text } of said) {
      expect(code).to.equal(1)
      expect(text).to.contain(`wanted a folder that you may write at ${home}/data, found one of the user with id 0`)
    }
  })

  it('one that is closed to changes but for what is in it can be used', async () => {
    const { folder, home } = await homeIn()
    const own = join(folder, 'own')
    cpSync(home, own, { recursive: true })
    for (const name of ['dags', 'logs', 'suspend']) mkdirSync(join(own, name), { recursive: true })
    for (const path of ['data', 'logs', 'data/troupe.mdb', 'data/troupe.mdb-lock', 'data/write-ahead'])
      chmodSync(join(own, path), 0o777)
    chmodSync(own, 0o755)
    const { code, text } = await told(folder, NOBODY, 'enqueue', 'a.yaml', '--home', own)
    expect(code, text).to.equal(0)
  })
})

describe('a file or folder of another user', () => {
  before(function () {
    if (process.getuid?.() !== 0) this.skip() // only root can become another user
    if (!isOpenToAll(dirname(PROGRAM))) this.skip() // another user could not run the program where it is
  })

  it('a definition, a logDir, an archive and the settings are refused in words, with the path', async () => {
    const { folder } = await homeIn()
    const [closed, home] = [join(folder, 'closed'), join(folder, 'own')]
    mkdirSync(closed, { mode: 0o755 }) // open to the eye, closed to changes
    mkdirSync(home)
    chownSync(home, NOBODY, NOBODY)
    const written = (name: string, text: string, mode = 0o644) => {
      writeFileSync(join(folder, name), text)
      chmodSync(join(folder, name), mode)
    }
    written('secret.yaml', 'steps: [echo a]', 0o600)
    const reading = 'the file cannot be read: permission denied'
    expect((await told(folder, NOBODY, 'validate', 'secret.yaml', '--home', home)).text).to.equal(
      `- secret.yaml: ${reading}\n`
    )
    written('logs.yaml', `{logDir: ${closed}, steps: [echo a]}`)
    const logs = await told(folder, NOBODY, 'start', 'logs.yaml', '--run-id', 'r1', '--home', home)
    expect(logs.text).to.contain(`Error: field 'logDir': ${closed}/r1 cannot be made: permission denied\n`)
    const config = `{type: archive, config: {source: ${folder}/logs.yaml, destination: ${closed}/x.tar}}`
    written('pack.yaml', `steps: [{name: pack, command: create, executor: ${config}}]`)
    const pack = await told(folder, NOBODY, 'start', 'pack.yaml', '--home', home)
    expect(pack.text).to.contain(`destination "${closed}/x.tar" cannot be written: permission denied\n`)
    written('config.yaml', 'port: 1', 0o600)
    const settings = await told(folder, NOBODY, 'queues', '--config', 'config.yaml', '--home', home)
    expect(settings.text).to.equal(`Error: ${folder}/config.yaml: cannot be read: permission denied\n`)
  })
})

describe('working directory › of another user', () => {
  before(function () {
    if (process.getuid?.() !== 0) this.skip() // only root can become another user
    if (!isOpenToAll(dirname(PROGRAM))) this.skip() // another user could not run the program where it is
  })

  it('4.4.3, 4.4.4 one that may not be entered fails the run, or the step: no condition of theirs counts as not met', async () => {
    const { folder } = await homeIn()
    const [closed, home] = [join(folder, 'closed'), join(folder, 'own')]
    mkdirSync(closed, { mode: 0o700 })
    mkdirSync(home)
    chownSync(home, NOBODY, NOBODY)
    const written = (text: string) => writeFileSync(join(folder, 'a.yaml'), text, { mode: 0o644 })
    const why = `the working directory ${closed} cannot be entered: permission denied`
    written(`{workingDir: ${closed}, preconditions: ["true"], steps: [{command: pwd, preconditions: ["true"]}]}`)
    const whole = await told(folder, NOBODY, 'start', 'a.yaml', '--home', home)
    expect(whole.code).to.equal(1)
    expect(whole.text).to.contain(`│  ${why}\n`).and.to.contain('○ cmd_1  not started')
    written(`steps: [{command: pwd, dir: ${closed}, preconditions: ["true"]}]`)
    const step = await told(folder, NOBODY, 'start', 'a.yaml', '--home', home)
    expect(step.code).to.equal(1)
    expect(step.text).to.contain(`✗ cmd_1  failed`).and.to.contain(`  ${why}\n`)
  })
})
