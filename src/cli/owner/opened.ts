/** An engine opened for a command, in this process or in the one that owns the home. */
import type { EngineClient } from '../../api/owner/engine-client.ts'
import type { Client } from '../../client/index.ts'
import type { Acts } from './acts.ts'

export interface OpenClient extends EngineClient, Acts {
  /** The engine lives in this process. */
  readonly here: boolean
  /** The engine is a server elsewhere, whose files are not here. */
  readonly isElsewhere: boolean
  /** The API of the engine, wherever it is. All functions throw TroupeError. */
  readonly api: Client
  /** Resolves when no other command uses the engine in this process; later ones are refused. */
  unneeded(): Promise<void>
  /** Closes the client, and an engine in this process; running steps survive, and the next engine continues their runs. */
  close(): Promise<void>
}
