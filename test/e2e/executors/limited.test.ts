/** Steps within limits, by the kernel of this machine where it has a cgroup v2 for us: elsewhere skipped, to be seen. Source: docs/operating/limits.md "Memory, processors, processes". */
import { readFileSync, rmdirSync } from 'node:fs'
import { expect } from 'chai'
import { makePlace, ownGroup } from '../../../src/executors/limits/cgroup-place.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'

/** Whether groups with these controllers can be made here. */
function hasGroups(): boolean {
  try {
    rmdirSync(makePlace(ownGroup(), true, 'troupe-tests', ['memory', 'cpu', 'pids']))
    return true
  } catch {
    return false
  }
}

describe('steps.limits', () => {
  it('are refused by name where they cannot be kept', async () => {
    const settings = { 'steps.limits': { memory: '64MiB' }, 'steps.cgroup': temporaryFolder() }
    const refused = await createEngine({ home: temporaryFolder(), settings }).then(
      () => expect.fail('it was opened'),
      (error: Error) => error.message
    )
    expect(refused).to.match(/^steps\.limits: \/.* is no folder of a cgroup v2$/)
  })
  const where = hasGroups() ? describe : describe.skip
  where('kept by the kernel', () => {
    let engine: Engine | undefined
    const home = temporaryFolder()
    const opened = async () => {
      const settings = { 'steps.limits': { memory: '64MiB', cpu: 0.5, pids: 20 } }
      engine = await createEngine({ home, defaultShell: 'sh', settings })
      return engine
    }
    afterEach(() => engine?.close({ runs: 'stop' }))
    const EATS = `node -e 'const all = []; for (;;) all.push(Buffer.alloc(4000000, 1))'`
    const OUT = 'signal: killed: out of memory, as it needed more than steps.limits.memory (64MiB)'

    it('each step is in a group of its own; who needs more is ended, and its error says what of', async () => {
      const { start, result } = await opened()
      const key = await start({
        spec: `
name: a
steps:
  - {name: where, command: "cut -d: -f3 /proc/self/cgroup"}
  - {name: eats, command: "${EATS}", continueOn: {failure: true}}
  - {name: forks, command: "for i in $(seq 40); do sleep 1 & done; wait", continueOn: {failure: true}}
  - {name: fine, command: "exit 3"}
`
      })
      const nodes = (await result(key)).nodes.map(({ node }) => node)
      const [where, eats, forks, fine] = nodes
      expect(readFileSync(where?.stdout ?? '', 'utf8')).to.match(/\/troupe-[0-9a-f]{16}\/[0-9a-f]{32}\n$/)
      expect(eats?.error).to.include(OUT)
      expect(forks?.error).to.include('it wanted more processes than steps.limits.pids (20)')
      expect(fine?.error).to.equal('failed to execute step "fine": exit status 3')
    }).timeout(60_000)
    it('commands of conditions, in backticks and of secrets are in groups, too, with the limits of their step', async () => {
      const { start, result } = await opened()
      const key = await start({
        spec: `
name: c
env:
  - GROUP: "\`cut -d: -f3 /proc/self/cgroup\`"
secrets:
  - {name: HIDDEN, provider: command, key: "cut -d: -f3 /proc/self/cgroup | tr / _"}
steps:
  - name: conditioned
    command: "true"
    preconditions: ["${EATS}"]
    continueOn: {skipped: true}
  - {name: in-env, command: 'echo "$GROUP"'}
  - {name: of-secret, command: 'printenv HIDDEN | tr _ /'}
  - {name: in-backticks, command: "echo \`cut -d: -f3 /proc/self/cgroup\`"}
`
      })
      const [conditioned, inEnv, ofSecret, inBackticks] = (await result(key)).nodes.map(({ node }) => node)
      expect(conditioned?.status).to.equal('skipped')
      for (const node of [inEnv, ofSecret, inBackticks])
        expect(readFileSync(node?.stdout ?? '', 'utf8')).to.match(/.troupe-[0-9a-f]{16}.[0-9a-f]{32}\n$/)
    }).timeout(60_000)
    it('a step that goes on while the engine is away is held, and its end told, all the same', async () => {
      const first = await opened()
      const spec = `name: b\nsteps:\n  - {name: late, command: "touch ${home}/begun; sleep 2; ${EATS}"}\n`
      const key = await first.start({ spec })
      const { existsSync } = await import('node:fs')
      const { eventually } = await import('../../support/waiting.ts')
      await eventually('the step', () => existsSync(`${home}/begun`) || undefined)
      await first.close({ runs: 'leave' })
      const { nodes } = await (await opened()).result(key)
      expect(nodes[0]?.node.error).to.include(OUT)
    }).timeout(60_000)
  })
})
