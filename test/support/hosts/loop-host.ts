/**
 * A host application with a loop, to be killed between its passes: `node loop-host.js HOME FOLDER` opens the home, starts the run `r` unless
 * it is there, and prints its result. Each pass, and each question, is a line in FOLDER/calls; a question waits for FOLDER/go-PASS.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createEngine, defineDag } from 'troupe'

const [, , home = '', folder = ''] = process.argv
const note = (line: string) => appendFileSync(join(folder, 'calls'), `${line}\n`)
const loop = defineDag({ name: 'loop' }, (d) =>
  d.repeat(
    'count',
    {},
    ({ pass, last, idempotencyKey }) => {
      note(`pass ${pass} after ${last.sum}, key ${idempotencyKey}`)
      return { sum: last.sum + pass }
    },
    {
      first: { sum: 0 },
      async until({ last, pass }) {
        note(`asked ${pass}`)
        while (!existsSync(join(folder, `go-${pass}`))) await pause(10)
        return last.sum === 6
      },
      limit: 9
    }
  )
)
const engine = await createEngine({ home, dags: [loop] })
const run = engine.record({ name: 'loop', dagRunId: 'r' })
  ? engine.handle(loop, 'r')
  : await engine.start(loop, {}, { dagRunId: 'r' })
console.log(JSON.stringify(await run.result()))
await engine.close()
