/** The same of OpenWorkflow on SQLite, in the current folder. It needs Node 22. @param argv its package folder */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const at = (file) => pathToFileURL(join(process.argv[2], 'node_modules/openworkflow/dist', file)).href
const { OpenWorkflow } = await import(at('index.js'))
const { BackendSqlite } = await import(at('sqlite.js'))
const folder = mkdtempSync(join(tmpdir(), 'openworkflow-'))
const backend = BackendSqlite.connect(join(folder, 'db.sqlite'))
const ow = new OpenWorkflow({ backend })
const bench = ow.defineWorkflow({ name: 'bench' }, async ({ input, step }) => {
  for (let i = 0; i < input.steps; i++) await step.run({ name: `s${i}` }, () => ({ i }))
  return null
})
const worker = ow.newWorker({ concurrency: 50 })
await worker.start()

async function measured(runs, steps) {
  const [begun, used] = [performance.now(), process.cpuUsage()]
  const handles = await Promise.all(Array.from({ length: runs }, () => bench.run({ steps })))
  const ended = handles.map(async ({ workflowRun: { id } }) => {
    // Its `result()` asks once a second.
    for (;;) {
      const { status } = await backend.getWorkflowRun({ workflowRunId: id })
      if (status === 'completed' || status === 'succeeded') return
      if (status === 'failed' || status === 'canceled') throw new Error(`a run ${status}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })
  await Promise.all(ended)
  const { user, system } = process.cpuUsage(used)
  const all = runs * steps
  return { perSecond: (all / (performance.now() - begun)) * 1_000, cpuMs: (user + system) / 1_000 / all }
}

await measured(1, 50)
console.log(JSON.stringify({ chain: await measured(1, 200), wide: await measured(50, 10) }))
await worker.stop()
await backend.stop()
rmSync(folder, { recursive: true, force: true })
process.exit()
