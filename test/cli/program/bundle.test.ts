/** The program as it is packaged: a few files and their compiled code, made by `make build`: not made again here, since other tests start it meanwhile. Source: performance 5. */
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { compile } from '../../../src/cli/program/compiled.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const packaged = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const MAIN = join(root, packaged.bin.troupe)
const PROGRAM = join(dirname(MAIN), 'program')

const DEFINITION = `
secrets:
  - name: S
    provider: env
    key: GIVEN
steps:
  - name: query
    executor: jq
    command: .a
    script: '{"a": 41}'
    output: A
  - name: pack
    executor:
      type: archive
      config: {source: in, destination: packed.tar.gz}
    command: create
  - name: show
    command: echo "$S and $A"
`

/** Steps whose packages are loaded when one runs; no server listens there. */
const NOBODY = 'nobody@127.0.0.1'
const LATE = `
type: graph
smtp: {host: 127.0.0.1, port: "1"}
steps:
  - {name: http, executor: http, command: "GET http://127.0.0.1:1/"}
  - {name: mail, executor: {type: mail, config: {from: ${NOBODY}, to: ${NOBODY}, subject: s, message: m}}}
  - {name: ssh, executor: {type: ssh, config: {user: a, host: 127.0.0.1, port: "1", password: p, strictHostKey: false}}, command: ls}
  - {name: docker, executor: {type: docker, config: {image: none}}, command: ls}
`

describe('the program as it is packaged', function () {
  this.timeout(60_000)
  const folder = temporaryFolder()
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SHELL: '/bin/sh',
    ENGINE_HOME: join(folder, 'home'),
    DOCKER_HOST: 'tcp://127.0.0.1:1'
  }
  const troupe = (...argv: string[]) =>
    promisify(execFile)(process.execPath, [MAIN, ...argv], { cwd: folder, env: { ...env, GIVEN: 'hidden-value' } })

  it('is what package.json names and ships', () => {
    expect(packaged.files).to.include(dirname(packaged.bin.troupe))
    expect(readFileSync(MAIN, 'utf8')).to.match(/^#!\/usr\/bin\/env node\n/)
  })
  it('is started by a file that loads nothing but Node', () => {
    const froms = [...readFileSync(MAIN, 'utf8').matchAll(/\brequire\(['"]([^'"]+)['"]\)/g)]
    expect(froms.length).to.be.above(0)
    for (const [, from] of froms) expect(from).to.match(/^node:/)
  })
  it('has its compiled code beside it, which is used and left as it is', async () => {
    const files = readdirSync(PROGRAM).filter((name) => name.endsWith('.cjs'))
    expect(files).to.have.members(['main.cjs', 'reading.cjs', 'definitions.cjs', 'running.cjs'])
    for (const file of files)
      expect(compile(join(PROGRAM, file)), file)
        .to.deep.include({ wanted: false })
        .and.have.nested.property('script.cachedDataRejected', false)
    const others = readdirSync(PROGRAM)
    await troupe('version')
    expect(readdirSync(PROGRAM)).to.deep.equal(others)
  })
  it('has the licence of every package in it', () => {
    const list: { name: string }[] = JSON.parse(readFileSync(join(root, 'dist/bundled/program.json'), 'utf8'))
    const names = new Set(list.map(({ name }) => name))
    expect(names).to.include.keys('koa', 'xstate', 'yaml')
    const texts = readFileSync(join(dirname(MAIN), 'LICENSES.txt'), 'utf8').split(`\n${'-'.repeat(72)}\n`)
    for (const name of names) {
      const text = texts.find((one) => new RegExp(`^${name} \\d`, 'm').test(one))
      expect(text, name).to.match(/copyright|permission is hereby granted|its package.json says/i)
    }
  })
  it('has the version of the package', async () => {
    expect((await troupe('version')).stdout.trim()).to.contain(packaged.version)
  })
  it('finds its workers and programs where they were written', async () => {
    mkdirSync(join(folder, 'in'))
    writeFileSync(join(folder, 'in', 'a.txt'), 'a')
    writeFileSync(join(folder, 'flow.yaml'), DEFINITION)
    const { stdout, stderr } = await troupe('start', 'flow.yaml', '-r', 'r1')
    expect(stderr).to.match(/✓ query {2}succeeded/)
    expect(stdout).to.contain('******* and 41\n')
    const run = JSON.parse((await troupe('status', 'flow', '--json')).stdout)
    expect(run).to.include({ dagRunId: 'r1', statusLabel: 'succeeded' })
    expect(readFileSync(run.nodes[2].stdout, 'utf8')).to.equal('******* and 41\n')
    expect(readFileSync(join(folder, 'packed.tar.gz')).length).to.be.above(0)
  })
  it('reads what a command needs: of the arguments only, of a home that is read, or all', async () => {
    // A file of the program is read with Node's function.
    const told = join(folder, 'told.cjs')
    writeFileSync(
      told,
      `const fs = require('node:fs')
      const { readFileSync } = fs
      fs.readFileSync = (...read) => {
        if (/program.\\w+\\.cjs$/.test(read[0])) fs.writeSync(2, '@' + read[0].split(/\\W/).at(-2) + '\\n')
        return readFileSync(...read)
      }`
    )
    const readBy = async (...argv: string[]) => {
      const options = { cwd: folder, env: { ...env, NODE_OPTIONS: `--require=${told}` } }
      const { stderr } = await promisify(execFile)(process.execPath, [MAIN, ...argv], options)
      return [...stderr.matchAll(/^@(\w+)$/gm)].map(([, name]) => name)
    }
    for (const words of ['--version', 'version --json', '--help', 'status --help'])
      expect(await readBy(...words.split(' ')), words).to.deep.equal(['main'])
    for (const words of ['status flow', 'runs', 'list', 'logs flow', 'queues', 'waiting'])
      expect(await readBy(...words.split(' ')), words).to.deep.equal(['main', 'reading', 'definitions'])
    writeFileSync(join(folder, 'plain.yaml'), 'steps: ["true"]\n')
    expect(await readBy('start', 'plain.yaml')).to.deep.equal(['main', 'reading', 'definitions', 'running'])
  })
  it('loads late what few steps need', async () => {
    writeFileSync(join(folder, 'late.yaml'), LATE)
    const started = await troupe('start', 'late.yaml', '-r', 'r2').catch((error) => error)
    expect(started.code).to.equal(1)
    const { nodes } = JSON.parse((await troupe('status', 'late', '--json')).stdout)
    for (const { step, stderr } of nodes)
      expect(readFileSync(stderr, 'utf8'), step.name).to.match(/127\.0\.0\.1:1|ECONNREFUSED/)
  })
  it('serves the API', async () => {
    const server = spawn(process.execPath, [MAIN, 'start-all', '--json', '--port', '0'], { cwd: folder, env })
    try {
      let written = ''
      server.stdout.setEncoding('utf8').on('data', (text: string) => {
        written += text
      })
      const line = await eventually('a server', () => (written.endsWith('\n') ? written : undefined))
      const { address } = JSON.parse(line)
      const health = (await (await fetch(`${address}/api/v2/health`)).json()) as { version: string }
      expect(health).to.deep.include({ status: 'healthy', version: packaged.version })
      expect((await fetch(`${address}/api/v2/dag-runs`)).status).to.equal(200)
      const metrics = await (await fetch(`${address}/api/v2/metrics`)).text()
      expect(metrics).to.contain('build_date=')
    } finally {
      server.kill('SIGTERM')
      await new Promise((resolve) => server.on('close', resolve))
    }
  })
})
