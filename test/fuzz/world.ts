/** A real engine with definitions and runs in every state that requests can be about, served with credentials. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { RunKey } from '../../machines/vocabulary.ts'
import { serve } from '../../src/api/server.ts'
import type { Engine, QueueView } from '../../src/engine/engine.ts'
import { createEngine } from '../../src/index.ts'
import { type StateDigest, stateDigests } from '../support/store/state-digest.ts'
import { eventually } from '../support/waiting.ts'
import { type Plant, planted } from './planted.ts'
import type { Credentials, Version } from './requests.ts'
import { CHEAP, GONE, MIRROR } from './texts.ts'

const TOKENS: Record<Exclude<Credentials, 'none'>, string> = {
  all: 'sesame-all',
  run: 'sesame-run',
  read: 'sesame-read',
  wrong: 'sesame'
}
const DEFINITIONS: Record<string, string> = {
  hello: `tags: [demo]\n${CHEAP}`,
  'dotted.name': CHEAP,
  full: 'steps: ["true"]\n',
  parent: 'steps:\n  - name: call\n    call: kid\n---\nname: kid\nsteps: ["echo hi"]\n'
}
/** Such a run has the only slot of its DAG, so that others are refused or wait. */
const HOLDER_SPEC = 'name: full\nsteps: [sleep 600]'
/** Steps of a few milliseconds; on a machine with much else to do. */
const SETTLED_WITHIN_MS = 60_000

export interface World {
  readonly port: number
  /** Where each version of the API begins. */
  readonly base: Readonly<Record<Version, string>>
  readonly home: string
  readonly subRunIds: readonly string[]
  /** What the server has logged. */
  readonly faults: unknown[]
  header(credentials: Credentials): Record<string, string>
  digest(): StateDigest
  /**
   * After a request that was accepted: waits until what it began has ended, and puts back what it took away. Resolves with what
   * does not come to rest; undefined: all did.
   */
  settle(): Promise<string | undefined>
  /** Runs a definition to its end. */
  run(fileName: string, dagRunId: string): Promise<void>
  isHealthy(): Promise<boolean>
  close(): Promise<void>
}

/** @param definitions further ones, by name */
export async function openWorld(plant?: Plant, definitions: Record<string, string> = {}): Promise<World> {
  const faults: unknown[] = []
  const tokens = (['all', 'run', 'read'] as const).map((name) => ({
    name,
    value: TOKENS[name],
    permissions: name === 'all' ? ['read', 'run', 'write'] : name === 'run' ? ['read', 'run'] : ['read']
  }))
  let port = 0
  const mirror = await mirrorOf(() => port)
  const remoteNodes = [
    { name: MIRROR, apiBaseURL: `http://127.0.0.1:${mirror.port}/api/v2`, authToken: TOKENS.all },
    { name: GONE, apiBaseURL: 'http://127.0.0.1:9/api/v2' }
  ]
  const settings = { 'auth.tokens': tokens, remoteNodes }
  const engine = await createEngine({ temporary: true, defaultShell: 'sh', settings })
  const server = await serve(plant ? planted(engine, plant) : engine, {
    host: '127.0.0.1',
    port: 0,
    log: (_message, cause) => faults.push(cause)
  })
  port = Number(new URL(server.address).port)
  const digests = stateDigests(engine.config)
  const { config } = engine
  writeDefinitions(config.dagsDir, { ...DEFINITIONS, ...definitions })
  await engine.start({ spec: HOLDER_SPEC, dagRunId: 'holder' })
  await engine.enqueue({ fileName: 'full', dagRunId: 'waiting' })
  await engine.result(await engine.start({ fileName: 'hello', dagRunId: 'r-1' }))
  const parent = { name: 'parent', dagRunId: 'p-1' }
  await engine.result(await engine.start({ fileName: 'parent', dagRunId: parent.dagRunId }))

  return {
    port,
    base: { v1: `${config.basePath}/api/v1`, v2: config.basePath + config.apiBasePath },
    home: engine.home,
    subRunIds: engine.subRuns(parent).map(({ dagRunId }) => dagRunId),
    faults,
    header: (credentials) => (credentials === 'none' ? {} : { Authorization: `Bearer ${TOKENS[credentials]}` }),
    digest: () => digests.take(),
    async settle() {
      const isAtRest = () => (isSettled(engine) ? true : undefined)
      const ended = await eventually('an end', isAtRest, SETTLED_WITHIN_MS).catch(() => false)
      writeDefinitions(config.dagsDir)
      return ended ? undefined : stateOf(engine)
    },
    async run(fileName, dagRunId) {
      await engine.result(await engine.start({ fileName, dagRunId }))
    },
    isHealthy: async () => (await engine.health()).healthy,
    async close() {
      mirror.server.close()
      await server.close()
      await digests.close()
      await engine.close()
    }
  }
}

/**
 * Nothing is on its way: nothing runs but what holds a slot, nothing waits but for a slot, and what has ended has its log. A queue
 * lets a run go only after its enqueue was answered, a run is prepared after its start was, and ends after its stop was.
 */
function isSettled(engine: Engine): boolean {
  const holds = (run: RunKey) => engine.runSpec(run) === HOLDER_SPEC && isAtWork(engine, run)
  return (
    engine.runs({ status: ['running'] }).every(holds) &&
    engine.queues().every((queue) => waitsForSlots(engine, queue)) &&
    engine.runs().every(({ startedAt, finishedAt, log }) => !startedAt || !finishedAt || existsSync(log))
  )
}

/** The first who waits of each DAG name, by the limit it came with: those behind it wait for it. */
function waitsForSlots(engine: Engine, { queued, running }: QueueView): boolean {
  const firsts = new Map(queued.toReversed().map((run) => [run.name, run]))
  return [...firsts.values()].every((run) => {
    const limit = engine.run(run)?.plan.maxActiveRuns ?? 0
    return limit > 0 && running.length >= limit
  })
}

/** Its only step is being executed: it is neither prepared any more nor stopped yet. */
function isAtWork(engine: Engine, run: RunKey): boolean {
  const states = engine.facts.run(run).actors.map(({ states }) => states.at(-1))
  return states.join() === 'working,attempting.executing'
}

/** A port that leads to another one, which may be found out later: as a remote node, a server can be its own. */
function mirrorOf(port: () => number): Promise<{ server: Server; port: number }> {
  const server = createServer((from) => {
    const to = connect(port(), '127.0.0.1')
    for (const [one, other] of [
      [from, to],
      [to, from]
    ] as const)
      one
        .on('error', () => other.destroy())
        .on('close', () => other.destroy())
        .pipe(other)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ server, port: (server.address() as AddressInfo).port }))
  })
}

const stateOf = (engine: Engine): string =>
  JSON.stringify({
    running: engine.runs({ status: ['running'] }).map((run) => ({ ...run, spec: engine.runSpec(run) })),
    queues: engine
      .queues()
      .map(({ name, running, queued, capacity }) => [name, running.length, queued.length, capacity])
  })

function writeDefinitions(dagsDir: string, definitions = DEFINITIONS): void {
  mkdirSync(dagsDir, { recursive: true })
  for (const [name, text] of Object.entries(definitions)) {
    const file = join(dagsDir, `${name}.yaml`)
    if (!existsSync(file)) writeFileSync(file, text)
  }
}
