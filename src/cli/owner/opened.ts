/** An engine opened for a command, in this process or in the one that owns the home. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { EngineClient } from '../../api/owner/engine-client.ts'
import type { Client, RunDetails } from '../../client/index.ts'
import type { Acts } from './acts.ts'
import type { Listen } from './held-run.ts'

export interface FollowOptions {
  /** Number of an event of the run: all later ones are wanted. Default: those from now on. */
  after?: number | undefined
  /** Told once when the engine is gone and waited for. */
  say?: ((text: string) => void) | undefined
}

export interface OpenClient extends EngineClient, Acts {
  /** The engine lives in this process. */
  readonly here: boolean
  /** The engine is a server elsewhere, whose files are not here. */
  readonly isElsewhere: boolean
  /** The API of the engine, wherever it is. All functions throw TroupeError. */
  readonly api: Client
  /** Resolves with the run when it has ended; `listen` gets its events. @throws TroupeError not_found */
  follow(key: RunKey, listen: Listen, options?: FollowOptions): Promise<RunDetails>
  /** Resolves when no other command uses the engine in this process; later ones are refused. */
  unneeded(): Promise<void>
  /** Closes the client, and an engine in this process; running steps survive, and the next engine continues their runs. */
  close(): Promise<void>
}
