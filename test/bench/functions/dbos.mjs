/** The same of DBOS on PostgreSQL. @param argv its package folder, and the address of a database of its own */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { playRounds } from '../../../dist/test/bench/functions/rounds.js'

const { DBOS } = createRequire(join(process.argv[2], 'package.json'))('@dbos-inc/dbos-sdk')
DBOS.setConfig({ name: 'bench', systemDatabaseUrl: process.argv[3], logLevel: 'error', runAdminServer: false })
const bench = DBOS.registerWorkflow(
  async (steps, isWide) => {
    const played = (i) => DBOS.runStep(async () => ({ i }), { name: `s${i}` })
    if (isWide) await Promise.all(Array.from({ length: steps }, (_, i) => played(i)))
    else for (let i = 0; i < steps; i++) await played(i)
  },
  { name: 'bench' }
)
await DBOS.launch()

await playRounds(async (runs, steps, isWide) => {
  const handles = await Promise.all(Array.from({ length: runs }, () => DBOS.startWorkflow(bench)(steps, isWide)))
  await Promise.all(handles.map((handle) => handle.getResult()))
})
await DBOS.shutdown()
process.exit()
