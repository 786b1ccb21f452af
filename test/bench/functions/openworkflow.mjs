/** The same of OpenWorkflow on SQLite, in a temporary folder. It needs Node 22. @param argv its package folder */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { playRounds } from '../../../dist/test/bench/functions/rounds.js'

const at = (file) => pathToFileURL(join(process.argv[2], 'node_modules/openworkflow/dist', file)).href
const { OpenWorkflow } = await import(at('index.js'))
const { BackendSqlite } = await import(at('sqlite.js'))
const folder = mkdtempSync(join(tmpdir(), 'openworkflow-'))
const backend = BackendSqlite.connect(join(folder, 'db.sqlite'))
const ow = new OpenWorkflow({ backend })
const bench = ow.defineWorkflow({ name: 'bench' }, async ({ input, step }) => {
  const played = (i) => step.run({ name: `s${i}` }, () => ({ i }))
  if (input.isWide) await Promise.all(Array.from({ length: input.steps }, (_, i) => played(i)))
  else for (let i = 0; i < input.steps; i++) await played(i)
  return null
})
const worker = ow.newWorker({ concurrency: 50 })
await worker.start()

await playRounds(async (runs, steps, isWide) => {
  const handles = await Promise.all(Array.from({ length: runs }, () => bench.run({ steps, isWide })))
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
})
await worker.stop()
await backend.stop()
rmSync(folder, { recursive: true, force: true })
process.exit()
