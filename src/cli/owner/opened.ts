/** A client that a command has opened, of an engine in this process or in the one that owns the home. */
import type { Door } from '../../api/owner/door.ts'

export interface OpenClient extends Door {
  /** The engine is in this process. */
  readonly here: boolean
  /** Resolves when no other command uses the engine in this process; later ones are refused. */
  unneeded(): Promise<void>
  /** Closes the client, and an engine in this process; running steps survive, and the next engine continues their runs. */
  close(): Promise<void>
}
