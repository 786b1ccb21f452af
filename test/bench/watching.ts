/**
 * What watching costs: `node dist/test/bench/watching.js [steps]`. One run of so many steps (default 1,000), unwatched, then watched
 * as the page does it, then by a client that asks for its actors ten times a second, then with an inspector; what a look at it costs when
 * it is over, and a look into a journal of 20,000 events. Processor time of this process, which is the engine's and the server's; the
 * clients are other processes. Each figure is beside its limit.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { serialize } from 'node:v8'
import { WebSocketServer } from 'ws'
import { serve } from '../../src/api/server.ts'
import { createEngine, type Engine, type RunKey } from '../../src/index.ts'
import { longJournal } from './long-journal.ts'

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
const row = (what: string, figure: string) => console.log(`${what.padEnd(68)} ${figure}`)

/** A client in a separate process: it follows the stream, asks for the details once, and for the nodes at most every so many ms when something has happened. */
const CLIENT = `
const [run, every] = process.argv.slice(1)
const ask = async (path) => (await fetch(run + path)).text()
await Promise.all([ask(''), ask('/actors?brief=true')])
const response = await fetch(run + '/events')
let last = Date.now()
for await (const chunk of response.body) {
  if (Date.now() - last < Number(every)) continue
  last = Date.now()
  await ask('/actors?brief=true')
}`

/** As `src/page/run/use-live-run.ts` asks. */
const AS_A_PAGE = String(300 + 3 * count)
const OFTEN = '100'

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
const watchedBy =
  (every: string) =>
  ({ name, dagRunId }: RunKey) => {
    const run = `${server.address}/api/v2/dag-runs/${name}/${dagRunId}`
    const client = spawn(process.execPath, ['--input-type=module', '-e', CLIENT, run, every], { stdio: 'inherit' })
    return () => client.kill()
  }
const unwatched: number[] = []
const paged: number[] = []
const often: number[] = []
let key: RunKey | undefined
for (let round = 0; round < 5; round++) {
  unwatched.push((await timed(engine)).used)
  paged.push((await timed(engine, watchedBy(AS_A_PAGE))).used)
  const run = await timed(engine, watchedBy(OFTEN))
  often.push(run.used)
  key = run.key
}
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
row(`a run of ${count} steps, unwatched: CPU of the engine`, `${ms(median(unwatched))} ms`)
const more = (values: number[]) =>
  `${ms(median(values))} ms (${Math.round((median(values) / median(unwatched) - 1) * 100)} % more)`
row('the same, watched by a page (at most 10 % more)', more(paged))
row('the same, followed and looked at 10 times a second', more(often))

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
    'journal for each node (at most 3,000); of that, memory',
    `${Math.round(bytes / count)} bytes; ${Math.round(memory / count)} bytes`
  )
}
await server.close()
await engine.close()

const long = await longJournal((work) => {
  const before = cpu()
  work()
  return (cpu() - before) / 1_000
})
row(`the first look into ${long.events} events (at most 100 ms)`, `${long.firstMs.toFixed(1)} ms`)
row(
  'state of 1,000 nodes at any of them (at most 100 ms): median, most',
  `${median(long.looksMs).toFixed(1)} ms, ${(long.looksMs.at(-1) ?? 0).toFixed(1)} ms`
)
row('journal for each of these nodes, with nine retries and checkpoints', `${Math.round(long.bytesPerNode)} bytes`)

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
