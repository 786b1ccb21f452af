/** Runs cases of fixtures/format on real engines, a few at a time. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, type Engine, type EngineOptions, type RunKey, TroupeError } from '../../../src/index.ts'
import { eventually } from '../waiting.ts'
import { expectedOf, type FormatCase } from './format-case.ts'
import { filesAsked, normaliser, type Outcome, outcomeOf, planAsked } from './format-outcome.ts'

/** The environment of the server that cases run in, beside PATH. HOME is a separate folder. */
export const SERVER_ENVIRONMENT: Record<string, string> = {
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  SHELL: '/bin/sh',
  ENGINE_FIXTURE: 'engine prefix',
  LC_FIXTURE: 'lc prefix',
  DAG_FIXTURE: 'dag prefix',
  ENGINE_AUTH_BASIC_USERNAME: 'user',
  ENGINE_AUTH_BASIC_PASSWORD: 'credential',
  LD_LIBRARY_PATH: '/nowhere',
  FIXTURE_SERVER: 'of the server',
  FIXTURE_SECRET: 'abcd-secret',
  FIXTURE_EMPTY: ''
}

/** What the reader and the engine say of a field, an executor or a file that is not built. */
const UNSUPPORTED = 'not supported yet'

/** How a case ended on this release: with an outcome, or with the sentence that says what is not built. */
export type Found = { outcome: Outcome } | { unsupported: string }

export interface Stage {
  run(one: FormatCase): Promise<Found>
  close(): Promise<void>
}

/** Opens the engine that cases share. Each case runs in a copy of its folder. */
export async function openStage(): Promise<Stage> {
  const root = mkdtempSync(join(tmpdir(), 'troupe-format-'))
  // `~` is the home of the process.
  const restore = withEnvironment({ ...SERVER_ENVIRONMENT, HOME: root })
  const shared = await createEngine({ temporary: true })
  return {
    async run(one) {
      const folder = join(root, one.name)
      const file = join(folder, `${one.name}.yaml`)
      cpSync(one.folder, folder, { recursive: true })
      cpSync(join(folder, 'dag.yaml'), file)
      try {
        return await running(one, { root, folder, file, shared })
      } catch (error) {
        if (error instanceof Error && error.message.includes(UNSUPPORTED)) return { unsupported: error.message }
        throw error
      }
    },
    async close() {
      await shared.close()
      restore()
      rmSync(root, { recursive: true, force: true })
    }
  }
}

interface Place {
  root: string
  folder: string
  file: string
  shared: Engine
}

async function running(one: FormatCase, { root, folder, file, shared }: Place): Promise<Found> {
  if (!one.start.env && !one.extras.includes('base.yaml')) return on(shared, one, folder, file)
  const home = join(root, `${one.name}.home`)
  mkdirSync(home)
  if (one.extras.includes('base.yaml')) cpSync(join(folder, 'base.yaml'), join(home, 'base.yaml'))
  const engine = await engineWith(one.start.env ?? {}, { home })
  try {
    return await on(engine, one, folder, file)
  } finally {
    await engine.close({ runs: 'stop' })
  }
}

async function on(engine: Engine, one: FormatCase, folder: string, file: string): Promise<Found> {
  const asked = expectedOf(one)
  const { params, dagRunId, dagName, stopWhen, inline } = one.start
  const spec = readFileSync(file, 'utf8')
  const bare = normaliser(folder, engine.home)
  const { plan, problems } = await engine.validate(spec, one.name)
  if (!plan && !asked.refused) {
    const found = problems.map(({ message }) => message)
    const unsupported = found.find((text) => text.includes(UNSUPPORTED))
    return unsupported
      ? { unsupported }
      : { outcome: { problems: found.map(bare), ...filesAsked(folder, asked, bare) } }
  }
  let key: RunKey
  try {
    key = await engine.start({
      ...(inline ? { spec, name: one.name } : { file }),
      ...(params !== undefined && { params }),
      ...(dagRunId !== undefined && { dagRunId }),
      ...(dagName !== undefined && { dagName })
    })
  } catch (error) {
    if (!(error instanceof TroupeError) || error.message.includes(UNSUPPORTED)) throw error
    return { outcome: { ...planAsked(plan, asked), refused: bare(`${error.code}: ${error.message}`) } }
  }
  if (stopWhen) {
    await eventually(`${one.name}: ${stopWhen}`, () => existsSync(join(folder, stopWhen)) || undefined)
    await engine.stop(key)
  }
  const view = await engine.result(key)
  return { outcome: outcomeOf(view, asked, folder, normaliser(folder, engine.home, view)) }
}

/** An engine whose server has more in its environment, which is read before anything is waited for. */
function engineWith(env: Record<string, string>, options: EngineOptions): Promise<Engine> {
  const restore = withEnvironment(env)
  try {
    return createEngine(options)
  } finally {
    restore()
  }
}

/** Sets variables of this process. Returns the way back. */
function withEnvironment(env: Record<string, string>): () => void {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, env)
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
}
