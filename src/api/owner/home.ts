/** What a command knows of an engine before it asks anything of it. */
import type { Engine } from '../../engine/engine.ts'

export interface OwnedHome {
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
}

export const homeOf = ({ home, holdsQueues, config }: Engine): OwnedHome => ({
  home,
  dagsDir: config.dagsDir,
  holdsQueues,
  apiPath: config.basePath + config.apiBasePath
})
