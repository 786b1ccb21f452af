/**
 * What the audit log costs a start: `node dist/test/bench/audit/audit.js [rounds] [starts]`. Two engines in this process, one of which
 * keeps a log, are asked in turns by a client in another process for starts of a definition of one step. Processor time of this
 * process until all runs have ended, and how long an answer takes, beside the limit; then where the time of an entry goes.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../../../src/api/server.ts'
import { openAppender } from '../../../src/audit/appender.ts'
import { maskOf, shownValue } from '../../../src/audit/bounded.ts'
import { GENESIS, type NewEntry, sealed } from '../../../src/audit/entry.ts'
import { createEngine } from '../../../src/index.ts'

const ROUNDS = Number(process.argv[2] ?? 15)
const STARTS = Number(process.argv[3] ?? 100)
const MOST_PERCENT = 3
const ENTRIES = 20_000

/** Asks one after another, and prints how long the answers took, ms. */
const CLIENT = `
const [address, starts] = process.argv.slice(1)
const took = []
for (let n = 0; n < Number(starts); n++) {
  const began = performance.now()
  const answer = await fetch(address + '/api/v2/dags/one/start', {
    method: 'POST',
    headers: { Authorization: 'Bearer a-token-for-the-bench' },
    body: JSON.stringify({ params: 'DAY=monday N=' + n })
  })
  await answer.text()
  if (answer.status !== 200) throw new Error('answered with ' + answer.status)
  took.push(performance.now() - began)
}
console.log(JSON.stringify(took))`

const micros = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function opened(isKept: boolean) {
  const engine = await createEngine({
    temporary: true,
    schedules: false,
    defaultShell: 'sh',
    settings: {
      'auth.token.value': 'a-token-for-the-bench',
      'queues.config': [{ name: 'one', maxConcurrency: 1_000 }],
      'audit.enabled': isKept
    }
  })
  const { dagsDir } = engine.config
  mkdirSync(dagsDir, { recursive: true })
  writeFileSync(
    join(dagsDir, 'one.yaml'),
    'maxActiveRuns: 1000\nparams: DAY=today N=0\nsteps: [{name: s, command: "true"}]\n'
  )
  const server = await serve(engine, { port: 0, host: '127.0.0.1' })
  return {
    async asked() {
      const before = micros()
      const took = await answersOf(server.address)
      await Promise.all(engine.runs({ status: ['running', 'queued'] }).map((key) => engine.result(key)))
      return { cpu: (micros() - before) / STARTS, answer: median(took) }
    },
    async close() {
      await server.close()
      await engine.close()
    }
  }
}

function answersOf(address: string): Promise<number[]> {
  const client = spawn(process.execPath, ['--input-type=module', '-e', CLIENT, address, String(STARTS)], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  let text = ''
  client.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return new Promise((resolve, reject) =>
    client.once('close', (code) => (code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`the client: ${code}`))))
  )
}

/** Of one, µs. */
function each(count: number, work: (n: number) => void): number {
  for (let n = 0; n < count / 10; n++) work(n)
  const before = micros()
  for (let n = 0; n < count; n++) work(n)
  return (micros() - before) / count
}

const [without, kept] = [await opened(false), await opened(true)]
const found: { without: number; kept: number; before: number; after: number }[] = []
for (let round = -1; round < ROUNDS; round++) {
  // The first one of a pair has the garbage of the last one.
  const isFirst = round % 2 === 0
  const first = await (isFirst ? without : kept).asked()
  const second = await (isFirst ? kept : without).asked()
  const [one, other] = isFirst ? [first, second] : [second, first]
  if (round >= 0) found.push({ without: one.cpu, kept: other.cpu, before: one.answer, after: other.answer })
}
await without.close()
await kept.close()

const row = (what: string, figure: string) => console.log(`${what.padEnd(72)} ${figure}`)
const us = (value: number) => `${value.toFixed(1)} us`
const all = found.map((pair) => (pair.kept / pair.without - 1) * 100).toSorted((a, b) => a - b)
const at = (share: number) => (all[Math.floor(all.length * share)] ?? 0).toFixed(1)
const base = median(found.map((pair) => pair.without))
row(
  `a start and its run, ${ROUNDS} turns of ${STARTS}: CPU without and with a log`,
  `${us(base)}, ${us(median(found.map((pair) => pair.kept)))}`
)
row(`  more, in pairs (at most ${MOST_PERCENT} %)`, `${at(0.5)} % (middle half ${at(0.25)} to ${at(0.75)})`)
row(
  '  the answer to it, without and with',
  `${median(found.map((it) => it.before)).toFixed(2)} ms, ${median(found.map((it) => it.after)).toFixed(2)} ms`
)

const mask = maskOf({ DEPLOY_TOKEN: 'a-value-of-a-secret' })
const asked = { params: 'DAY=monday N=17', dagRunId: 'r-17' }
const entry: NewEntry = {
  principal: { kind: 'token', name: 'ci' },
  address: '127.0.0.1',
  door: 'api',
  operation: 'startDag',
  requestId: '01a221a5-08eb-7fbe-9509-7c962b66b00b',
  target: { fileName: 'one', dagRunId: 'r-17' },
  outcome: 'done',
  status: 200,
  after: { asked }
}
const dir = mkdtempSync(join(tmpdir(), 'troupe-bench-audit-'))
const appender = openAppender(join(dir, 'audit'), undefined, () => {})
const time = '2026-03-01T00:00:00.000Z'
const masked = each(ENTRIES, () => void shownValue(asked, mask))
const line = each(ENTRIES, () => void sealed(entry, time, { seq: 1, hash: GENESIS }))
const written = each(ENTRIES, () => appender.append([{ entry, at: time }]))
const flushed = await (async () => {
  const before = micros()
  for (let n = 0; n < 50; n++) {
    appender.append([{ entry, at: time }])
    await appender.flush()
  }
  return (micros() - before) / 50 - written
})()
appender.close()
rmSync(dir, { recursive: true })
row('of an entry: masks and limits', us(masked))
row('  the line and its SHA-256', us(line))
row('  the append, in one write', us(written - line))
row('  of a start, all of these', `${(((masked + written) / base) * 100).toFixed(1)} %`)
row('a flush of the file, once a second at most, whatever was entered', us(flushed))
