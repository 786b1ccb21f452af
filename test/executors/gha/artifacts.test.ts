/**
 * `artifacts` of gha steps: what an action stores, by the protocol; and with the client that actions use, where NODE_PATH names a folder
 * of packages that has it. Source: execution-semantics 10.9.2.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import type { Execution, Executor } from '../../../src/executors/executor.ts'
import { openExecutors } from '../../../src/executors/index.ts'
import { capturing } from '../../../src/executors/launcher/capture.ts'
import type { Launcher } from '../../../src/executors/launcher/launcher.ts'
import { textOf } from '../../support/engine/live.ts'
import { withNode, writeFiles } from '../../support/executors/actions.ts'
import { ACTION_CALLS } from '../../support/executors/artifacts.ts'
import { dockerService, IMAGE } from '../../support/executors/docker.ts'
import { benchOf } from '../../support/executors/executions.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const CLIENT = '@actions/artifact'
/** The folder of packages that has the client. */
const packagesWithClient = (): string | undefined =>
  createRequire(import.meta.url)
    .resolve.paths(CLIENT)
    ?.find((path) => existsSync(join(path, CLIENT)))

describe('gha executor › 10.9.2 artifacts', function () {
  this.timeout(60_000)
  const service = dockerService()
  const home = temporaryFolder()
  let executor: Executor
  const bench = benchOf(() => executor)
  const open = () => {
    const launcher = {} as Launcher // actions of a folder never ask it
    const engine = dockerEngine(home, service.environment, systemClock)
    const found = openExecutors(launcher, capturing(launcher, home), systemClock, engine).get('gha')
    if (found) return found
    throw new Error('there is no gha executor')
  }
  beforeEach(() => {
    executor = open()
  })
  const left = () => service.labelled(`troupe.owner=${textOf(join(home, 'container-owner')) || 'none'}`)
  afterEach(async () => {
    executor.close?.()
    expect(await left(), 'nothing is left').to.deep.equal([])
  })
  const runId = 'run-1'
  const folder = () => join(bench.folder, 'kept', runId)
  const given = (config: Execution['config'] = {}, run = runId): Partial<Execution> => ({
    words: ['./action'],
    container: { labels: { run: `dag/${run}` }, base: bench.folder },
    config: { runner: IMAGE, containerOptions: withNode(), artifacts: { path: 'kept' }, ...config }
  })
  const action = (main: string, using = 'runs: {using: node24, main: m.js}') =>
    writeFiles(bench.folder, { 'action/action.yml': using, 'action/m.js': `${ACTION_CALLS}${main}` })

  it('a process stores one, below the path, the id of the run and its name; another step of the run reads it', async () => {
    action(`(async () => { console.log((await store('report', 'a text')).ok) })()`)
    const stored = await bench.run(given())
    expect(stored, stored.err).to.include({ exitCode: 0, out: 'true\n' })
    expect(stored.err).to.include('artifact report: 6 bytes')
    expect(readFileSync(join(folder(), 'report', 'report.zip'), 'utf8')).to.equal('a text')
    expect(readdirSync(folder())).to.deep.equal(['report'])
    expect(statSync(join(folder(), 'report', 'report.zip')).uid).to.equal(process.getuid?.())

    action(`(async () => {
      const { artifacts } = await call('ListArtifacts', {})
      const { signedUrl } = await call('GetSignedArtifactURL', { name: artifacts[0].name })
      console.log(artifacts.length, await (await fetch(signedUrl)).text())
    })()`)
    expect((await bench.run(given())).out).to.equal('1 a text\n')
    const other = await bench.run(given({}, 'run-2'))
    expect(other.exitCode, 'that of another run is not there').to.equal(1)
    expect(existsSync(join(folder(), 'report', 'report.zip'))).to.equal(true)
  })
  it('a docker action has it too, with containerOptions of its network and on its own port', async () => {
    action(
      `(async () => { console.log(base, (await store('x', 'y')).ok, require('node:os').hostname()) })()`,
      `runs: {using: docker, image: "docker://${IMAGE}", entrypoint: node, args: [action/m.js]}`
    )
    const config = { artifacts: { path: 'kept', port: '4000' }, containerOptions: `${withNode()} --hostname own` }
    const run = await bench.run(given({ ...config, network: 'none' }))
    expect(run.out, run.err).to.equal('http://127.0.0.1:4000/ true own\n')
  })
  it('it is unreachable from outside the network of the step, and it is gone with the step', async () => {
    action(`setTimeout(() => {}, 60_000)`)
    const { running, outcome } = bench.start(given())
    const address = await eventually('its two containers', async () => {
      const found = (await left()).filter(({ State }) => State === 'running')
      const network = found.flatMap(({ NetworkSettings }) => Object.values(NetworkSettings?.Networks ?? {}))
      return found.length === 2 ? network.find(({ IPAddress }) => IPAddress)?.IPAddress : undefined
    })
    const reached = await fetch(`http://${address}:34567/`).then(
      ({ status }) => String(status),
      ({ cause }) => (cause as { code: string }).code
    )
    expect(reached, address).to.equal('ECONNREFUSED')
    running.stop('SIGKILL')
    expect(await outcome).to.include({ exitCode: -1 })
  })
  it('what has begun when the engine ends is removed with the rest, and is not in the way of the next attempt', async () => {
    action(`setTimeout(() => {}, 60_000)`)
    const { execution } = bench.start(given())
    await eventually('its two containers', async () =>
      (await left()).filter(({ State }) => State === 'running').length === 2 ? true : undefined
    )
    executor.close?.()
    executor = open()
    await executor.find(execution)?.ended.catch(() => {})
    await eventually('their removal', async () => ((await left()).length === 0 ? true : undefined))
    action(`(async () => { console.log((await store('again', 'z')).ok) })()`)
    expect((await bench.run(given())).out).to.equal('true\n')
  })
  it('a folder that cannot be made, and a runner without node, are said', async () => {
    writeFiles(bench.folder, { file: '' })
    action('')
    const run = await bench.run(given({ artifacts: { path: 'file' } }))
    expect(run.exitCode).to.equal(1)
    expect(run.err).to.match(/config\.artifacts\.path: .*file.* cannot be made: /)
    const without = await bench.run(given({ containerOptions: '' }))
    expect(without.err).to.match(/the artifact service cannot be started.*node/)
  })
  it('the client that actions use stores, lists, reads and deletes', async function () {
    const packages = packagesWithClient()
    if (!packages) return this.skip() // 190 MB in 200 packages: D633
    const main = `
import { DefaultArtifactClient } from '${CLIENT}'
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
mkdirSync('files/deep', { recursive: true })
const large = randomBytes(20_000_000)
writeFileSync('files/a.txt', 'text of a')
writeFileSync('files/deep/large', large)
const client = new DefaultArtifactClient()
const { id, size } = await client.uploadArtifact('results', ['files/a.txt', 'files/deep/large'], 'files')
const listed = await client.listArtifacts()
const { artifact } = await client.getArtifact('results')
await client.downloadArtifact(artifact.id, { path: 'read' })
const same = readFileSync('read/a.txt', 'utf8') === 'text of a' && readFileSync('read/deep/large').equals(large)
const deleted = await client.deleteArtifact('results')
await client.uploadArtifact('ignored', ['files/a.txt'], 'files', { skipArchive: true })
await client.downloadArtifact((await client.getArtifact('a.txt')).artifact.id, { path: 'raw' })
const raw = readFileSync('raw/a.txt', 'utf8')
console.log('RESULT ' + JSON.stringify([id === artifact.id, size > 20_000_000, listed.artifacts.length, same, deleted.id === id, raw]))
`
    writeFiles(bench.folder, { 'action/action.yml': 'runs: {using: node24, main: m.mjs}', 'action/m.mjs': main })
    const run = await bench.run(given({ containerOptions: `${withNode()} --volume ${packages}:/node_modules:ro` }))
    const result = /^RESULT (?<json>.*)$/m.exec(run.out)?.groups?.json
    expect(result, `${run.out}\n${run.err}`).to.equal('[true,true,1,true,true,"text of a"]')
    expect(readFileSync(join(folder(), 'a.txt', 'a.txt'), 'utf8')).to.equal('text of a')
  })
})
