/**
 * The command line's client of the engine that owns a home. `engineClientOf` calls an engine in this process; `local.ts` serves the
 * same to other processes of the user over a socket. Source: api-semantics 11.
 */
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine, QueueView, RunFilter, RunView } from '../../engine/engine.ts'
import { type ListenTree, watchTree } from '../tree-events.ts'
import { hearing, type Listen } from './hearing.ts'
import { type ListedDefinition, listedDefinitions, listedRuns } from './overview.ts'

export interface WatchOptions {
  /** Number of an event of the run: all later ones are wanted. Default: those from now on. */
  after?: number | undefined
  /** Told once when the engine is gone and waited for. */
  say?: ((text: string) => void) | undefined
}

export interface EngineClient {
  /** Absolute path. */
  readonly home: string
  /** Folder in which the engine looks for definitions. */
  readonly dagsDir: string
  /** Queued runs are left to another engine. */
  readonly holdsQueues: boolean
  /** Address of the web page, if the process with the engine serves it. */
  readonly page?: string
  /** Path at which the engine's API begins. */
  readonly apiPath: string
  /** Stored definitions, by file name. */
  definitions(): Promise<ListedDefinition[]>
  /** Newest first. @param limit at most 1,000 */
  runs(filter: RunFilter, limit: number): Promise<RunRecord[]>
  /** All queues with their runs, as `Engine.queues`. */
  queues(): Promise<QueueView[]>
  /**
   * Resolves with the run when it has ended; `listen` gets its events.
   * @throws TroupeError not_found
   */
  watch(key: RunKey, listen: Listen, options?: WatchOptions): Promise<RunView>
  /**
   * The same for a root run and all sub DAG runs below it.
   * @param joined called when no event is missed from then on; again when another engine has taken over
   */
  watchTree(key: RunKey, listen: ListenTree, joined: () => void): Promise<RunView>
  /** The run, or undefined; without an id, or with `latest`, the newest of the name. */
  run(name: string, dagRunId?: string): Promise<RunView | undefined>
}

export const engineClientOf = (engine: Engine): EngineClient => ({
  home: engine.home,
  dagsDir: engine.config.dagsDir,
  holdsQueues: engine.holdsQueues,
  apiPath: engine.config.basePath + engine.config.apiBasePath,
  definitions: () => listedDefinitions(engine),
  runs: (filter, limit) => listedRuns(engine, filter, limit),
  queues: () => engine.readQueues(),
  async watch(key, listen, { after } = {}) {
    const heard = hearing(listen, after)
    const end = engine.subscribe(heard.hear, key)
    try {
      for (let isMore = after !== undefined; isMore; ) {
        const records = engine.journal(key, heard.last ?? 0, AT_A_TIME)
        for (const record of records) heard.hear(record)
        isMore = records.length === AT_A_TIME
      }
      return await engine.result(key)
    } finally {
      end()
    }
  },
  watchTree: (key, listen, joined) => watchTree(engine, key, listen, joined),
  run: async (name, dagRunId = 'latest') => engine.run({ name, dagRunId })
})

/** Events that are read at once. */
const AT_A_TIME = 1_000
