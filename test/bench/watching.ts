/**
 * What watching costs: `node dist/test/bench/watching.js [steps]`. One run of so many steps (default 1,000), unwatched, then watched
 * by a client that follows its events and asks for its actors with each, then with an inspector; and what a look at it costs when
 * it is over. Processor time of this process, which is the engine's and the server's; the client is another process.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { serialize } from 'node:v8'
import { WebSocketServer } from 'ws'
import { serve } from '../../src/api/server.ts'
import { createEngine, type Engine, type RunKey } from '../../src/index.ts'

const count = Number(process.argv[2] ?? 1_000)
const spec = (steps: number) =>
  `name: watched\ntype: graph\nmaxActiveSteps: 20\nsteps:\n${Array.from(
    { length: steps },
    (_, i) => `  - {name: s${i}, command: "true"${i < 20 ? '' : `, depends: s${i - 20}`}}\n`
  ).join('')}`

const ms = (micros: number) => Math.round(micros / 1_000)
const cpu = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}
const row = (what: string, figure: string) => console.log(`${what.padEnd(58)} ${figure}`)

/** A client in a process of its own: it follows the stream, and asks for the actors at most ten times a second, as a page would. */
const CLIENT = `
const [base, name, id] = process.argv.slice(1)
const response = await fetch(base + '/dag-runs/' + name + '/' + id + '/events')
let asked = 0
let last = 0
for await (const chunk of response.body) {
  if (Date.now() - last < 100) continue
  last = Date.now()
  asked++
  await (await fetch(base + '/dag-runs/' + name + '/' + id + '/actors?brief=true')).text()
}`

async function timed(engine: Engine, meanwhile?: (key: RunKey) => () => void): Promise<{ key: RunKey; used: number }> {
  const before = cpu()
  const key = await engine.start({ spec: spec(count) })
  const end = meanwhile?.(key)
  await engine.result(key)
  const used = cpu() - before
  end?.()
  return { key, used }
}

const engine = await createEngine({ temporary: true, defaultShell: 'sh' })
const server = await serve(engine, { port: 0, host: '127.0.0.1' })
await timed(engine) // the code is warm afterwards
const unwatched: number[] = []
const watched: number[] = []
let key: RunKey | undefined
for (let round = 0; round < 3; round++) {
  unwatched.push((await timed(engine)).used)
  const run = await timed(engine, ({ name, dagRunId }) => {
    const args = ['--input-type=module', '-e', CLIENT, `${server.address}/api/v2`, name, dagRunId]
    const client = spawn(process.execPath, args, { stdio: 'inherit' })
    return () => client.kill()
  })
  watched.push(run.used)
  key = run.key
}
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
row(`a run of ${count} steps, unwatched: CPU of the engine`, `${ms(median(unwatched))} ms`)
row(
  'the same, followed by a page (10 looks a second)',
  `${ms(median(watched))} ms (${Math.round((median(watched) / median(unwatched) - 1) * 100)} % more)`
)

if (key) {
  const { facts } = engine
  const { latest } = facts.run(key, { brief: true })
  const looks: number[] = []
  for (let at = latest; at > 0; at -= Math.ceil(latest / 97)) {
    const before = cpu()
    facts.run(key, { at: (at * 7919) % (latest + 1), brief: true })
    looks.push((cpu() - before) / 1_000)
  }
  const whole = cpu()
  const text = JSON.stringify(facts.run(key))
  const wholeMs = (cpu() - whole) / 1_000
  const why = cpu()
  facts.explain(key)
  const whyMs = (cpu() - why) / 1_000
  const records = engine.journal(key, 0, Number.MAX_SAFE_INTEGER)
  const bytes = records.reduce((sum, record) => sum + serialize(record).length, 0)
  const memory = records.reduce((sum, { context }) => sum + (context ? serialize(context).length : 0), 0)
  row(
    `state of all nodes at any of ${latest} events: median, most`,
    `${median(looks).toFixed(1)} ms, ${Math.max(...looks).toFixed(1)} ms`
  )
  row('all actors with contexts at the latest event', `${wholeMs.toFixed(1)} ms, ${Math.round(text.length / 1_000)} kB`)
  row('explanation of the whole run', `${whyMs.toFixed(1)} ms`)
  row(
    'journal for each node; of that, memory',
    `${Math.round(bytes / count)} bytes; ${Math.round(memory / count)} bytes`
  )
}
await server.close()
await engine.close()

const inspector = new WebSocketServer({ port: 0, host: '127.0.0.1' })
await once(inspector, 'listening')
inspector.on('connection', (socket) => socket.on('message', () => {}))
const { port } = inspector.address() as AddressInfo
const told = await createEngine({ temporary: true, defaultShell: 'sh', inspect: { to: `ws://127.0.0.1:${port}` } })
const inspected: number[] = []
for (let round = 0; round < 3; round++) inspected.push((await timed(told)).used)
row('a run told to an inspector (which is in this process, too)', `${ms(median(inspected))} ms`)
await told.close()
for (const client of inspector.clients) client.terminate()
inspector.close()
