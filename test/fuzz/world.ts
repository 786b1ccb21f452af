/** A real engine with definitions and runs in every state that requests can be about, served with credentials. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunKey } from '../../machines/vocabulary.ts'
import { serve } from '../../src/api/server.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import { type StateDigest, stateDigests } from '../support/state-digest.ts'
import { eventually } from '../support/waiting.ts'
import { type Plant, planted } from './planted.ts'
import type { Credentials } from './requests.ts'
import { CHEAP } from './texts.ts'

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

export interface World {
  readonly port: number
  readonly base: string
  readonly home: string
  readonly subRunIds: readonly string[]
  /** What the server has logged. */
  readonly faults: unknown[]
  header(credentials: Credentials): Record<string, string>
  digest(): StateDigest
  /** After a request that was accepted: waits until what it began has ended, and puts back what it took away. */
  settle(): Promise<void>
  isHealthy(): Promise<boolean>
  close(): Promise<void>
}

export async function openWorld(plant?: Plant): Promise<World> {
  const faults: unknown[] = []
  const tokens = (['all', 'run', 'read'] as const).map((name) => ({
    name,
    value: TOKENS[name],
    permissions: name === 'all' ? ['read', 'run', 'write'] : name === 'run' ? ['read', 'run'] : ['read']
  }))
  const engine = await createEngine({ temporary: true, defaultShell: 'sh', settings: { 'auth.tokens': tokens } })
  const server = await serve(plant ? planted(engine, plant) : engine, {
    host: '127.0.0.1',
    port: 0,
    log: (_message, cause) => faults.push(cause)
  })
  const digests = stateDigests(engine.config)
  const { config } = engine
  writeDefinitions(config.dagsDir)
  await engine.start({ spec: HOLDER_SPEC, dagRunId: 'holder' })
  await engine.enqueue({ fileName: 'full', dagRunId: 'waiting' })
  await engine.result(await engine.start({ fileName: 'hello', dagRunId: 'r-1' }))
  const parent = { name: 'parent', dagRunId: 'p-1' }
  await engine.result(await engine.start({ fileName: 'parent', dagRunId: parent.dagRunId }))

  return {
    port: Number(new URL(server.address).port),
    base: config.basePath + config.apiBasePath,
    home: engine.home,
    subRunIds: engine.subRuns(parent).map(({ dagRunId }) => dagRunId),
    faults,
    header: (credentials) => (credentials === 'none' ? {} : { Authorization: `Bearer ${TOKENS[credentials]}` }),
    digest: () => digests.take(),
    async settle() {
      try {
        await eventually('the end of what was begun', async () => (isSettled(engine) ? true : undefined))
      } catch (error) {
        throw new Error(`${String(error)} ${stateOf(engine)}`)
      }
      writeDefinitions(config.dagsDir)
    },
    isHealthy: async () => (await engine.health()).healthy,
    async close() {
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
    engine
      .queues()
      .every(({ queued, running, capacity }) => queued.length === 0 || (capacity > 0 && running.length >= capacity)) &&
    engine.runs().every(({ startedAt, finishedAt, log }) => !startedAt || !finishedAt || existsSync(log))
  )
}

/** Its only step is being executed: it is neither prepared any more nor stopped yet. */
function isAtWork(engine: Engine, run: RunKey): boolean {
  const states = engine.facts.run(run).actors.map(({ states }) => states.at(-1))
  return states.join() === 'working,attempting.executing'
}

const stateOf = (engine: Engine): string =>
  JSON.stringify({
    running: engine.runs({ status: ['running'] }).map((run) => ({ ...run, spec: engine.runSpec(run) })),
    queues: engine
      .queues()
      .map(({ name, running, queued, capacity }) => [name, running.length, queued.length, capacity])
  })

function writeDefinitions(dagsDir: string): void {
  mkdirSync(dagsDir, { recursive: true })
  for (const [name, text] of Object.entries(DEFINITIONS)) {
    const file = join(dagsDir, `${name}.yaml`)
    if (!existsSync(file)) writeFileSync(file, text)
  }
}
