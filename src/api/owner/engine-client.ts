/** What commands know of the engine of a home. `engineClientOf` is that of an engine in this process; `local.ts` tells other processes of the user. Source: api-semantics 11. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Engine } from '../../engine/engine.ts'
import { type ListenTree, watchTree } from '../tree-events.ts'

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
  /**
   * Resolves when a root run has ended; `listen` gets its events, and those of all sub DAG runs below it.
   * @param joined called when no event is missed from then on; again when another engine has taken over
   */
  watchTree(key: RunKey, listen: ListenTree, joined: () => void): Promise<unknown>
}

export const engineClientOf = (engine: Engine): EngineClient => ({
  home: engine.home,
  dagsDir: engine.config.dagsDir,
  holdsQueues: engine.holdsQueues,
  apiPath: engine.config.basePath + engine.config.apiBasePath,
  watchTree: (key, listen, joined) => watchTree(engine, key, listen, joined)
})
