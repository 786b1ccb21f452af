/** Homes, files and working directories of another user are refused with what was found, where, and how to fix it. Source: reliability P6, P22; execution-semantics 4.4. */
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { PROGRAM } from '../support/cli/program.ts'
import { homeIn, outcomeOf } from '../support/cli/used-homes.ts'

const NOBODY = 65_534

/** Whether everybody may enter a folder, and those that it is in. */
const isOpenToAll = (folder: string): boolean =>
  (statSync(folder).mode & 0o001) !== 0 && (dirname(folder) === folder || isOpenToAll(dirname(folder)))

function skipUnlessRoot(this: Mocha.Context): void {
  if (process.getuid?.() !== 0) this.skip() // only root can become another user
  if (!isOpenToAll(dirname(PROGRAM))) this.skip() // another user could not run the program where it is
}

const READING = [['status', 'a'], ['queues'], ['events', 'a'], ['backup', 'b']]
const WRITING = [
  ['start', 'a.yaml'],
  ['enqueue', 'a.yaml'],
  ['start-all', '--port', '0']
]

describe('home › of another user', () => {
  before(skipUnlessRoot)

  it('a definitions folder that may not be read is a finding of the doctor', async () => {
    const { folder, home } = await homeIn()
    const dags = join(home, 'dags')
    mkdirSync(dags, { recursive: true })
    execFileSync('chown', ['-R', `${NOBODY}`, home])
    chmodSync(dags, 0o000)
    const { code, text } = await outcomeOf(folder, NOBODY, 'doctor', '--home', home)
    expect(text).to.match(/^error .*the definitions folder \S+ cannot be read: permission denied$/m)
    expect(code).to.equal(2)
  })

  it('one that may not be read is named, and not said to be empty', async () => {
    const { folder, home } = await homeIn()
    const said = await Promise.all(
      [...READING, ...WRITING].map((argv) => outcomeOf(folder, NOBODY, ...argv, '--home', home))
    )
    for (const { code, text } of said) {
      expect(code).to.equal(1)
      expect(text).to.match(
        /^Error: wanted a folder that you may (read|write) at \S+, found one of the user with id 0, mode 0700, and you are 65534 \(EACCES\); run troupe as its owner, .*\n$/
      )
      expect(text).to.contain(` at ${home}, `)
    }
    const doctor = await outcomeOf(folder, NOBODY, 'doctor', '--home', home)
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
    // What the latest engine has not stored, if it left any.
    writeFileSync(join(home, 'data', 'write-ahead'), '', { mode: 0o600 })
    expect(await outcomeOf(folder, NOBODY, 'queues', '--home', home)).to.include({ code: 0 })
    const said = await Promise.all(WRITING.map((argv) => outcomeOf(folder, NOBODY, ...argv, '--home', home)))
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
    const { code, text } = await outcomeOf(folder, NOBODY, 'enqueue', 'a.yaml', '--home', own)
    expect(code, text).to.equal(0)
  })
})

describe('a file or folder of another user', () => {
  before(skipUnlessRoot)

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
    expect((await outcomeOf(folder, NOBODY, 'validate', 'secret.yaml', '--home', home)).text).to.equal(
      `- secret.yaml: ${reading}\n`
    )
    written('logs.yaml', `{logDir: ${closed}, steps: [echo a]}`)
    const logs = await outcomeOf(folder, NOBODY, 'start', 'logs.yaml', '--run-id', 'r1', '--home', home)
    expect(logs.text).to.contain(`Error: field 'logDir': ${closed}/r1 cannot be made: permission denied\n`)
    const config = `{type: archive, config: {source: ${folder}/logs.yaml, destination: ${closed}/x.tar}}`
    written('pack.yaml', `steps: [{name: pack, command: create, executor: ${config}}]`)
    const pack = await outcomeOf(folder, NOBODY, 'start', 'pack.yaml', '--home', home)
    expect(pack.text).to.contain(`destination "${closed}/x.tar" cannot be written: permission denied\n`)
    written('config.yaml', 'port: 1', 0o600)
    const settings = await outcomeOf(folder, NOBODY, 'queues', '--config', 'config.yaml', '--home', home)
    expect(settings.text).to.equal(`Error: ${folder}/config.yaml: cannot be read: permission denied\n`)
  })
})

describe('working directory › of another user', () => {
  before(skipUnlessRoot)

  it('4.4.3, 4.4.4 one that may not be entered fails the run, or the step: no condition of theirs counts as not met', async () => {
    const { folder } = await homeIn()
    const [closed, home] = [join(folder, 'closed'), join(folder, 'own')]
    mkdirSync(closed, { mode: 0o700 })
    mkdirSync(home)
    chownSync(home, NOBODY, NOBODY)
    const written = (text: string) => writeFileSync(join(folder, 'a.yaml'), text, { mode: 0o644 })
    const why = `the working directory ${closed} cannot be entered: permission denied`
    written(`{workingDir: ${closed}, preconditions: ["true"], steps: [{command: pwd, preconditions: ["true"]}]}`)
    const whole = await outcomeOf(folder, NOBODY, 'start', 'a.yaml', '--home', home)
    expect(whole.code).to.equal(1)
    expect(whole.text).to.contain(`│  ${why}\n`).and.to.contain('○ cmd_1  not started')
    written(`steps: [{command: pwd, dir: ${closed}, preconditions: ["true"]}]`)
    const step = await outcomeOf(folder, NOBODY, 'start', 'a.yaml', '--home', home)
    expect(step.code).to.equal(1)
    expect(step.text).to.contain(`✗ cmd_1  failed`).and.to.contain(`  ${why}\n`)
  })
})
