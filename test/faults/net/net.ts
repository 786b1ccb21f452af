/** `fault-net`: clients that are slow to ask, slow to read, that go away, or are too many; others are served meanwhile. Source: reliability T11, F24. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ofAll } from '../../support/long.ts'
import { type Random, seeded } from '../../support/random.ts'
import { eventually } from '../../support/waiting.ts'
import { type EngineProcess, startEngine } from '../engine-process.ts'
import { newHome, removeHome } from '../home.ts'
import { Findings, type Suite } from '../suite.ts'
import { dripOnce, hasHungUp, heldAt, type Manner, openSlowClient, type SlowClient } from './slow-clients.ts'

/** In `make test` the server's time limits are so many times shorter. */
const HURRY = 40
/** What a busy machine takes beyond a limit; the server looks once a second. */
const SLACK_MS = 5_000
/** Source: P17. Of the median answer: single ones belong to the machine. */
const ANSWER_MS = 100
/** Source: P18. What is held for slow clients is bounded, however many there are; reading logs for them leaves as much to collect. */
const ENGINE_MIB = 512
const POLL_MS = 50
const MOST_CONNECTIONS = 1_000
const NO_LIMITS = 'waits for slow clients for ever'
const BLOCKED = 'works for one client at a time'

const LOG_PATH = '/api/v2/dag-runs/big/r1/steps/step/log?limit=10000'
const BODY_BYTES = 1_900_000
const head = (method: string, path: string, more = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}\r\n`

const MANNERS: Manner[] = [
  { name: 'says nothing', opening: '', reads: true, limitMs: 10_000 },
  {
    name: 'drips its headers',
    opening: 'GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
    drop: 'x',
    reads: true,
    limitMs: 10_000
  },
  {
    name: 'drips its body',
    opening: Buffer.concat([
      Buffer.from(head('POST', '/api/v2/dags/validate', `Content-Length: ${BODY_BYTES + 10_000}\r\n`)),
      Buffer.alloc(BODY_BYTES, ' ')
    ]),
    drop: ' ',
    reads: true,
    limitMs: 30_000
  },
  { name: 'does not read its answer', opening: head('GET', LOG_PATH), reads: false, limitMs: 240_000 },
  {
    name: 'asks once and stays',
    opening: head('GET', '/api/v2/health'),
    reads: true,
    limitMs: 120_000,
    sinceAnswer: true
  }
]

export const net: Suite = {
  name: 'fault-net',
  promises: ['P17', 'P18', 'P20', 'P22'],
  small: ofAll(20, 60),
  full: 180,
  plants: { [NO_LIMITS]: 2, [BLOCKED]: 2 },
  async run({ seed, size, plant }) {
    const findings = new Findings()
    const counts: Record<string, number> = {}
    const hurry = size < net.full ? HURRY : 1
    const home = newHome()
    const engine = await startEngine({ home, hurry, ...(plant ? { plant } : {}) })
    await writeBigLog(engine, home)
    const good = goodClient(engine, findings)
    // A plant shows in the first to be started.
    await slowOnes(engine, plant ? MANNERS.slice(0, 2) : MANNERS, size, hurry, findings, counts)
    if (plant === undefined) {
      counts.aborted = await goneInTheMiddle(engine, seeded(seed), size, findings)
      counts.refused = await tooMany(engine, findings)
    }
    Object.assign(counts, await good.end())
    counts.mostMiB = mostMiB(engine)
    findings.check(counts.mostMiB <= ENGINE_MIB, 'P18', `the engine had ${counts.mostMiB} MiB`)
    findings.check(!engine.gone, 'P22', 'the engine is gone')
    await engine.close()
    removeHome(home)
    return { rounds: size * MANNERS.length, counts, found: findings.found }
  }
}

const mostMiB = ({ pid }: EngineProcess): number =>
  Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)

/** A log of which an answer takes as much as it may. */
async function writeBigLog(engine: EngineProcess, home: string): Promise<void> {
  const command = `i=0; while [ $i -lt 10000 ]; do echo ${'x'.repeat(800)}; i=$((i+1)); done; touch ${join(home, 'written')}`
  const spec = JSON.stringify({ name: 'big', steps: [{ name: 'step', command }] })
  const { text, status } = await engine.call('POST', '/dag-runs', { spec, dagRunId: 'r1' })
  if (status !== 200) throw new Error(text)
  await eventually(
    'the big log',
    async () => ((await engine.call('GET', '/dag-runs/big/r1')).json?.dagRun?.finishedAt ? true : undefined),
    30_000
  )
}

/** Asks as fast as it is answered, over a connection that it keeps. */
function goodClient(engine: EngineProcess, findings: Findings) {
  const took: number[] = []
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      const begun = performance.now()
      const answer = await engine.call('GET', '/dag-runs/big').catch((error: Error) => error)
      took.push(performance.now() - begun)
      const what = answer instanceof Error ? answer.message : answer.status
      findings.check(what === 200, 'P20', `a good client was answered with ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  return {
    async end() {
      isOver = true
      await asking
      took.sort((a, b) => a - b)
      const at = (part: number) => Math.round(took[Math.floor(took.length * part)] ?? 0)
      findings.check(at(0.5) <= ANSWER_MS, 'P17', `the median answer beside slow clients took ${at(0.5)} ms`)
      return { answers: took.length, medianAnswerMs: at(0.5), p99AnswerMs: at(0.99) }
    }
  }
}

/** All at once, each manner with `size` clients. */
async function slowOnes(
  engine: EngineProcess,
  manners: Manner[],
  size: number,
  hurry: number,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  const wanted = manners.flatMap((manner) => Array.from({ length: size }, () => manner))
  const clients = await Promise.all(wanted.map((manner) => openSlowClient(engine.port, manner)))
  const limitOf = ({ manner }: SlowClient) => manner.limitMs / hurry + SLACK_MS
  for (let waits = clients; waits.length > 0 && !engine.gone; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    const held = heldAt(engine.port)
    const now = performance.now()
    waits = waits.filter((client) => {
      dripOnce(client)
      const isHeld = client.socket.localPort !== undefined && held.has(client.socket.localPort)
      // One that was never seen may still wait to be accepted.
      if (isHeld) client.seenAt = now
      else if (client.seenAt !== undefined || hasHungUp(client)) client.releasedAt = now
      return client.releasedAt === undefined && now - client.since <= limitOf(client)
    })
  }
  for (const client of clients) {
    const { manner, releasedAt, since, socket } = client
    const within = Math.round(limitOf(client))
    findings.check(
      releasedAt !== undefined && releasedAt - since <= within,
      'P20',
      `a client that ${manner.name} is held for more than ${within} ms`
    )
    const name = `slowest: ${manner.name}`
    counts[name] = Math.max(counts[name] ?? 0, Math.round((releasedAt ?? Number.NaN) - since))
    socket.destroy()
  }
}

/** Clients that hang up when the first bytes of an answer are there. @returns how many */
async function goneInTheMiddle(
  engine: EngineProcess,
  random: Random,
  count: number,
  findings: Findings
): Promise<number> {
  const manner: Manner = { name: 'goes away', opening: head('GET', LOG_PATH), reads: true, limitMs: 0 }
  for (let n = 0; n < count && !engine.gone; n++) {
    const { socket } = await openSlowClient(engine.port, manner)
    await Promise.race([
      new Promise((resolve) => socket.once(random.chance(0.5) ? 'data' : 'close', resolve)),
      new Promise((resolve) => setTimeout(resolve, random.below(60)))
    ])
    socket.resetAndDestroy()
  }
  await eventually('nobody to be left', () => heldAt(engine.port).size <= 1 || undefined, SLACK_MS).catch(() =>
    findings.add('P20', `${heldAt(engine.port).size} connections are held for clients that have gone`)
  )
  return count
}

/** More clients than there may be connections: silent ones give way, and who asks is served. @returns how many gave way */
async function tooMany(engine: EngineProcess, findings: Findings): Promise<number> {
  const wanted = MOST_CONNECTIONS + 100
  const manner: Manner = { name: 'asks for nothing', opening: '', reads: true, limitMs: 0 }
  const clients = await Promise.all(
    Array.from({ length: wanted }, () => openSlowClient(engine.port, manner).catch(() => undefined))
  )
  const closed = () => clients.filter((client) => client === undefined || hasHungUp(client)).length
  const settled = () => closed() + heldAt(engine.port).size >= wanted || undefined
  await eventually('an answer to too many connections', settled, SLACK_MS).catch((error: Error) =>
    findings.add('P20', error.message)
  )
  const held = heldAt(engine.port).size
  const refused = closed()
  findings.check(held <= MOST_CONNECTIONS, 'P20', `${held} connections are held, ${MOST_CONNECTIONS} are allowed`)
  for (const client of clients) client?.socket.destroy()
  return refused
}
