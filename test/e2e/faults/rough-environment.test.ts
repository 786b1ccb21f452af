/** A server in an environment that lacks something or changes under it: it stays up, works, and says what it cannot do. Source: reliability 3, 5. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { oneIn } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
/** As it is installed, which starts faster than the modules that it is made of. */
const MAIN = 'dist/bin/troupe.js'
const PATIENCE_MS = 30_000

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

interface Details {
  statusLabel: string
  error: string
  nodes: { statusLabel: string; error: string }[]
}

/**
 * @param before a command that becomes the server: its words are followed by those of the server
 * @param root where the program is
 */
async function server(
  before: string[],
  {
    folder = temporaryFolder(),
    environment = {},
    root = ROOT,
    stdio = 'ignore' as 'ignore' | 'pipe'
  }: { folder?: string; environment?: Record<string, string>; root?: string; stdio?: 'ignore' | 'pipe' } = {}
) {
  const port = await freePort()
  const home = join(folder, 'home')
  const [program = '', ...words] = [...before, process.execPath, join(root, MAIN), 'start-all', '--port', `${port}`]
  const env = { PATH: process.env.PATH, HOME: folder, SHELL: '/bin/sh', ENGINE_HOME: home, ...environment }
  const child = spawn(program, words, { cwd: folder, env, stdio })
  children.push(child)
  const api = `http://127.0.0.1:${port}/api/v2`
  const health = () => fetch(`${api}/health`, { headers: { connection: 'close' } }).then(({ status }) => status)
  await eventually('a server', () => health().catch(() => undefined), PATIENCE_MS)
  const details = async (name: string, id: string): Promise<Details> =>
    ((await (await fetch(`${api}/dag-runs/${name}/${id}`)).json()) as { dagRunDetails: Details }).dagRunDetails
  async function start(spec: string): Promise<() => Promise<Details>> {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${api}/dag-runs`, { method: 'POST', headers, body: JSON.stringify({ spec }) })
    const { dagRunId } = (await answer.json()) as { dagRunId: string }
    const name = /^name: (\S+)$/m.exec(spec)?.[1] ?? ''
    return () =>
      eventually(
        `the end of ${name}`,
        async () => {
          const found = await details(name, dagRunId).catch(() => undefined)
          return found && !/running|queued/.test(found.statusLabel) ? found : undefined
        },
        PATIENCE_MS
      )
  }
  const run = async (spec: string) => (await start(spec))()
  return { child, port, folder, home, api, health, start, run }
}

const PLAIN = 'name: plain\nsteps:\n  - echo one\n  - {name: two, script: "echo two\\necho three"}\n'
const inParallel = (count: number) =>
  `name: many\ntype: graph\nsteps:\n${Array.from({ length: count }, (_, n) => `  - {name: s${n}, command: sleep 0.2}\n`).join('')}`

describe('a server whose streams are closed', () => {
  it('stdin, stdout and stderr are closed when it starts', async () => {
    const { run, health } = await server(['sh', '-c', 'exec "$@" <&- >&- 2>&-', 'sh'])
    expect((await run(PLAIN)).statusLabel).to.equal('succeeded')
    expect(await health()).to.equal(200)
  })
  it('the reader of its pipes goes away', async () => {
    const { run, health, child } = await server([], { stdio: 'pipe' })
    child.stdout?.destroy()
    child.stderr?.destroy()
    for (let count = 0; count < 2; count++) expect((await run(PLAIN)).statusLabel).to.equal('succeeded')
    expect(await health()).to.equal(200)
  })
})

describe('a server with a temporary folder that is full and executes nothing', () => {
  it('plain steps and scripts work', async function () {
    if (spawnSync('unshare', ['-rm', 'true']).status !== 0) this.skip() // no namespaces here
    const full =
      'mount -t tmpfs -o size=16k,noexec tmpfs "$TMPDIR" && ! head -c 32768 /dev/zero >"$TMPDIR/fill" && exec "$@"'
    const { run } = await server(['unshare', '-rm', 'sh', '-c', full, 'sh'], {
      environment: { TMPDIR: temporaryFolder() }
    })
    expect((await run(PLAIN)).statusLabel).to.equal('succeeded')
  })
})

describe('a server with few of what the system counts', () => {
  it('128 files: 400 connections and 40 steps at once do not end it, and afterwards it works', async () => {
    const { run, start, health, port } = await server(['sh', '-c', 'ulimit -n 128; exec "$@"', 'sh'])
    const many = await start(inParallel(40))
    const sockets: Socket[] = Array.from({ length: 400 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    await wait(500)
    for (const socket of sockets) socket.destroy()
    await eventually(
      'health',
      () =>
        health().then(
          (status) => status === 200 || undefined,
          () => undefined
        ),
      PATIENCE_MS
    )
    await many()
    expect((await run(PLAIN)).statusLabel).to.equal('succeeded')
  })
  it('few processes: a run of 30 steps at once ends by itself, and later ones work', async function () {
    const user = ['setpriv', '--reuid', '54321', '--regid', '54321', '--clear-groups']
    const [program = '', ...words] = user
    const mayRead = () => spawnSync(program, [...words, 'test', '-r', join(ROOT, MAIN)]).status === 0
    if (process.getuid?.() !== 0 || !mayRead()) this.skip() // the limit holds for no administrator
    const folder = temporaryFolder()
    chownSync(folder, 54_321, 54_321)
    const { run, health } = await server([...user, 'prlimit', '--nproc=24:24'], { folder })
    const { nodes } = await run(inParallel(30))
    expect(nodes).to.have.length(30)
    expect((await run(PLAIN)).statusLabel).to.equal('succeeded')
    expect(await health()).to.equal(200)
  })
})

describe('a server whose program is removed under it', () => {
  it('what runs ends well, plain runs go on, the rest is answered with an error', async () => {
    const root = temporaryFolder()
    for (const part of ['package.json', 'dist/bin', 'dist/lib', 'dist/launcher'])
      cpSync(join(ROOT, part), join(root, part), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    const { run, start, health, folder, api } = await server([], { root })
    const going = await start(
      `name: going\nsteps:\n  - touch ${folder}/at; while [ ! -e ${folder}/go ]; do sleep 0.05; done\n  - echo on\n`
    )
    await eventually('the step', () => existsSync(join(folder, 'at')) || undefined)
    rmSync(root, { recursive: true })
    writeFileSync(join(folder, 'go'), '')
    expect((await going()).statusLabel).to.equal('succeeded')
    expect((await run(PLAIN)).statusLabel).to.equal('succeeded')
    // What is loaded late is not there any more.
    const spec = "name: asks\nsteps:\n  - {name: a, executor: jq, command: .a, script: '{}'}\n"
    const asks = await fetch(`${api}/dag-runs`, { method: 'POST', body: JSON.stringify({ spec }) })
    expect(asks.status).to.equal(400)
    expect(await asks.text()).to.contain('needs the package jq-wasm, which is not installed')
    expect((await fetch(`${api}/openapi.json`)).status).to.be.oneOf([200, 500, 503])
    expect(await health()).to.equal(200)
  })
})

describe('an installation without a launcher that can be executed', () => {
  const root = temporaryFolder()
  const home = temporaryFolder()
  before(() => {
    for (const part of ['package.json', 'dist/bin', 'dist/lib'])
      cpSync(join(ROOT, part), join(root, part), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    mkdirSync(join(home, 'dags'))
    writeFileSync(join(home, 'dags', 'plain.yaml'), PLAIN)
  })
  const troupe = (...words: string[]) => {
    const env = { PATH: process.env.PATH, ENGINE_HOME: home }
    return spawnSync(process.execPath, [join(root, MAIN), ...words], {
      cwd: home,
      env,
      encoding: 'utf8',
      timeout: PATIENCE_MS
    })
  }

  for (const words of oneIn(2, [
    ['start-all', '--port', '0'],
    ['server', '--port', '0'],
    ['scheduler'],
    ['worker'],
    ['start', 'plain']
  ]))
    it(`troupe ${words[0]} is refused: what was wanted, what was found, and what to do`, () => {
      const { status, stderr } = troupe(...words)
      expect(stderr).to.contain(
        `local steps: wanted a troupe-launcher for ${process.platform}-${process.arch}, found none in ${root}/dist/launcher/: make build compiles it in a checkout of Troupe, with a C compiler`
      )
      expect(status).to.equal(1)
    })
  for (const words of oneIn(2, [['list'], ['validate', 'dags/plain.yaml'], ['config'], ['dry', 'plain'], ['doctor']]))
    it(`troupe ${words[0]} works: it runs no step`, () => {
      const { status, stdout, stderr } = troupe(...words)
      expect([status, stderr], stdout).to.deep.equal([0, ''])
    })
})

describe('a server that is paused and resumed', () => {
  it('the end of a step and a time limit that passed meanwhile are reported correctly, and requests are answered', async () => {
    const { start, health, child, folder } = await server([])
    const ends = await start(`name: ends\nsteps:\n  - touch ${folder}/a; sleep 1; exit 3\n`)
    const limited = await start(`name: limited\ntimeoutSec: 2\nsteps:\n  - touch ${folder}/b; sleep 60\n`)
    await eventually(
      'both',
      () => (existsSync(join(folder, 'a')) && existsSync(join(folder, 'b'))) || undefined,
      PATIENCE_MS
    )
    child.kill('SIGSTOP')
    await wait(3_000)
    child.kill('SIGCONT')
    expect(await health()).to.equal(200)
    const { nodes } = await ends()
    expect(nodes[0]?.error).to.equal('failed to execute step "cmd_1": exit status 3')
    expect((await limited()).statusLabel).to.equal('failed')
  })
})

describe('other users of the machine', () => {
  it('reach no log, no store and no socket, in a home that was open to them neither', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'home'), { mode: 0o755 })
    const { run, home } = await server(['sh', '-c', 'umask 022; exec "$@"', 'sh'], { folder })
    expect((await run(PLAIN)).statusLabel).to.equal('succeeded')
    // Below a folder that they cannot enter nobody looks further. That of definitions is for files that others write, with modes of their own.
    const parents = execFileSync('find', [home, '-mindepth', '1', '-maxdepth', '1', '-perm', '/007'], {
      encoding: 'utf8'
    })
    expect(parents.trim()).to.equal(join(home, 'dags'))
  })
})
