/** A backup of the home of a server elsewhere: an archive, or nothing. Source: docs/cli.md, docs/http-api.md "The home of the server". */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { extract } from 'tar'
import { called } from '../../support/cli/called.ts'
import { program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

const FLOW = 'steps:\n  - name: greet\n    command: echo hi\n  - name: flaky\n    command: "false"\n'
const TOKEN = { ENGINE_AUTH_TOKEN: 'sesame' }

describe('troupe --url › backup', function () {
  this.timeout(120_000)
  const there = temporaryFolder()
  const here = temporaryFolder()
  let server: RunningServer
  before(async () => {
    mkdirSync(join(there, 'dags'))
    writeFileSync(join(there, 'dags', 'flow.yaml'), FLOW)
    server = await runningServer({ ENGINE_TZ: 'UTC', ...TOKEN }, { folder: there })
    expect((await as('start', 'flow', '-r', 'r1', '-q')).code).to.equal(1)
  })
  after(() => server.end())

  function run(environment: Record<string, string>, folder: string, ...argv: string[]) {
    return called(folder, { ENGINE_TZ: 'UTC', ...environment }, ...argv)
  }
  const as = (...argv: string[]) => run({ ENGINE_HOME: here, ...TOKEN }, here, ...argv, '--url', server.address)
  const locally = (...argv: string[]) => run({ ENGINE_HOME: there }, there, ...argv)

  it('backup makes an archive of the home while it is served: unpacked it is a backup that can be restored', async () => {
    const file = join(here, 'home.tar')
    const taken = await as('backup', file)
    expect([taken.code, taken.err]).to.deep.equal([0, ''])
    expect(taken.out).to.match(
      /^\S+home\.tar: \d+ runs?, \d+ files, \d+\.\d MiB; every entry was read, while an engine was running\n$/
    )
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    const folder = join(here, 'unpacked')
    mkdirSync(folder)
    await extract({ file, cwd: folder })
    const near = join(here, 'near')
    expect((await locally('backup', near)).code).to.equal(0)
    expect(filesIn(folder)).to.deep.equal(filesIn(near))
    const other = temporaryFolder()
    const restored = await run({ ENGINE_HOME: other }, other, 'restore', folder)
    expect(restored.code, restored.err).to.equal(0)
    expect((await run({ ENGINE_HOME: other }, other, 'status', 'r1')).out).to.match(/✗ flaky +failed/)

    const again = await as('backup', file)
    expect(again.err).to.equal(`Error: ${file} exists already: name a file that does not\n`)
    const bare = JSON.parse((await as('backup', join(here, 'bare.tar'), '--no-logs', '--json')).out)
    expect(bare).to.deep.include({ backup: join(here, 'bare.tar'), live: true, problems: [] })
    expect(bare.files).to.be.lessThan(filesIn(folder).length)
    expect((await as('backup', join(here, 'no', 'such'))).err).to.match(/^Error: the backup could not be written: /)
    expect(leftThere()).to.deep.equal([])
  })

  it('one backup is taken at a time, the server goes on meanwhile, and a reader that goes away ends it', async () => {
    // More than fits between the two sides.
    writeFileSync(join(there, 'logs', 'large'), Buffer.alloc(64 * 1024 ** 2, 'x'))
    const first = await asked()
    expect(first.statusCode).to.equal(200)
    expect(leftThere()).to.deep.equal(['backup.sending'])
    const second = await as('backup', join(here, 'second.tar'))
    expect([second.code, second.err]).to.deep.equal([
      1,
      'Error: a backup is being taken already: ask again when it was sent\n'
    ])
    expect((await as('status', 'r1')).code).to.equal(0)
    first.destroy()
    await eventually('nothing is left', () => (leftThere().length === 0 ? true : undefined))
    const interrupted = program(
      here,
      { ENGINE_HOME: here, ENGINE_AUTH_TOKEN: 'sesame' },
      'backup',
      'third.tar',
      '--url',
      server.address
    )
    await eventually('it has begun', () => (existsSync(join(here, 'third.tar.unfinished')) ? true : undefined))
    interrupted.child.kill('SIGINT')
    // It may have been faster.
    if ((await interrupted.code) === 130) {
      expect(interrupted.written.err).to.equal('interrupted: nothing was kept\n')
      expect(readdirSync(here).filter((name) => name.startsWith('third'))).to.deep.equal([])
    } else expect(existsSync(join(here, 'third.tar'))).to.equal(true)
    await eventually('nothing is left', () => (leftThere().length === 0 ? true : undefined))
    expect(server.written.err).not.to.contain('/services/backup failed')
  })
  it('backup of a home in a folder that is copied is refused by name: it would contain itself', async () => {
    const folder = temporaryFolder()
    const nested = await runningServer({ ENGINE_DAGS_DIR: folder }, { folder })
    try {
      const target = join(here, 'nested.tar')
      const { code, err } = await run({ ENGINE_HOME: here }, here, 'backup', target, '--url', nested.address)
      expect([code, err]).to.deep.equal([
        1,
        `Error: the store of that server is in ${folder}, which is copied, so a copy beside it would contain itself: run troupe backup there, to a folder outside of it\n`
      ])
      expect(readdirSync(here).filter((name) => name.startsWith('nested'))).to.deep.equal([])
      expect(readdirSync(join(folder, 'data')).filter((name) => name.startsWith('backup'))).to.deep.equal([])
    } finally {
      await nested.end()
    }
  })
  itLong('a server that is killed while it sends a backup leaves nothing of it', async () => {
    const folder = temporaryFolder()
    const killed = await runningServer({}, { folder })
    mkdirSync(join(folder, 'logs'), { recursive: true })
    writeFileSync(join(folder, 'logs', 'large'), Buffer.alloc(64 * 1024 ** 2, 'x'))
    const left = () => readdirSync(join(folder, 'data')).filter((name) => name.startsWith('backup'))
    const answer = await asked(killed.address)
    answer.on('error', () => {}) // it breaks off
    expect(left()).to.deep.equal(['backup.sending'])
    killed.child.kill('SIGKILL')
    await killed.code
    await eventually('nothing is left', () => (left().length === 0 ? true : undefined))
    answer.destroy()
  })
  const leftThere = () => readdirSync(join(there, 'data')).filter((name) => name.startsWith('backup'))
  /** An answer that nobody reads. */
  const asked = (address = server.address) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { Authorization: 'Bearer sesame' }
      const sent = request(`${address}/api/v2/services/backup`, { method: 'POST', headers }, resolve)
      sent.on('error', reject)
      sent.end()
    })
  const filesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      // Records of steps that have just ended are removed a moment later.
      .filter((name) => statSync(join(folder, name)).isFile() && !/manifest\.json$|\.state$/.test(name))
      .sort()

  it('is refused by name where the copy would take the disk from the store', async function () {
    const folder = temporaryFolder()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=100m', 'tmpfs', folder], { stdio: 'pipe' })
    } catch {
      this.skip() // only root may
    }
    try {
      const small = await runningServer({}, { folder })
      try {
        mkdirSync(join(folder, 'logs'), { recursive: true })
        writeFileSync(join(folder, 'logs', 'large'), Buffer.alloc(20 * 1024 ** 2, 'x'))
        const target = join(here, 'small.tar')
        const url = ['--url', small.address]
        const { code, err } = await run({ ENGINE_HOME: here }, here, 'backup', target, ...url)
        expect(code).to.equal(1)
        expect(err).to.match(
          /^Error: a copy of the home needs \d+ MiB on the disk of its store, and \d+ MiB are free: free some, leave the logs out, /
        )
        expect(existsSync(target)).to.equal(false)
        expect((await run({ ENGINE_HOME: here }, here, 'backup', target, '--no-logs', ...url)).code).to.equal(0)
      } finally {
        await small.end()
      }
    } finally {
      execFileSync('umount', ['--lazy', folder])
    }
  })
})
