/**
 * Two copies of the package in one process: `node two-copies.js LIB OTHER HOME OTHER_PATH` opens HOME by the first, and by the path OTHER_PATH by
 * the second; LIB and OTHER are folders such as dist/lib. Prints as JSON what came of it.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { createEngine as Create } from '../../../src/index.ts'

const [, , lib = '', other = '', home = '', path = ''] = process.argv
const require = createRequire(import.meta.url)
const copyIn = (folder: string): typeof Create => require(join(folder, 'index.cjs')).createEngine
const spec = 'steps: ["true"]'
const refusal = (opening: Promise<{ close(): Promise<void> }>) =>
  opening.then(
    (engine) => engine.close().then(() => 'opened'),
    (error: Error) => error.message
  )
const inThread = (code: string) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true, workerData: { lib: join(other, 'index.cjs'), home: path } })
    worker.once('message', resolve).once('error', reject)
  })

const first = copyIn(lib)
for (const name of Object.keys(require.cache)) delete require.cache[name]
const second = copyIn(other)
const engine = await first({ home })
const statusOf = async () => (await engine.result(await engine.start({ name: 'a', spec }))).run.status
const said: Record<string, unknown> = { before: await statusOf() }
said.owner = await refusal(second({ home: path }))
said.reader = await refusal(second({ home: path, readOnly: true }))
said.ownReader = await refusal(first({ home: path, readOnly: true }))
said.thread = await inThread(
  `const { parentPort, workerData: { lib, home } } = require('worker_threads')
   require(lib).createEngine({ home }).then((e) => e.close().then(() => 'opened'), (e) => e.message).then((m) => parentPort.postMessage(m))`
)
said.after = await statusOf()
await engine.close()
const next = await second({ home: path })
said.next = (await next.result(await next.start({ name: 'b', spec }))).run.status
said.again = await refusal(first({ home }))
await next.close()
console.log(JSON.stringify(said))
