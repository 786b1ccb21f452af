/** docs/operating/limits.md: each configuration that it shows is the one of a server, or an engine, which then does what is said below it. */
import type { LookupAddress, lookup } from 'node:dns'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '../../../src/config.ts'
import { egressGuard } from '../../../src/executors/http/egress.ts'
import { ownGroup } from '../../../src/executors/limits/cgroup-place.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { type RunningServer, runningServer } from '../../support/cli/program.ts'
import { blocksOf, blockWith } from '../../support/docs/blocks.ts'
import { isRoot } from '../../support/engine/root-only.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'

const PAGE = 'docs/operating/limits.md'

/** An engine on a home with this configuration. */
async function engineWith(config: string): Promise<Engine> {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 })
  return createEngine({ home, defaultShell: 'sh' })
}
const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => '',
    (error: Error) => error.message
  )
/** What the only step of a definition has printed, or why it failed. */
async function printed(engine: Engine, spec: string): Promise<string> {
  const { nodes } = await engine.result(await engine.start({ spec }))
  const { stdout, error } = nodes[0]?.node ?? {}
  return error ?? readFileSync(stdout ?? '', 'utf8').trim()
}

describe('docs/operating/limits.md', function () {
  this.timeout(60_000)

  describe('callers', () => {
    let server: RunningServer
    const tokens = ['ci', 'watcher', 'other'].map((name) => `    - { name: ${name}, value: of-${name} }\n`)
    const access = 'access:\n  roles: { token:ci: admin, token:watcher: viewer, everyone: editor }\n'
    before(async () => {
      const folder = temporaryFolder()
      mkdirSync(join(folder, 'dags'))
      writeFileSync(join(folder, 'dags/waits.yaml'), 'maxActiveRuns: 1\nsteps: [{executor: signal}]\n')
      const file = `${blockWith(PAGE, 'yaml', 'callers:')}auth:\n  tokens:\n${tokens.join('')}${access}`
      server = await runningServer({}, { file, folder })
    })
    after(() => server?.end())
    const call = (who: string, path: string, init: RequestInit = {}) =>
      fetch(`${server.address}/api/v2${path}`, { ...init, headers: { Authorization: `Bearer of-${who}` } })
    const together = (count: number, one: () => Promise<Response>) => Promise.all(Array.from({ length: count }, one))
    const refusedOf = (answers: Response[]) => answers.filter(({ status }) => status === 429)

    it('a request over the limit is answered with 429, Retry-After, and the JSON that is shown', async () => {
      // More than 50, and what comes back while they are on their way.
      const refused = refusedOf(await together(200, () => call('other', '/dags')))
      expect(refused).not.to.deep.equal([])
      const [shown = ''] = blocksOf(PAGE, 'json')
      expect(await refused[0]?.json()).to.deep.equal(JSON.parse(shown))
      expect(refused[0]?.headers.get('Retry-After')).to.equal('1')
    })
    it('each limit is taken from the name, else from the role, else from everyone', async () => {
      expect(refusedOf(await together(120, () => call('ci', '/dags'))), 'none lifts the limit').to.deep.equal([])
      const refused = refusedOf(await together(150, () => call('watcher', '/dags')))
      expect(await refused[0]?.json()).to.have.deep.property('details', { limit: 'requests', allowed: '5/s' })
    })
    it('runs that somebody has started, and that wait or run, are counted', async () => {
      const enqueue = () => call('ci', '/dags/waits/enqueue', { method: 'POST', body: '{}' })
      const refused = refusedOf(await together(22, enqueue))
      expect(refused).to.have.length(2)
      expect(await refused[0]?.json()).to.have.deep.property('details', { limit: 'runs', allowed: 20 })
    })
  })

  it('executors: types that are not allowed make a definition invalid, in each group those of its rule', async () => {
    const engine = await engineWith(blockWith(PAGE, 'yaml', 'allow: [docker]'))
    try {
      const problem = (name: string, spec: string) => messageOf(engine.createDefinition(name, spec))
      const docker = 'steps: [{executor: {type: docker, config: {image: alpine}}, command: "true"}]\n'
      const http = 'steps: [{executor: http, command: GET http://127.0.0.1/}]\n'
      expect(await problem('a', docker)).to.equal('')
      expect(await problem('b', 'steps: [true]\n')).to.contain('shell')
      expect(await problem('c', 'group: ops-nightly\nsteps: [true]\n')).to.equal('')
      expect(await problem('d', `group: ops-nightly\n${http}`)).to.contain('http')
    } finally {
      await engine.close()
    }
  })

  // Users of this machine stand for those of the page.
  it('another user: steps run as that of the rule for their group, else as that of runAs', async function () {
    if (!isRoot) return this.skip()
    const shown = blockWith(PAGE, 'yaml', 'runAs: etl')
    const here = shown.replace('runAs: etl ', 'runAs: nobody ').replace('runAs: ops', 'runAs: daemon')
    const engine = await engineWith(here)
    try {
      const who = (group: string) => printed(engine, `name: who\ngroup: "${group}"\nsteps: [id -un]\n`)
      expect([await who(''), await who('ops-1'), await who('trusted')]).to.deep.equal(['nobody', 'daemon', 'root'])
    } finally {
      await engine.close()
    }
    expect(await messageOf(engineWith(shown)), 'there is no such user').to.contain('etl')
  })

  it('memory, processors, processes: each step is in a group with these limits; where there is no cgroup v2, nothing starts', async () => {
    let engine: Engine
    try {
      engine = await engineWith(blockWith(PAGE, 'yaml', 'limits: { memory: 1GiB'))
    } catch (error) {
      expect((error as Error).message).to.match(/^steps\.limits: /)
      return
    }
    try {
      const own = `${ownGroup()}/$(grep -o 'troupe-[0-9a-f]*/[0-9a-f]*$' /proc/self/cgroup)`
      const held = (group: string) =>
        printed(
          engine,
          `name: held\ngroup: "${group}"\nsteps:\n  - command: cd ${own} && cat memory.max cpu.max pids.max\n`
        )
      expect(await held('')).to.equal(`${2 ** 30}\n200000 100000\n200`)
      expect(await held('big-1')).to.equal(`${2 ** 34}\nmax 100000\nmax`)
    } finally {
      await engine.close()
    }
  })

  it('where http steps may go: not to addresses that are not for everybody, but for those allowed, and not to those denied', async () => {
    const config = blockWith(PAGE, 'yaml', 'egress:')
    const engine = await engineWith(config)
    try {
      const step = (host: string) =>
        printed(engine, `name: get\nsteps: [{executor: http, command: "GET http://${host}/", timeoutSec: 20}]\n`)
      const [, said = 'nothing'] =
        /^`(169\.254\.169\.254 may not .*)`/m.exec(readFileSync(join(PROJECT, PAGE), 'utf8')) ?? []
      expect(await step('169.254.169.254')).to.contain(said)
      expect(await step('127.0.0.1')).to.contain('127.0.0.1 may not be connected to: it is an address of this machine')
      expect(await step('203.0.113.7')).to.contain('executors.http.egress.deny has it')
    } finally {
      await engine.close()
    }
    // Nothing answers there, so the guard of that configuration is asked, with a name that stands for both addresses.
    const home = temporaryFolder()
    writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 })
    const { egress } = readConfig({ home }, {})
    if (!egress) expect.fail('it is not read')
    const both = [{ address: '10.1.2.7' }, { address: '10.1.3.7' }].map((one) => ({ ...one, family: 4 }))
    const find = ((_name: string, _options: object, callback: (error: null, found: LookupAddress[]) => void) =>
      callback(null, both)) as unknown as typeof lookup
    const allowed = await new Promise((resolve) =>
      egressGuard(egress, find).lookup('there', { all: true }, (_error, found) => resolve(found))
    )
    expect(allowed).to.deep.equal([both[0]])
  })
})
