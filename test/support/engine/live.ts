/** One engine for the end-to-end tests of a file, and runs as they ended, with their files available. */
import { existsSync, readFileSync } from 'node:fs'
import type { NodeRecord, RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { HandlerView, RunView, StartRequest } from '../../../src/engine/engine.ts'
import { createEngine, type Engine, type EngineOptions } from '../../../src/index.ts'

/** A run that has ended. */
export interface Ended extends RunView {
  status: RunRecord['status']
  /** Statuses of its nodes, in the order of the definition. */
  statuses: NodeRecord['status'][]
  /** Node of a step or of a handler. */
  node(name: string): NodeRecord
  /** The whole stdout or stderr log of a step or handler; empty when there is none. */
  out(name: string): string
  err(name: string): string
}

export interface Live {
  /** The engine; open while tests run. */
  readonly engine: Engine
  /** Starts a run; a spec without a name gets one that no other run has. */
  start(spec: string, request?: StartRequest): Promise<RunKey>
  ended(key: RunKey): Promise<Ended>
  /** Starts a run and waits for its end. */
  run(spec: string, request?: StartRequest): Promise<Ended>
}

/** Opens a temporary engine before the tests of a `describe` and closes it after them. Steps run by `sh` unless they say otherwise. */
export function liveEngine(options: EngineOptions = {}): Live {
  let engine: Engine | undefined
  let count = 0
  before(async () => {
    engine = await createEngine({ temporary: true, defaultShell: 'sh', ...options })
  })
  after(() => engine?.close())
  const live: Live = {
    get engine() {
      if (engine) return engine
      throw new Error('the engine is open in tests only')
    },
    start: (spec, request = {}) => live.engine.start({ spec, name: `live-${++count}`, ...request }),
    ended: async (key) => seen(await live.engine.result(key)),
    run: async (spec, request) => live.ended(await live.start(spec, request))
  }
  return live
}

export function seen(view: RunView): Ended {
  const all: HandlerView[] = [...view.nodes, ...Object.values(view.handlers)]
  const node = (name: string) => {
    const found = all.find(({ step }) => step.name === name)
    if (found) return found.node
    throw new Error(`no step ${name}; there are ${all.map(({ step }) => step.name).join(', ')}`)
  }
  return {
    ...view,
    status: view.run.status,
    statuses: view.nodes.map(({ node: { status } }) => status),
    node,
    out: (name) => textOf(node(name).stdout),
    err: (name) => textOf(node(name).stderr)
  }
}

/** Content of a file; empty when there is none. */
export const textOf = (path: string | undefined): string => (path && existsSync(path) ? readFileSync(path, 'utf8') : '')
