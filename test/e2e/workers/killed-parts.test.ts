/** What is killed or frozen while a step runs on a worker: nothing is lost, nothing begins twice. Source: distribution 1 (D3, D7, D8), 7. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { brokerPid, logIn, openPlacing, type Placing } from '../../support/cli/placing.ts'
import { textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { needsNats } from '../../support/nats.ts'
import { eventually } from '../../support/waiting.ts'

const marks = (path: string) => textOf(path).split('\n').slice(0, -1)

describe('workers › what is killed while a step runs', function () {
  this.timeout(180_000)
  needsNats()
  let placing: Placing
  let shared: string
  before(async () => {
    placing = await openPlacing()
    shared = temporaryFolder()
    placing.worker('wa', ['-l', 'zone=a'])
    await placing.healthy('wa')
  })
  after(() => placing?.close())

  /** Runs for as long as there is no `go`; every line it writes is numbered. */
  async function begun(name: string) {
    const folder = join(shared, name)
    mkdirSync(folder)
    const id = await placing.start(`
name: ${name}
workerSelector: {zone: a}
steps:
  - name: one
    script: |
      echo $$ >>${folder}/begun
      n=0
      while [ ! -e ${folder}/go ]; do n=$((n+1)); echo line $n; sleep 0.1; done
      exit 7
    output: OUT
    continueOn: {exitCode: 7, markSuccess: true}
  - {name: two, command: 'echo "$OUT" | tail -n 1', depends: one}
`)
    await eventually('its beginning', () => (marks(join(folder, 'begun')).length > 0 ? true : undefined))
    return {
      begun: () => marks(join(folder, 'begun')).length,
      go: () => writeFileSync(join(folder, 'go'), ''),
      /** It ends, and everything must be as if nothing had happened. */
      async ends() {
        writeFileSync(join(folder, 'go'), '')
        const run = await placing.ended(name, id)
        const lines = logIn(run.nodes[0]?.stdout).trim().split('\n')
        expect([run.statusLabel, run.nodes[0]?.error]).to.deep.equal([
          'succeeded',
          'failed to execute step "one": exit status 7'
        ])
        expect(lines).to.deep.equal(lines.map((_, index) => `line ${index + 1}`))
        expect(logIn(run.nodes[1]?.stdout).trim()).to.equal(lines.at(-1))
        expect(marks(join(folder, 'begun')), 'D3 begun once').to.have.length(1)
      },
      grown: async (by = 3) => {
        const lines = async () => logIn((await placing.run(name, id)).nodes[0]?.stdout).split('\n').length
        const before = await lines()
        await eventually('more of its log', async () => ((await lines()) >= before + by ? true : undefined))
      }
    }
  }

  it('D8 the worker, and its successor goes on', async () => {
    const step = await begun('worker')
    const successor = placing.worker // the same home
    process.kill(await pidOf('wa'), 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 300))
    successor('wa', ['-l', 'zone=a'])
    await step.grown()
    await step.ends()
  })
  it('D8 the engine, and its successor has the whole log', async () => {
    const step = await begun('engine')
    await step.grown()
    await placing.killServer()
    await placing.startServer()
    await step.grown()
    await step.ends()
  })
  itLong('D8 the broker, with nothing to be restored', async () => {
    const step = await begun('broker')
    process.kill(brokerPid(placing.home), 'SIGKILL')
    await step.grown()
    await step.ends()
  })
  it('D8 all three, and the step ends meanwhile', async () => {
    const step = await begun('all')
    await step.grown()
    process.kill(brokerPid(placing.home), 'SIGKILL')
    process.kill(await pidOf('wa'), 'SIGKILL')
    await placing.killServer()
    step.go()
    await placing.startServer()
    placing.worker('wa', ['-l', 'zone=a'])
    await step.ends()
  })
  itLong('D8 the engine, in order, while a precondition is being evaluated: that is asked for again', async () => {
    const file = join(shared, 'checking')
    const id = await placing.start(`
name: checking
workerSelector: {zone: a}
steps: [{name: one, command: 'echo here', preconditions: ['echo x >>${file}; sleep 3']}]
`)
    await eventually('the precondition', () => marks(file)[0])
    await placing.server.end()
    await placing.startServer()
    const run = await placing.ended('checking', id)
    expect([run.statusLabel, run.nodes[0]?.error]).to.deep.equal(['succeeded', ''])
  })
  it('D7 a worker that was frozen and thaws goes on where it was', async () => {
    const step = await begun('frozen')
    const pid = await pidOf('wa')
    process.kill(pid, 'SIGSTOP')
    await eventually('a worker that is silent', async () => {
      const { json } = await placing.ask('/workers')
      const [one] = (json as { workers: { healthStatus: string }[] }).workers
      return one?.healthStatus === 'warning' ? true : undefined
    })
    process.kill(pid, 'SIGCONT')
    await placing.healthy('wa')
    await step.grown()
    await step.ends()
  })

  /** Of the worker that serves now. */
  async function pidOf(id: string): Promise<number> {
    const lock = readFileSync(join(placing.homes[id] ?? '', 'worker', 'lock'), 'utf8')
    const [pid = ''] = /\d+/.exec(lock) ?? []
    return Number(pid)
  }
})
