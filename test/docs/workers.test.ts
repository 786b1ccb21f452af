/** docs/workers.md: what it says is done, word for word. Its command of docker is that of test/e2e/workers/compose. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { transformSync } from 'esbuild'
import { createEngine, defineExecutor } from '../../src/index.ts'
import { logIn } from '../support/cli/placing.ts'
import { blocksOf, blockWith } from '../support/docs/blocks.ts'
import { type Pasted, shellIn } from '../support/docs/pasting.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/homes.ts'
import { needsNats } from '../support/nats.ts'
import { PROJECT } from '../support/project.ts'
import { eventually } from '../support/waiting.ts'

const PAGE = 'docs/workers.md'
const [SERVER = '', COORDINATOR = '', WA = '', WB = ''] = blocksOf(PAGE, 'sh')
const BOTH = blockWith(PAGE, 'yaml', 'name: both')

interface Shown {
  statusLabel: string
  workerId: string
  finishedAt: string
  nodes: { stdout: string; subRuns: { dagRunId: string }[] }[]
}

describe('docs/workers.md', function () {
  this.timeout(120_000)
  needsNats()
  const home = temporaryFolder()
  const ending = new AbortController()
  const endingServer = new AbortController()
  const terminals: Promise<Pasted>[] = []
  let address = ''
  let bus = ''
  /** Each in a terminal of its own. */
  const begin = (...blocks: string[]) => {
    const ports = { ENGINE_PORT: new URL(address).port, ENGINE_COORDINATOR_PORT: bus }
    const shell = shellIn(home, [['127.0.0.1:50055', `127.0.0.1:${bus}`]], ports)
    for (const block of blocks)
      terminals.push(shell.paste(block, { ending: (block === SERVER ? endingServer : ending).signal }))
  }
  before(async () => {
    mkdirSync(join(home, 'dags'))
    address = `http://127.0.0.1:${await freePort()}`
    bus = `${await freePort()}`
    begin(SERVER, COORDINATOR, WA, WB)
    await healthy('wa', 'wb')
  })
  after(async () => {
    endingServer.abort()
    ending.abort()
    await Promise.all(terminals)
  })

  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    return (await (await fetch(`${address}/api/v2${path}`, init)).json()) as T
  }
  const healthy = (...ids: string[]) =>
    eventually(`healthy: ${ids}`, async () => {
      const asked = ask<{ workers?: { id: string; healthStatus: string }[] }>('/workers')
      const { workers = [] } = await asked.catch(() => ({ workers: [] }))
      const found = workers.filter(({ healthStatus }) => healthStatus === 'healthy').map(({ id }) => id)
      return ids.every((id) => found.includes(id)) || undefined
    })
  const shown = async (name: string, id: string) => (await ask<{ dagRun: Shown }>(`/dag-runs/${name}/${id}`)).dagRun
  const ended = (name: string, id: string) =>
    eventually(`the end of ${name}`, async () => {
      const run = await shown(name, id)
      return run.finishedAt ? run : undefined
    })
  /** Of the worker that has its home there. */
  const pidOf = (folder: string) =>
    Number(
      readdirSync('/proc').find((pid) => {
        try {
          const isOurs = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`ENGINE_HOME=${join(home, folder)}\0`)
          return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('troupe.js\0worker\0')
        } catch {
          return false // no process, or one that has ended meanwhile
        }
      })
    )

  it('two workers in five minutes: a workflow that fans out over both, one of them killed, and everything goes on', async () => {
    writeFileSync(join(home, 'dags', 'both.yaml'), BOTH)
    const { dagRunId } = await ask<{ dagRunId: string }>('/dags/both/start', {})
    const [left] = await eventually('both at work', async () => {
      const subs = await subRuns(dagRunId)
      return subs.length === 2 && subs.every(({ out }) => out.includes(' 2\n')) ? subs : undefined
    })
    expect(left?.out).to.contain('a 1\na 2\n')
    process.kill(pidOf('worker-a'), 'SIGKILL')
    expect((await terminals[2])?.code, 'it is dead').not.to.equal(0)
    begin(WA)
    const run = await ended('both', dagRunId)
    expect(run.statusLabel).to.equal('succeeded')
    const lines = (name: string) => Array.from({ length: 10 }, (_, index) => `${name} ${index + 1}\n`).join('')
    expect((await subRuns(dagRunId)).map(({ workerId, out }) => [workerId, out])).to.deep.equal([
      ['wa', lines('a')],
      ['wb', lines('b')]
    ])
  })
  it('the workflow at its beginning waits for a worker with that label, and runs there', async () => {
    const [spec = ''] = blocksOf(PAGE, 'yaml')
    const { dagRunId } = await ask<{ dagRunId: string }>('/dag-runs', { spec })
    expect((await shown('train', dagRunId)).statusLabel).to.equal('queued')
    begin(WA.replaceAll('worker-a', 'worker-g').replace('-w wa -l zone=a', '-w wg -l gpu=true'))
    const run = await ended('train', dagRunId)
    expect([run.statusLabel, run.workerId]).to.deep.equal(['succeeded', 'wg'])
  })

  it('a program of its own is a worker with its executor, until it is drained', async () => {
    const [program = '', ...others] = blocksOf(PAGE, 'ts')
    expect(others).to.deep.equal([])
    const own = temporaryFolder()
    mkdirSync(join(own, 'node_modules'))
    symlinkSync(PROJECT, join(own, 'node_modules/troupe'))
    const here = program.replace('/var/lib/gpu-1', own).replace('bus.example:50055', `127.0.0.1:${bus}`)
    writeFileSync(join(own, 'worker.mjs'), transformSync(here, { loader: 'ts', format: 'esm' }).code)
    // An application that has the executor as well takes the place of the server.
    endingServer.abort()
    await terminals[0]
    const infer = defineExecutor({
      type: 'infer',
      config: { model: { is: 'text', required: true } },
      execute: () => Promise.reject(new Error('not here'))
    })
    const engine = await createEngine({ home, executors: [infer] })
    const worker = execFile(process.execPath, [join(own, 'worker.mjs')])
    const ended = new Promise((resolve) => worker.once('close', resolve))
    try {
      const spec = `workerSelector: {gpu: "true"}
steps:
  - name: ask
    executor: {type: infer, config: {model: small}}
    script: how are you?
    output: SAID
`
      const { run, nodes } = await engine.result(await engine.start({ spec, name: 'ask' }))
      expect([run.status, run.placement?.id, nodes[0]?.node.output]).to.deep.equal([
        'succeeded',
        'gpu-1',
        'small: how are you?'
      ])
      await engine.drainWorker('gpu-1')
      expect(await ended).to.equal(0)
    } finally {
      worker.kill('SIGKILL')
      await engine.close()
    }
  })

  async function subRuns(dagRunId: string): Promise<{ workerId: string; out: string }[]> {
    const { nodes } = await shown('both', dagRunId)
    const ids = nodes.flatMap(({ subRuns }) => subRuns.map(({ dagRunId }) => dagRunId))
    return Promise.all(
      ids.map(async (sub) => {
        // It may not be there yet.
        const path = `/dag-runs/both/${dagRunId}/sub-dag-runs/${sub}`
        const { dagRunDetails: details } = await ask<{ dagRunDetails?: Shown }>(path)
        return { workerId: details?.workerId ?? '', out: logIn(details?.nodes[0]?.stdout) }
      })
    )
  }
})
