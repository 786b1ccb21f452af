/** docs/workers.md: what it says is done, word for word. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { transformSync } from 'esbuild'
import { createEngine, defineExecutor } from '../../src/index.ts'
import { logIn, openPlacing, type Placing } from '../support/cli/placing.ts'
import { temporaryFolder } from '../support/homes.ts'
import { needsNats } from '../support/nats.ts'
import { PROJECT } from '../support/project.ts'
import { eventually } from '../support/waiting.ts'

const page = readFileSync(join(PROJECT, 'docs/workers.md'), 'utf8')
/** The fenced blocks of the walk, without the indent of their list. */
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms'))].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
  )

describe('docs/workers.md', function () {
  this.timeout(120_000)
  needsNats()
  let placing: Placing
  after(() => placing?.close())

  it('two workers in five minutes: a workflow that fans out over both, one of them killed, and everything goes on', async () => {
    placing = await openPlacing()
    const [start, workers] = blocks('sh')
    expect(start).to.equal('troupe start-all\ntroupe coordinator\n') // what `openPlacing` has done, on a free port
    const commands = (workers ?? '').trim().split('\n')
    for (const command of commands) {
      const [, home = '', id = '', labels = ''] =
        /^ENGINE_HOME=~\/(\S+) troupe worker -w (\S+) -l (\S+) --worker\.coordinators 127\.0\.0\.1:50055$/.exec(
          command
        ) ?? []
      expect(home, command).to.match(/^worker-/)
      placing.worker(id, ['-l', labels])
    }
    await placing.healthy('wa', 'wb')
    const both = blocks('yaml').find((text) => text.startsWith('name: both')) ?? ''
    writeFileSync(join(placing.home, 'dags', 'both.yaml'), both)
    const { json } = await placing.ask('/dags/both/start', 'POST', {})
    const { dagRunId } = json as { dagRunId: string }
    const [left] = await eventually('both at work', async () => {
      const subs = await subRuns(dagRunId)
      return subs.length === 2 && subs.every(({ out }) => out.includes(' 2\n')) ? subs : undefined
    })
    expect(left?.out).to.contain('a 1\na 2\n')
    const [killed] = placing.workersOf('wa')
    killed?.child.kill('SIGKILL')
    await killed?.code
    placing.worker('wa', ['-l', 'zone=a'])
    const run = await placing.ended('both', dagRunId)
    expect(run.statusLabel).to.equal('succeeded')
    const lines = (name: string) => Array.from({ length: 10 }, (_, index) => `${name} ${index + 1}\n`).join('')
    expect((await subRuns(dagRunId)).map(({ workerId, out }) => [workerId, out])).to.deep.equal([
      ['wa', lines('a')],
      ['wb', lines('b')]
    ])
  })
  it('the workflow at its beginning waits for a worker with that label, and runs there', async () => {
    const [first = ''] = blocks('yaml')
    const id = await placing.start(first)
    expect((await placing.run('train', id)).statusLabel).to.equal('queued')
    placing.worker('wg', ['-l', 'gpu=true'])
    const run = await placing.ended('train', id)
    expect([run.statusLabel, run.workerId]).to.deep.equal(['succeeded', 'wg'])
  })

  it('a program of its own is a worker with its executor, until it is drained', async () => {
    const [program = '', ...others] = blocks('ts')
    expect(others).to.deep.equal([])
    const { address } = JSON.parse(placing.coordinator.written.out)
    const home = temporaryFolder()
    mkdirSync(join(home, 'node_modules'))
    symlinkSync(PROJECT, join(home, 'node_modules/troupe'))
    const here = program.replace('/var/lib/gpu-1', home).replace('bus.example:50055', address)
    writeFileSync(join(home, 'worker.mjs'), transformSync(here, { loader: 'ts', format: 'esm' }).code)
    // An application that has the executor as well takes the place of the server.
    await placing.killServer()
    const infer = defineExecutor({
      type: 'infer',
      config: { model: { is: 'text', required: true } },
      execute: () => Promise.reject(new Error('not here'))
    })
    const engine = await createEngine({ home: placing.home, executors: [infer] })
    const worker = execFile(process.execPath, [join(home, 'worker.mjs')])
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
    const { json } = await placing.ask(`/dag-runs/both/${dagRunId}`)
    const { nodes } = (json as { dagRun: { nodes: { subRuns: { dagRunId: string }[] }[] } }).dagRun
    const ids = nodes.flatMap(({ subRuns }) => subRuns.map(({ dagRunId }) => dagRunId))
    return Promise.all(
      ids.map(async (sub) => {
        const { json } = await placing.ask(`/dag-runs/both/${dagRunId}/sub-dag-runs/${sub}`)
        const details = (json as { dagRunDetails: { workerId: string; nodes: { stdout: string }[] } }).dagRunDetails
        return { workerId: details?.workerId ?? '', out: logIn(details?.nodes[0]?.stdout) } // it may not be there yet
      })
    )
  }
})
