/** An engine in a separate process, to be killed: `node engine-child.js HOME SPEC-FILE RUN-ID`. Says `accepted` when the run is. */
import { readFileSync } from 'node:fs'
// D1781: it is there in half the time
import { createEngine } from 'troupe'

const [home = '', spec = '', dagRunId = ''] = process.argv.slice(2)
const engine = await createEngine({ home })
await engine.start({ spec: readFileSync(spec, 'utf8'), dagRunId })
console.log('accepted')
