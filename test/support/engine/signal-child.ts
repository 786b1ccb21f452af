/**
 * An engine in a separate process that kills itself: `node signal-child.js HOME SPEC-FILE WHEN`. `waiting`: while its run `r1` waits for
 * the signal `paid`; `given`: in the turn in which that, and the early signal `later`, are acknowledged.
 */
import { readFileSync } from 'node:fs'
import { createEngine } from 'troupe'

const [home = '', spec = '', when = ''] = process.argv.slice(2)
const engine = await createEngine({ home })
const key = await engine.start({ spec: readFileSync(spec, 'utf8'), name: 'pay', dagRunId: 'r1' })
while (engine.waiting({ step: 'paid' }).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
if (when === 'given') {
  await engine.signal({ ...key, step: 'later' }, { n: 2 }, { id: 'second' })
  await engine.signal({ ...key, step: 'paid' }, { n: 1 }, { id: 'first', by: 'anna' })
}
process.kill(process.pid, 'SIGKILL')
