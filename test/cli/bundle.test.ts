/** The program as it is packaged: a few files for each command, made by `src/cli/bundle.mjs`. Source: performance 5. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { eventually } from '../support/waiting.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const packaged = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const MAIN = join(root, packaged.bin.troupe)

/** What `file` imports at once, by the names written; files of the bundle as paths. `import()` is not followed. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm
  )) {
    if (from.startsWith('.')) importsOf(resolve(dirname(file), from), seen)
    else seen.add(from)
  }
  return seen
}

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

describe('the program as it is packaged', function () {
  this.timeout(60_000)
  const folder = temporaryFolder()
  const env = { PATH: process.env.PATH, HOME: folder, SHELL: '/bin/sh', ENGINE_HOME: join(folder, 'home') }
  const troupe = (...argv: string[]) =>
    promisify(execFile)(process.execPath, [MAIN, ...argv], { cwd: folder, env: { ...env, GIVEN: 'hidden-value' } })

  before(() => {
    execFileSync(process.execPath, [join(root, 'src/cli/bundle.mjs')])
  })

  it('is what package.json names and ships', () => {
    expect(packaged.files).to.include(dirname(packaged.bin.troupe))
    expect(readFileSync(MAIN, 'utf8')).to.match(/^#!\/usr\/bin\/env node\n/)
  })
  it('loads nothing for a command that it does not need', () => {
    const files = [...importsOf(MAIN)]
    expect(files.filter((name) => !name.startsWith(dirname(MAIN)))).to.deep.equal(['node:util'])
  })
  it('has the version of the package', async () => {
    expect((await troupe('version')).stdout.trim()).to.contain(packaged.version)
  })
  it('finds its workers and programs where they were written', async () => {
    mkdirSync(join(folder, 'in'))
    writeFileSync(join(folder, 'in', 'a.txt'), 'a')
    writeFileSync(join(folder, 'flow.yaml'), DEFINITION)
    const { stdout } = await troupe('start', 'flow.yaml', '-r', 'r1')
    expect(stdout).to.match(/✓ query {2}succeeded/)
    const run = JSON.parse((await troupe('status', 'flow', '--json')).stdout)
    expect(run).to.include({ dagRunId: 'r1', statusLabel: 'succeeded' })
    expect(readFileSync(run.nodes[2].stdout, 'utf8')).to.equal('******* and 41\n')
    expect(readFileSync(join(folder, 'packed.tar.gz')).length).to.be.above(0)
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
